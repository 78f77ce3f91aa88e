import type { HttpRequest } from './exchange.js';
import { CheckFailure } from './outcome.js';

export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * The request that a redirect asks for, with the methods that browsers use (Fetch standard, HTTP-redirect fetch).
 * Headers and body may hold credentials, so they go to no other origin than the one they were given for.
 *
 * @throws CheckFailure when it leads to something that is not HTTP.
 */
export function redirected(request: HttpRequest, status: number, location: string): HttpRequest {
  const { url, method } = request;
  if (!URL.canParse(location, url.href)) throw new CheckFailure('protocol', 'The redirect leads to no URL.');
  const next = new URL(location, url.href);
  if (next.protocol !== 'http:' && next.protocol !== 'https:') {
    throw new CheckFailure('protocol', `The redirect leads to ${next.protocol}, which is not HTTP.`);
  }
  // What the redirecting server says here would be sent as a password of ours.
  next.username = '';
  next.password = '';
  const asGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  const leaves = next.origin !== url.origin;
  if (asGet || (leaves && request.body !== null)) {
    return {
      url: next,
      method: 'GET',
      headers: leaves ? [] : withoutBodyHeaders(request.headers),
      body: null,
    };
  }
  return { ...request, url: next, headers: leaves ? [] : request.headers };
}

function withoutBodyHeaders(headers: HttpRequest['headers']): HttpRequest['headers'] {
  return headers.filter(([name]) => !/^content-/i.test(name));
}
