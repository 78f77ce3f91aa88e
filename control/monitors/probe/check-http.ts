import { type HttpOptions, monitorLimits, type RequestSecrets } from '../../../contract/monitors.js';
import type { Clock } from '../../../lib/clock.js';
import type { Outbound } from '../../../lib/outbound/request.js';
import { startDeadline } from '../../../lib/timeout.js';
import { dayMs } from '../../../lib/times.js';
import { parseStatusRanges } from '../parse-target.js';
import type { ChainEnd } from './certificate-chain.js';
import { type Cookies, createCookies } from './cookies.js';
import { exchange, type HttpAnswer, type HttpRequest } from './exchange.js';
import { CheckFailure, checkOwnNames, explainFailure, type Outcome } from './outcome.js';
import { createPhaseMeter, type PhaseMeter } from './phase-meter.js';

type Deps = Outbound & { clock: Clock };
export type HttpCheck = { url: string; options: HttpOptions; secrets: RequestSecrets; timeoutMs: number };

/**
 * Sends a request to an HTTP server and compares the response with what the monitor expects. Follows redirects until a
 * response has an expected status; each redirect passes the same filter of addresses.
 *
 * @throws ProbeError when the check could not be made; the reason of the signal when it is aborted.
 */
export async function checkHttp(deps: Deps, check: HttpCheck, signal: AbortSignal): Promise<Outcome> {
  signal.throwIfAborted();
  const { timeoutMs, options } = check;
  const began = performance.now();
  const meter = createPhaseMeter();
  const deadline = startDeadline(timeoutMs, signal);
  try {
    const answer = await followRedirects({ ...deps, meter }, check, deadline.signal);
    const failure = judge(answer, options, deps.clock.now());
    return {
      ...meter.phases,
      ...outcomeOf(failure),
      status: answer.status,
      totalMs: performance.now() - began,
      certificateEndsAt: answer.certificate?.endsAt ?? null,
    };
  } catch (error) {
    signal.throwIfAborted();
    const timedOut =
      deadline.signal.aborted &&
      new CheckFailure('timeout', `No answer within ${timeoutMs} ms.`, {
        mayBeOurs: meter.isLookingUp,
      });
    const failure = await checkOwnNames(timedOut || explainFailure(error), deps);
    return { ...meter.phases, ...outcomeOf(failure), status: failure.status, totalMs: null };
  } finally {
    deadline.end();
  }
}

function outcomeOf(failure: CheckFailure | undefined): Pick<Outcome, 'ok' | 'error' | 'detail'> {
  return { ok: failure === undefined, error: failure?.error ?? null, detail: failure?.message ?? null };
}

/** Returns the final response, with the certificate that ends first of all on the way. */
async function followRedirects(
  deps: Deps & { meter: PhaseMeter },
  { url, options, secrets }: HttpCheck,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  let request: HttpRequest = { ...secrets, method: options.method, url: new URL(url) };
  const cookies = createCookies(deps.clock.now());
  let certificate: ChainEnd | undefined;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await exchange(deps, withCookies(request, cookies), signal);
    certificate = earlier(certificate, answer.certificate);
    cookies.keep(request.url, answer.cookies);
    const { status, location } = answer;
    if (isExpected(status, options) || !isRedirect(status) || location === undefined) {
      return { ...answer, certificate };
    }
    if (redirects === monitorLimits.redirects) {
      throw new CheckFailure('redirect-loop', `More than ${redirects} redirects.`);
    }
    request = redirected(request, status, location);
  }
}

function earlier(one: ChainEnd | undefined, other: ChainEnd | undefined): ChainEnd | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return other.endsAt < one.endsAt ? other : one;
}

/** Load balancers and sign-ins set a cookie and redirect, to the same address too. */
function withCookies(request: HttpRequest, cookies: Cookies): HttpRequest {
  const isCookie = ([name]: readonly [string, string]): boolean => /^cookie$/i.test(name);
  const own = request.headers.filter(isCookie).map(([, value]) => value);
  const header = cookies.headerFor(request.url, own.length === 0 ? undefined : own.join('; '));
  if (header === undefined) return request;
  return { ...request, headers: [...request.headers.filter((one) => !isCookie(one)), ['Cookie', header]] };
}

function isExpected(status: number, { expectStatus }: HttpOptions): boolean {
  return (parseStatusRanges(expectStatus) ?? []).some(([from, to]) => status >= from && status <= to);
}

function judge(answer: HttpAnswer, options: HttpOptions, now: number): CheckFailure | undefined {
  const { status, text, certificate } = answer;
  const { expectBody, tlsExpiryDays } = options;
  if (!isExpected(status, options)) return new CheckFailure('status', `The answer has the status ${status}.`);
  if (expectBody !== null && !text.includes(expectBody)) {
    return new CheckFailure('body', 'The answer does not contain the expected text.');
  }
  if (tlsExpiryDays !== null && certificate !== undefined) {
    const days = Math.floor((certificate.endsAt - now) / dayMs);
    const which = certificate.ofIntermediate ? 'An intermediate certificate' : 'The certificate';
    if (days < tlsExpiryDays) return new CheckFailure('tls-expiring', `${which} ends in ${days} days.`);
  }
  return undefined;
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/**
 * Returns the request that follows a redirect, with the method that browsers use (Fetch standard, HTTP-redirect fetch). Headers
 * and body may contain credentials, so they are sent to the original origin only.
 *
 * @throws CheckFailure when the target is not an HTTP URL.
 */
function redirected(request: HttpRequest, status: number, location: string): HttpRequest {
  const { url, method } = request;
  if (!URL.canParse(location, url.href)) throw new CheckFailure('protocol', 'The redirect leads to no URL.');
  const next = new URL(location, url.href);
  if (next.protocol !== 'http:' && next.protocol !== 'https:') {
    throw new CheckFailure('protocol', `The redirect leads to ${next.protocol}, which is not HTTP.`);
  }
  // Credentials in the location would be sent as if they were ours.
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
