import { contactWayLimits, type PersonPhase } from '../../contract/manage/contact-ways.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import { type ContactWayId, newId, type PageId, type PersonMessageId, type UserId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { quietUntil } from '../channels/index.js';
import { park } from '../delivery/index.js';
import { listConfirmedWays, type Way } from './find-ways.js';
import { messageTable, type StoredPersonMessage } from './queue.js';

/** A message about an alert for one person. */
export type PersonMessageInput = {
  pageId: PageId;
  userId: UserId;
  severity: AlertSeverity;
  phase: PersonPhase;
  /** Which of several with one phase it is, such as the number of a reminder; 0 when absent. */
  step?: number | undefined;
  /** One for the messages about an alert, at most 100 characters. */
  alertKey: string;
  /** Plain text; the link is added when it is sent. */
  message: Pick<StoredPersonMessage, 'title' | 'text' | 'facts'>;
  /** Milliseconds since the epoch. */
  now: number;
};

export type ToldPerson = {
  /**
   * The ways that have the message, sent or waiting; the id of the person stands for the email of the account. None when
   * nobody is told: the person may not hear of the page, or has no way for this severity.
   */
  told: (ContactWayId | UserId)[];
  /** When the first of them is sent, if quiet hours hold every one; null when one leaves at once. */
  heldUntil: Date | null;
};

/** A way that a message may go; the default one has the id of its person. */
type Target = { id: ContactWayId | UserId } & Pick<Way, 'kind' | 'name' | 'quietHours'>;

/**
 * Queues a message about an alert for the ways of a person, in the transaction of the change that it is about. Each way
 * gets a phase and step of an alert once, however often this is repeated.
 *
 * A start and a reminder go to every confirmed way that takes the severity, and to the email of the account when the
 * person has no confirmed way. In the quiet hours of a way they wait for the end of these, unless they wake somebody
 * (`page`). An end goes to the ways that were sent the start; starts that quiet hours still hold are given up instead.
 * A way that has too many waiting messages gives the oldest up.
 */
export async function queueToPerson(tx: Transaction, input: PersonMessageInput): Promise<ToldPerson> {
  const { pageId, userId, phase, step = 0, alertKey, now } = input;
  const email = await findHearer(tx, { pageId, userId });
  if (email === undefined) return { told: [], heldUntil: null };
  const targets =
    phase === 'end' ? await listToldWays(tx, input) : await listWaysFor(tx, userId, input.severity);
  if (targets.length > 0) await insertMessages(tx, targets, input);
  const rows = await tx<{ id: ContactWayId | UserId; heldUntil: Date | null }[]>`
    select way_id as id, case when state = 'pending' and held_until > ${new Date(now)} then held_until end as "heldUntil"
    from person_messages
    where page_id = ${pageId} and user_id = ${userId} and alert_key = ${alertKey} and phase = ${phase}
      and step = ${step}
    order by seq`;
  const held = rows.flatMap(({ heldUntil }) => heldUntil ?? []);
  const [first] = held.sort((a, b) => a.getTime() - b.getTime());
  return {
    told: rows.map(({ id }) => id),
    heldUntil: first !== undefined && held.length === rows.length ? first : null,
  };
}

/** Returns the email of a person who may hear of a page. */
async function findHearer(
  tx: Transaction,
  { pageId, userId }: { pageId: PageId; userId: UserId },
): Promise<string | undefined> {
  const [person] = await tx<{ email: string }[]>`
    select u.email from users u join page_roles r on r.user_id = u.id
    where u.id = ${userId} and r.page_id = ${pageId} and u.disabled_at is null`;
  return person?.email;
}

async function listWaysFor(tx: Transaction, userId: UserId, severity: AlertSeverity): Promise<Target[]> {
  const ways = await listConfirmedWays(tx, userId);
  if (ways.length === 0) return [defaultWay(userId)];
  return ways.filter(({ severities }) => severities.includes(severity));
}

const defaultWay = (id: UserId): Target => ({ id, kind: 'email', name: 'Email', quietHours: null });

/** Gives up what quiet hours hold of an alert that is over, and returns the ways that were sent more. */
async function listToldWays(
  tx: Transaction,
  { pageId, userId, alertKey, now }: PersonMessageInput,
): Promise<Target[]> {
  const held = tx`
    q.page_id = ${pageId} and q.user_id = ${userId} and q.alert_key = ${alertKey} and q.attempts = 0
    and q.phase <> 'end' and q.held_until > ${new Date(now)}`;
  const reason = 'over: The alert was over before the quiet hours ended.';
  await park(tx, messageTable, { which: held, reason, now });
  const rows = await tx<{ id: ContactWayId | UserId }[]>`
    select distinct way_id as id from person_messages
    where page_id = ${pageId} and user_id = ${userId} and alert_key = ${alertKey} and phase <> 'end'
      and state <> 'parked'`;
  const ids = new Set<string>(rows.map(({ id }) => id));
  const ways = await listConfirmedWays(tx, userId);
  return [defaultWay(userId), ...ways].filter(({ id }) => ids.has(id));
}

async function insertMessages(
  tx: Transaction,
  targets: readonly Target[],
  { pageId, userId, severity, phase, step = 0, alertKey, message, now }: PersonMessageInput,
): Promise<void> {
  const at = new Date(now);
  const { title, text, facts } = message;
  const stored: StoredPersonMessage = { title, text, facts, at: at.toISOString() };
  const rows = targets.map(({ id: wayId, kind, name, quietHours }) => {
    const quietEnd =
      quietHours === null || severity === 'page' ? undefined : quietUntil(quietHours, { ...quietHours, now });
    const heldUntil = quietEnd === undefined ? null : new Date(quietEnd);
    return {
      ...{ id: newId<PersonMessageId>(now), page_id: pageId, user_id: userId, way_id: wayId, kind, name },
      ...{ alert_key: alertKey, phase, step, severity, message: tx.json(stored), created_at: at },
      ...{ next_attempt_at: heldUntil ?? at, held_until: heldUntil },
    };
  });
  await tx`
    insert into person_messages ${tx(rows)} on conflict on constraint person_messages_once do nothing`;
  const ids = targets.map(({ id }) => id);
  await deferBehind(tx, ids);
  const { waitingPerWay } = contactWayLimits;
  await park(tx, messageTable, {
    which: tx`q.id in (
      select id from (
        select id, row_number() over (partition by way_id order by seq desc) as place
        from person_messages where way_id = any (${ids}::uuid[]) and state = 'pending'
      ) waiting where place > ${waitingPerWay})`,
    reason: `full: More than ${waitingPerWay} messages waited for this way.`,
    now,
  });
}

/** Makes messages due no earlier than those in front of them: a way that is down costs no more than its first message. */
async function deferBehind(tx: Transaction, wayIds: readonly string[]): Promise<void> {
  await tx`
    update person_messages m set next_attempt_at = ahead.at
    from (
      select way_id, max(next_attempt_at) as at from person_messages
      where way_id = any (${[...wayIds]}::uuid[]) and state = 'pending' and held_until is null
      group by way_id) ahead
    where m.way_id = ahead.way_id and m.state = 'pending' and m.attempts = 0 and m.held_until is null
      and m.next_attempt_at < ahead.at`;
}
