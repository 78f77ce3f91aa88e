/** Returns the origin of a page, such as `https://status.example.com`: pages share scheme and port with the API. */
export function pageOrigin(baseUrl: URL, hostname: string): string {
  const url = new URL(baseUrl);
  url.hostname = hostname;
  return url.origin;
}
