import { webhookLimits } from '../../contract/webhooks.js';
import { parseRetryAfter } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import type { Egress, EgressAnswer } from '../../lib/outbound/egress.js';
import { type Outcome, post } from '../delivery/index.js';
import type { ClaimedDelivery } from './queue.js';
import { signBody } from './sign-a-body.js';

/** The outcome of an attempt, as its row in `webhook_attempts` holds it. `error` is a class, a colon and a sentence. */
export type DeliveryOutcome = Outcome & {
  /** Milliseconds since the epoch. */
  at: number;
  durationMs: number;
  /** `null` when the receiver did not answer. */
  status: number | null;
  /** Start of the answer's body. */
  answer: string | null;
};

type Deps = { egress: Egress; clock: Clock; secretKey: string; timeoutMs: number };

/** Signs the body of a delivery and sends it once. Rejects only when `signal` is aborted; the outcome is then unknown. */
export async function sendDelivery(
  { egress, clock, secretKey, timeoutMs }: Deps,
  delivery: ClaimedDelivery,
  body: string,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const at = clock.now();
  const began = performance.now();
  const outcome = (rest: Pick<DeliveryOutcome, 'status' | 'error' | 'answer' | 'askedAt'>) => ({
    ...{ ...rest, at, durationMs: Math.round(performance.now() - began) },
    mayRepeat: rest.status !== goneStatus,
  });
  const headers = signBody(secretKey, delivery, { body, at });
  if (headers === undefined) return outcome({ status: null, answer: null, error: sealedElsewhere });
  const answer = await post(egress, { url: delivery.url, headers, body, timeoutMs, signal });
  if (answer.status === null) return outcome({ status: null, answer: null, error: answer.error });
  const { status, retryAfter } = answer;
  const askedAt = busyStatuses.includes(status) ? parseRetryAfter(retryAfter, clock.now()) : undefined;
  return outcome({ status, error: errorOf(status), answer: startOf(answer), askedAt });
}

/** The receiver no longer exists, and wants nothing sent again. */
const goneStatus = 410;
/** A receiver that answers with one of these may say when to call again. */
const busyStatuses = [429, 503];

const sealedElsewhere =
  'secret: The signing secret was sealed with another HEARTLINE_SECRET_KEY; rotate the webhook.';

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) {
    return `redirect: The receiver answered ${status}; redirects are not followed.`;
  }
  return `status: The receiver answered ${status}.`;
}

/** PostgreSQL text cannot hold a NUL. */
function startOf({ body }: EgressAnswer): string {
  return body.bytes
    .toString('utf8')
    .replaceAll('\0', '\uFFFD')
    .slice(0, webhookLimits.answerChars)
    .toWellFormed();
}
