import { webhookLimits } from '../../contract/webhooks.js';
import type { Clock } from '../../lib/clock.js';
import type { Egress, EgressAnswer } from '../../lib/outbound/egress.js';
import { EgressError } from '../../lib/outbound/egress-error.js';
import { parseRetryAfter } from '../../lib/outbound/retry-after.js';
import { signatureOf, timestampOf } from '../../lib/outbound/standard-webhooks.js';
import type { AttemptOutcome, ClaimedDelivery } from './delivery.js';
import { openWebhookSecret } from './webhook.js';

type Deps = { egress: Egress; clock: Clock; secretKey: string; timeoutMs: number };

/** Signs the body of a delivery and sends it once. Rejects only when `signal` is aborted; the outcome is then unknown. */
export async function attemptDelivery(
  { egress, clock, secretKey, timeoutMs }: Deps,
  delivery: ClaimedDelivery,
  body: string,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const at = clock.now();
  const began = performance.now();
  const outcome = (
    rest: Pick<AttemptOutcome, 'status' | 'error' | 'answer'>,
    askedAt?: number,
  ): AttemptOutcome => ({
    ...rest,
    askedAt,
    at,
    durationMs: Math.round(performance.now() - began),
    gone: rest.status === 410,
  });
  const secrets = openSecrets(delivery, secretKey, at);
  if (secrets === undefined) return outcome({ status: null, answer: null, error: sealedElsewhere });
  const { id, url } = delivery;
  const headers = { ...openHeaders({ id, at }), ...signatureOf(secrets, { id, at, body }) };
  try {
    const answer = await egress.send({ method: 'POST', url, headers, body, timeoutMs, signal });
    const { status, retryAfter } = answer;
    const askedAt = busyStatuses.includes(status) ? parseRetryAfter(retryAfter, clock.now()) : undefined;
    return outcome({ status, error: errorOf(status), answer: startOf(answer) }, askedAt);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return outcome({ status: null, answer: null, error: `${error.kind}: ${error.message}` });
  }
}

/** A receiver that answers with one of these may say when to call again. */
const busyStatuses = [429, 503];

const sealedElsewhere =
  'secret: The signing secret was sealed with another HEARTLINE_SECRET_KEY; rotate the webhook.';

/**
 * Opens the secret, and the previous one while it is still valid. Returns `undefined` when no key of this instance opens
 * the secret. A previous one that none opens signs nothing, so that a rotation helps at once after a key was lost.
 */
function openSecrets(delivery: ClaimedDelivery, secretKey: string, at: number): string[] | undefined {
  const { secret, previous_secret: previous, previous_secret_until: until } = delivery;
  const open = (sealed: Buffer): string | undefined =>
    openWebhookSecret(secretKey, delivery.webhook_id, sealed);
  const current = open(secret);
  if (current === undefined) return undefined;
  const isValid = previous !== null && until !== null && at < until.getTime();
  const before = isValid ? open(previous) : undefined;
  return before === undefined ? [current] : [current, before];
}

/**
 * The headers of a delivery that anybody may see. `at` is when the attempt is made, in milliseconds since the epoch;
 * without it there is no time.
 */
export function openHeaders({ id, at }: { id: string; at: number | undefined }): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Heartline',
    'webhook-id': id,
    ...(at !== undefined && { 'webhook-timestamp': timestampOf(at) }),
  };
}

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
