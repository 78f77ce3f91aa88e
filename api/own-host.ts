import { isIP } from 'node:net';
import type { Context } from 'koa';
import type { RequestOrigin } from './request-origin.js';

/** Whether this is a name of the machine that asks. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' || hostname === '[::1]' || (isIP(hostname) === 4 && /^127\./.test(hostname))
  );
}

/** Whether a host is an IP address; one of version 6 may be in brackets. */
export function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

/**
 * Returns the setting that opens the dashboard where a request went, such as `BASE_URL=http://heartline.lan:8080`. Behind
 * a proxy the port is not known.
 */
export function baseUrlToSet({ req }: Pick<Context, 'req'>, { hostname, isSecure }: RequestOrigin): string {
  const { host = '' } = req.headers;
  const isAsked = host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '') === hostname;
  const place = isAsked ? host : hostname;
  const asked = `${isSecure ? 'https' : 'http'}://${place}`;
  return `BASE_URL=${URL.canParse(asked) ? new URL(asked).origin : 'https://status.example.com'}`;
}
