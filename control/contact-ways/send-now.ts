import type { ContactWayKind, PersonEvent } from '../../contract/manage/contact-ways.js';
import type { Clock } from '../../lib/clock.js';
import { secondMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { textsOf } from '../../web/texts/texts-of.js';
import type { MessageOutcome } from '../channels/index.js';
import { openWay, type WayRef } from './find-ways.js';
import type { WaySender } from './sender.js';

/** Somebody waits for the outcome, and a request is answered within 8.5 s. */
const timeoutMs = 6 * secondMs;

type Note = { id: string; event: PersonEvent; title: string; text: string; language: string | null };

type Deps = {
  sql: Sql;
  clock: Clock;
  secretKey: string;
  sender: Pick<WaySender, 'send'>;
  /** Address of the service. */
  baseUrl(): string;
};

/**
 * Sends a message that is about no alert to a way at once, and returns the outcome. It does not pass through the queue:
 * a code must not be stored, and somebody waits.
 *
 * @throws ServiceError `notFound`
 */
export async function sendNow(
  { sql, clock, secretKey, sender, baseUrl }: Deps,
  ref: WayRef,
  noteOf: (kind: ContactWayKind) => Note,
): Promise<MessageOutcome> {
  const { way, settings } = await openWay(sql, ref, secretKey);
  if (settings === undefined) return { status: null, error: sealedElsewhere, mayRepeat: false };
  const { id, language, ...note } = noteOf(way.kind);
  const text = textsOf('account-mail', language ?? 'en').way.home;
  const message = {
    ...{ ...note, phase: 'note' as const, severity: 'info' as const, page: 'Heartline', facts: [], key: id },
    links: [{ text, url: new URL('/manage', baseUrl()).href }] as const,
    at: new Date(clock.now()).toISOString(),
  };
  const letter = { id, kind: way.kind, settings, language: language ?? 'en', message };
  return sender.send(letter, { timeoutMs, signal: new AbortController().signal });
}

/** The reason of a message whose way cannot be opened. */
export const sealedElsewhere =
  'secret: The settings were sealed with another HEARTLINE_SECRET_KEY; enter them once more.';
