import type { IncomingMessage } from 'node:http';

/** A host name, an IP address, or nothing, with or without a port. */
const hostForm = /^(?:[\w.-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/** The scheme, the authority, and the rest of a target such as `http://status.example/history?page=2`. */
const absoluteForm = /^https?:\/\/([^/?#\\\s]+)([/?].*)?$/i;

/**
 * Gives the target of a request the form that nearly all have, a path and a query string. A target such as
 * `http://status.example/history` decides the host, whatever the Host header says (RFC 9112, section 3.2.2): the header
 * then has that host. Returns whether the host is as HTTP requires it; if not, the request must be refused.
 */
export function settleTarget(req: IncomingMessage): boolean {
  if (faultOfHost(req) !== undefined) return false;
  if (req.url?.startsWith('/')) return true;
  const [, host, rest = '/'] = absoluteForm.exec(req.url ?? '') ?? [];
  if (host === undefined) return true;
  req.headers.host = host;
  req.url = rest.startsWith('/') ? rest : `/${rest}`;
  return faultOfHost(req) === undefined;
}

/**
 * Says in one sentence what is wrong with the host of a request (RFC 9112, section 3.2), or returns `undefined`. Proxies
 * and this service may each take another one of two hosts, and an answer for one page would then be kept as that of
 * another.
 */
export function faultOfHost({ rawHeaders, headers, httpVersion }: IncomingMessage): string | undefined {
  const { host } = headers;
  if (host === undefined)
    return httpVersion === '1.0' ? undefined : 'The request has no Host header, which HTTP/1.1 requires.';
  if (!hostForm.test(host))
    return 'The Host header must be a host name or an address, with or without a port.';
  return countHosts(rawHeaders) > 1 ? 'The request has several Host headers; send one.' : undefined;
}

/** Node keeps the first of several Host headers and drops the others. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
