import type { Context } from 'koa';

/**
 * Whether the page of another site sent a form of a status page. Browsers say so in Sec-Fetch-Site
 * (https://www.w3.org/TR/fetch-metadata/); older ones, and those without TLS, in Origin. A client that sends neither is
 * no browser that another site could misuse.
 */
export function isFromElsewhere({ req: { headers } }: Context, hostname: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  if (headers.origin === undefined) return false;
  return !URL.canParse(headers.origin) || new URL(headers.origin).hostname !== hostname;
}
