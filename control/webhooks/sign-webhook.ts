import { Webhook } from 'standardwebhooks';

/**
 * The headers of a delivery by the Standard Webhooks specification: its id, the time of the attempt, and the
 * HMAC-SHA256 of both and the body by each secret, so that a receiver with any one of them accepts it.
 *
 * @param secrets `whsec_…`, as the owner of the webhook was shown them
 * @param at milliseconds since the epoch
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, at, body }: { id: string; at: number; body: string },
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, new Date(at), body)).join(' '),
  };
}
