import { type HttpOptions, monitorLimits, type RequestSecrets } from '../../../contract/monitors.js';
import { parseStatusRanges } from '../parse-target.js';
import type { CheckDeps } from './check-deps.js';
import { startDeadline } from './deadline.js';
import { exchange, type HttpAnswer, type HttpRequest } from './exchange.js';
import { explainFailure } from './explain-failure.js';
import { createPhaseMeter, type PhaseMeter } from './measure-phases.js';
import { CheckFailure, type Outcome } from './outcome.js';
import { isRedirect, redirected } from './redirected.js';

export type HttpCheck = { url: string; options: HttpOptions; secrets: RequestSecrets; timeoutMs: number };

/**
 * Asks an HTTP server and compares its answer with what is expected. An answer with an expected status is the
 * last; else redirects are followed, each through the same filter of addresses.
 *
 * @throws ProbeError when it could not be found out; the reason of the signal when it is aborted.
 */
export async function checkHttp(deps: CheckDeps, check: HttpCheck, signal: AbortSignal): Promise<Outcome> {
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
    };
  } catch (error) {
    signal.throwIfAborted();
    const timedOut =
      deadline.signal.aborted && new CheckFailure('timeout', `No answer within ${timeoutMs} ms.`);
    const failure = timedOut || explainFailure(error);
    return { ...meter.phases, ...outcomeOf(failure), status: null, totalMs: null };
  } finally {
    deadline.end();
  }
}

function outcomeOf(failure: CheckFailure | undefined): Pick<Outcome, 'ok' | 'error' | 'detail'> {
  return { ok: failure === undefined, error: failure?.error ?? null, detail: failure?.message ?? null };
}

/** The answer that is judged; its certificate is the one of the whole way that ends first. */
async function followRedirects(
  deps: CheckDeps & { meter: PhaseMeter },
  { url, options, secrets }: HttpCheck,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  let request: HttpRequest = { ...secrets, method: options.method, url: new URL(url) };
  let certificateEndsAt: number | undefined;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await exchange(deps, request, signal);
    certificateEndsAt = earlier(certificateEndsAt, answer.certificateEndsAt);
    const { status, location } = answer;
    if (isExpected(status, options) || !isRedirect(status) || location === undefined) {
      return { ...answer, certificateEndsAt };
    }
    if (redirects === monitorLimits.redirects) {
      throw new CheckFailure('redirect-loop', `More than ${redirects} redirects.`);
    }
    request = redirected(request, status, location);
  }
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function isExpected(status: number, { expectStatus }: HttpOptions): boolean {
  return (parseStatusRanges(expectStatus) ?? []).some(([from, to]) => status >= from && status <= to);
}

function judge(answer: HttpAnswer, options: HttpOptions, now: number): CheckFailure | undefined {
  const { status, text, certificateEndsAt } = answer;
  const { expectBody, tlsExpiryDays } = options;
  if (!isExpected(status, options)) return new CheckFailure('status', `The answer has the status ${status}.`);
  if (expectBody !== null && !text.includes(expectBody)) {
    return new CheckFailure('body', 'The answer does not contain the expected text.');
  }
  if (tlsExpiryDays !== null && certificateEndsAt !== undefined) {
    const days = Math.floor((certificateEndsAt - now) / 86_400_000);
    if (days < tlsExpiryDays)
      return new CheckFailure('tls-expiring', `The certificate ends in ${days} days.`);
  }
  return undefined;
}
