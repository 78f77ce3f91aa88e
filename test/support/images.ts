/** A PNG of one transparent pixel. */
export const pngPixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** An SVG image that tries to run a script and to load a resource from another host. */
export const hostileSvg = `<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10" onload="document.title='run'">
  <script>document.title = 'run'</script>
  <image href="https://elsewhere.example/pixel.png"/>
  <rect width="10" height="10" fill="#3346d3"/>
</svg>`;
