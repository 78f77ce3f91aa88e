/** Returns the origin of a page, such as `https://status.example.com`: pages share scheme and port with the API. */
export function pageOrigin(baseUrl: URL, hostname: string): string {
  const url = new URL(baseUrl);
  url.hostname = hostname;
  return url.origin;
}

/**
 * Whether each segment of a path stays the one that was put there. A URL parser takes `.` and `..` away, in every encoding
 * and with what stands before them, so that `/pages/../users` is `/users`; an empty segment names the list in place of a
 * member. No way to encode them is left, so that a path with one of them must not be asked for.
 */
export function isPlainPath(path: string): boolean {
  const [segments = ''] = path.split(/[?#]/, 1);
  const [first, ...others] = segments.split('/');
  return first === '' && others.every((segment) => !/^(?:\.|%2e){0,2}$/i.test(segment));
}

const urlCharsMax = 2_048;

/**
 * Returns why a URL cannot be the target of requests, in a sentence; `undefined` when it may be stored. The address
 * behind the name is checked when a request connects, because names change where they lead.
 */
export function problemOfOutboundUrl(text: string): string | undefined {
  if (text.length > urlCharsMax) return `The URL is longer than ${urlCharsMax} characters.`;
  if (!URL.canParse(text)) return `"${text}" is not a URL; give one such as https://example.com/path.`;
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') {
    return `The URL must start with http:// or https://, not "${protocol}".`;
  }
  if (username !== '' || password !== '') return 'The URL must not hold a user name or password.';
  return undefined;
}
