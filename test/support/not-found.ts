import { pageOrigin } from '../../lib/page-origin.js';

/** The body of a 404. `slug` is that of a page on another host, `acme.localhost` for `acme`, which the request names. */
export function notFound(serviceUrl: string, slug?: string): { error: string; code: string; hint?: string } {
  const error = { error: 'Not found', code: 'not_found' };
  if (slug === undefined) return error;
  return {
    ...error,
    hint: `This page is served at ${pageOrigin(new URL(serviceUrl), `${slug}.localhost`)}/`,
  };
}
