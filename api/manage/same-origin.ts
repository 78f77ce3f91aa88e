import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../lib/service-error.js';

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses a change that a page of another site makes a browser send with the cookie of its user. Browsers say where a
 * request comes from in Sec-Fetch-Site, older ones in Origin; a request without either is refused.
 *
 * @param baseUrl address of the service.
 * @throws ServiceError `otherOrigin`
 */
export function refuseOtherOrigin({ method, headers }: IncomingMessage, baseUrl: string): void {
  if (readMethods.has(method ?? '')) return;
  const site = headers['sec-fetch-site'];
  if (site === undefined ? isOwn(headers.origin, headers.host, baseUrl) : site === 'same-origin') return;
  throw new ServiceError('otherOrigin');
}

/**
 * Refuses what a page of another site makes a browser send. Programs that are no browsers say nothing of where a request
 * comes from; without a cookie they may ask as well.
 *
 * @param baseUrl address of the service.
 * @throws ServiceError `otherOrigin`
 */
export function refuseOtherBrowserOrigin(req: IncomingMessage, baseUrl: string): void {
  const { 'sec-fetch-site': site, origin, cookie } = req.headers;
  if (site === undefined && origin === undefined && cookie === undefined) return;
  refuseOtherOrigin(req, baseUrl);
}

/** The host of the request counts too: without BASE_URL the service does not know all names it is reached by. */
function isOwn(origin: string | undefined, host: string | undefined, baseUrl: string): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false;
  const base = URL.canParse(baseUrl) ? new URL(baseUrl).origin : undefined;
  return origin === base || new URL(origin).host === host;
}
