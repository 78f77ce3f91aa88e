import { secretContext, webhookLimits } from '../../contract/webhooks.js';
import type { Clock } from '../../lib/clock.js';
import type { Egress, EgressAnswer } from '../../lib/outbound/egress.js';
import { EgressError } from '../../lib/outbound/egress-error.js';
import { openSecret } from '../../lib/secret-box.js';
import type { ClaimedDelivery } from './claim-webhooks.js';
import { signedHeaders } from './sign-webhook.js';

/** What came of an attempt; `error` is null when the receiver took the delivery. */
export type AttemptOutcome = {
  /** Milliseconds since the epoch. */
  at: number;
  durationMs: number;
  status: number | null;
  /** A class, a colon and a sentence. */
  error: string | null;
  /** Start of the answer's body. */
  answer: string | null;
  /** The receiver says that it is there no more, and that nothing is to be sent again. */
  gone: boolean;
};

type Deps = { egress: Egress; clock: Clock; secretKey: string; timeoutMs: number };

/** Signs a delivery and sends it once. Rejects only when `signal` is aborted; it is then unknown what came of it. */
export async function attemptDelivery(
  { egress, clock, secretKey, timeoutMs }: Deps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const at = clock.now();
  const began = performance.now();
  const outcome = (rest: Pick<AttemptOutcome, 'status' | 'error' | 'answer'>): AttemptOutcome => ({
    ...rest,
    at,
    durationMs: Math.round(performance.now() - began),
    gone: rest.status === 410,
  });
  const secrets = openSecrets(delivery, secretKey, at);
  if (secrets === undefined) return outcome({ status: null, answer: null, error: sealedElsewhere });
  const { id, body, url } = delivery;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Heartline',
    ...signedHeaders(secrets, { id, at, body }),
  };
  try {
    const answer = await egress.send({ method: 'POST', url, headers, body, timeoutMs, signal });
    return outcome({ status: answer.status, error: errorOf(answer.status), answer: startOf(answer) });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return outcome({ status: null, answer: null, error: `${error.kind}: ${error.message}` });
  }
}

const sealedElsewhere =
  'secret: The signing secret was sealed with another HEARTLINE_SECRET_KEY; rotate the webhook.';

/** The secret, and the one before it while it still counts; undefined when this instance cannot read them. */
function openSecrets(delivery: ClaimedDelivery, secretKey: string, at: number): string[] | undefined {
  const { secret, previous_secret: previous, previous_secret_until: until } = delivery;
  const sealed = previous !== null && until !== null && at < until.getTime() ? [secret, previous] : [secret];
  try {
    return sealed.map((one) => openSecret(secretKey, secretContext(delivery.webhook_id), one));
  } catch {
    return undefined;
  }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) {
    return `redirect: The receiver answered ${status}; redirects are not followed.`;
  }
  return `status: The receiver answered ${status}.`;
}

/** PostgreSQL's text holds no NUL. */
function startOf({ body }: EgressAnswer): string {
  return body.bytes
    .toString('utf8')
    .replaceAll('\0', '\uFFFD')
    .slice(0, webhookLimits.answerChars)
    .toWellFormed();
}
