import { pageOrigin } from '../../lib/web-address.js';

/**
 * Returns the body of a 404. It names the host of a page (`acme.localhost` for `acme`) when the request names the page on
 * another host, and `pages` has it.
 */
export function notFound(
  serviceUrl: string,
  slug?: string,
  pages: readonly (string | undefined)[] = [slug],
): { error: string; code: string; hint?: string } {
  const error = { error: 'Not found', code: 'not_found' };
  if (slug === undefined || !pages.includes(slug)) return error;
  return {
    ...error,
    hint: `This page is served at ${pageOrigin(new URL(serviceUrl), `${slug}.localhost`)}/`,
  };
}
