import type { ChannelKind, ChannelSettings } from '../../contract/channels.js';
import type { Clock } from '../../lib/clock.js';
import type { Egress } from '../../lib/outbound/egress.js';
import { signatureOf, timestampOf } from '../../lib/outbound/standard-webhooks.js';
import { post } from '../delivery/index.js';
import { composeRequest } from './formats/compose-request.js';
import type { ChannelMessage, ProviderOrigins, ProviderRequest } from './formats/message.js';
import { judgeAnswer, type MessageOutcome } from './judge-answer.js';
import { secretsOf } from './provider-reason.js';

export type CarryDeps = {
  egress: Egress;
  clock: Clock;
  origins: ProviderOrigins;
  /** Limit of the whole attempt. */
  timeoutMs: number;
};

/** A message with the address that it goes to. */
type Letter = { id: string; kind: ChannelKind; settings: ChannelSettings; message: ChannelMessage };

/**
 * Sends a message to a provider once, in the provider's form; a webhook gets it signed. Rejects only when `signal` is
 * aborted; the outcome is then unknown.
 */
export async function carryMessage(
  deps: CarryDeps,
  letter: Letter,
  signal: AbortSignal,
): Promise<MessageOutcome> {
  const { clock, egress, timeoutMs } = deps;
  const { url, headers, body } = prepare(deps, letter);
  const answer = await post(egress, { url, headers, body, timeoutMs, signal });
  const { kind, settings } = letter;
  return answer.status === null
    ? { status: null, error: answer.error, mayRepeat: answer.kind !== 'url' }
    : judgeAnswer({ kind, secrets: secretsOf(settings) }, answer, clock.now());
}

function prepare({ origins, clock }: CarryDeps, { id, kind, settings, message }: Letter): ProviderRequest {
  const request = composeRequest(kind, message, settings, origins);
  if (kind !== 'webhook') return request;
  const at = clock.now();
  const signed = settings.secret && signatureOf([settings.secret], { id, at, body: request.body });
  const headers = { ...request.headers, 'webhook-id': id, 'webhook-timestamp': timestampOf(at), ...signed };
  return { ...request, headers };
}
