/** Where a page is reached, such as `https://status.example.com`: pages are served beside the API. */
export function pageOrigin(baseUrl: URL, hostname: string): string {
  const url = new URL(baseUrl);
  url.hostname = hostname;
  return url.origin;
}
