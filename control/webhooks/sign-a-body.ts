import type { WebhookId } from '../../lib/ids.js';
import { signatureOf, timestampOf } from '../../lib/outbound/standard-webhooks.js';
import { openColumn } from '../../sql/sealed-columns.js';
import type { ClaimedDelivery } from './queue.js';

/**
 * Returns the headers of a delivery with its signature, as the Standard Webhooks specification defines it; `undefined`
 * when no key of this instance opens the secret of the webhook. The signature of the previous secret is there as well
 * while it is valid.
 *
 * @param attempt.at when the attempt is made, in milliseconds since the epoch
 */
export function signBody(
  secretKey: string,
  delivery: ClaimedDelivery,
  { body, at }: { body: string; at: number },
): Record<string, string> | undefined {
  const secrets = openSecrets(secretKey, delivery, at);
  if (secrets === undefined) return undefined;
  const { id } = delivery;
  return { ...unsignedHeaders({ id, at }), ...signatureOf(secrets, { id, at, body }) };
}

/** A previous secret that no key opens signs nothing, so that a rotation helps at once after a key was lost. */
function openSecrets(
  secretKey: string,
  { webhookId, secret, previousSecret, previousSecretUntil: until }: ClaimedDelivery,
  at: number,
): string[] | undefined {
  const open = (sealed: Buffer): string | undefined => openWebhookSecret(secretKey, webhookId, sealed);
  const current = open(secret);
  if (current === undefined) return undefined;
  const isValid = previousSecret !== null && until !== null && at < until.getTime();
  const before = isValid ? open(previousSecret) : undefined;
  return before === undefined ? [current] : [current, before];
}

/** Returns a signing secret in the clear; `undefined` when no key of the list has sealed it. */
export function openWebhookSecret(secretKey: string, id: WebhookId, sealed: Uint8Array): string | undefined {
  try {
    return openColumn(secretKey, 'webhook', id, sealed);
  } catch {
    return undefined;
  }
}

/** The headers of a delivery that anybody may see. Without an attempt at `at`, there is no time. */
export function unsignedHeaders({ id, at }: { id: string; at: number | undefined }): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Heartline',
    'webhook-id': id,
    ...(at !== undefined && { 'webhook-timestamp': timestampOf(at) }),
  };
}
