import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { ChannelKind } from '../../contract/channels.js';
import { parseRetryAfter } from '../../lib/back-off.js';
import type { EgressAnswer } from '../../lib/outbound/egress.js';
import { secondMs } from '../../lib/times.js';
import type { Outcome } from '../delivery/index.js';
import { providerReason } from './provider-reason.js';

/** The outcome of an attempt. `error` is a class, a colon and a sentence without a secret. */
export type MessageOutcome = Outcome & {
  /** HTTP status; null without an answer. */
  status: number | null;
  /** The provider's own words beside its status, which the error quotes. */
  said?: string | undefined;
  /** The chat that takes the message in place of the one it was sent to. */
  movedTo?: string | undefined;
};

/** The fields of an answer of Telegram that matter. */
const telegramAnswer = Compile(
  Type.Object({
    ok: Type.Boolean(),
    parameters: Type.Optional(
      Type.Object({
        retry_after: Type.Optional(Type.Number()),
        migrate_to_chat_id: Type.Optional(
          Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
        ),
      }),
    ),
  }),
);
const pushoverAnswer = Compile(Type.Object({ status: Type.Number() }));

/** A provider that answers with one of these may take the same message later. */
const passing = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/**
 * Returns whether a provider took a message. A message that it refuses for good would hold up the others, so it is not tried
 * again: a webhook that was deleted, a token that was revoked, a chat that the bot has left. A group of Telegram that has
 * become a supergroup has another id, https://core.telegram.org/bots/api#responseparameters.
 *
 * @param of.kind `undefined` for a server whose status says it all
 * @param of.secrets what no error may quote; see secretsOf()
 * @param now milliseconds since the epoch
 */
export function judgeAnswer(
  { kind, secrets }: { kind: ChannelKind | undefined; secrets: readonly string[] },
  { status, retryAfter, body }: Pick<EgressAnswer, 'status' | 'retryAfter' | 'body'>,
  now: number,
): MessageOutcome {
  const text = body.bytes.toString('utf8');
  const answer = parseJson(text);
  if (status >= 300 && status < 400) {
    const error = `redirect: The provider answered ${status}; redirects are not followed.`;
    return { status, error, mayRepeat: false };
  }
  const quoted = providerReason(text, answer, secrets);
  const why = quoted === undefined ? '.' : `: “${quoted}”`;
  if (status < 200 || status >= 400) {
    const error = `${passing(status) ? 'status' : 'refused'}: The provider answered ${status}${why}`;
    const askedAt = askedTime(answer, retryAfter, now);
    const movedTo = kind === 'telegram' ? movedChat(answer) : undefined;
    const hasMoved = movedTo !== undefined;
    return { status, error, said: quoted, mayRepeat: passing(status), askedAt, movedTo, hasMoved };
  }
  return tookIt(kind, answer)
    ? { status, error: null, mayRepeat: false }
    : {
        status,
        error: `refused: The provider answered ${status}, and that it failed${why}`,
        mayRepeat: false,
      };
}

function movedChat(said: unknown): string | undefined {
  return telegramAnswer.Check(said) ? said.parameters?.migrate_to_chat_id?.toString() : undefined;
}

/** Telegram and Pushover say in the body whether they took a message. */
function tookIt(kind: ChannelKind | undefined, said: unknown): boolean {
  if (kind === 'telegram') return telegramAnswer.Check(said) && said.ok;
  if (kind === 'pushover') return pushoverAnswer.Check(said) && said.status === 1;
  return true;
}

/** Telegram says when to call again in the body, the others in the header. */
function askedTime(said: unknown, retryAfter: string | undefined, now: number): number | undefined {
  const seconds = telegramAnswer.Check(said) ? said.parameters?.retry_after : undefined;
  return seconds === undefined ? parseRetryAfter(retryAfter, now) : now + seconds * secondMs;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
