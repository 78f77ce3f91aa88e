import { type ChannelTopic, channelEvents, channelLimits } from '../../contract/channels.js';
import type { Clock } from '../../lib/clock.js';
import { type AlarmId, newId, type PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import {
  dropHeld,
  listToldPages,
  lockTold,
  queueMessage,
  type StoredMessage,
  type ToldChannel,
} from '../channels/index.js';
import type { Alarm, AlarmKind, AlarmSource, Ending, Trouble } from './alarm-source.js';
import { lasted } from './alarm-source.js';

type Deps = { sql: Sql; clock: Clock };
type StoredAlarm = Alarm & { alarmId: AlarmId; toldWith: number };

/**
 * Lists the pages that have a channel for a topic. Forgets the alarms of all others: nobody waits for their end, and a channel
 * that is added while the trouble lasts then reports it.
 */
export async function listWatchedPages(sql: Sql, topic: ChannelTopic): Promise<PageId[]> {
  const watched = await listToldPages(sql, topic);
  await sql`delete from alarms where topic = ${topic} and page_id <> all (${watched}::uuid[])`;
  return watched.sort();
}

/**
 * Compares the trouble of a page with the open alarms, and queues a message for each that begins or is over, in
 * one transaction with the alarms: a run that is cut off is repeated, and reports nothing twice. Without a channel for the
 * topic no alarm opens, so that a channel that is added later reports what no other one has. Returns whether the page has
 * a channel and something changed.
 */
export async function settleAlarms(
  { sql, clock }: Deps,
  source: AlarmSource,
  pageId: PageId,
  troubles: readonly Trouble[],
): Promise<boolean> {
  const told = await loadAlarms(sql, source, pageId);
  if (!differs(told, troubles)) return false;
  // Outside of the transaction: an ending may be looked up in a store that hangs.
  const endings = await explainEnds(source, pageId, overOf(told, troubles));
  return inTransaction(sql, async (tx) => {
    const channels = await lockTold(tx, pageId, source.topic);
    const alarms = await loadAlarms(tx, source, pageId);
    const now = clock.now();
    const run: Run = { source, pageId, channels, now };
    // One that ended only now is explained by the next run.
    const over = overOf(alarms, troubles).filter((one) => one.toldWith > 1 || endings.has(one.alarmId));
    await endAlarms(tx, run, over, endings);
    if (channels.length === 0) return false;
    await beginAlarms(tx, run, startedOf(alarms, troubles));
    return true;
  });
}

type Run = { source: AlarmKind; pageId: PageId; channels: readonly ToldChannel[]; now: number };

function overOf(alarms: readonly StoredAlarm[], troubles: readonly Trouble[]): StoredAlarm[] {
  const lasting = new Set(troubles.map(({ subject }) => subject));
  return alarms.filter(({ subject }) => !lasting.has(subject));
}

function startedOf(alarms: readonly StoredAlarm[], troubles: readonly Trouble[]): Trouble[] {
  const known = new Set(alarms.map(({ subject }) => subject));
  return troubles.filter(({ subject }) => !known.has(subject));
}

function differs(alarms: readonly StoredAlarm[], troubles: readonly Trouble[]): boolean {
  return overOf(alarms, troubles).length > 0 || startedOf(alarms, troubles).length > 0;
}

async function loadAlarms(
  sql: Sql | Transaction,
  { topic }: AlarmKind,
  pageId: PageId,
): Promise<StoredAlarm[]> {
  return sql<StoredAlarm[]>`
    select subject, name, since, alarm_id as "alarmId", told_with as "toldWith" from alarms
    where page_id = ${pageId} and topic = ${topic} order by since, subject`;
}

/** Only alarms that have a message of their own need this: the others share an ending. */
async function explainEnds(
  source: AlarmSource,
  pageId: PageId,
  over: readonly StoredAlarm[],
): Promise<ReadonlyMap<AlarmId, Ending>> {
  const endings = new Map<AlarmId, Ending>();
  for (const alarm of over.filter(({ toldWith }) => toldWith === 1)) {
    endings.set(alarm.alarmId, await source.explainEnd(pageId, alarm));
  }
  return endings;
}

async function beginAlarms(tx: Transaction, run: Run, started: readonly Trouble[]): Promise<void> {
  if (started.length > channelLimits.toldOneByOne) {
    await beginTogether(tx, run, started);
    return;
  }
  for (const trouble of started) await beginAlarm(tx, run, trouble);
}

async function beginAlarm(tx: Transaction, run: Run, trouble: Trouble): Promise<AlarmId> {
  const alarmId = await insertAlarms(tx, run, [trouble]);
  await queueMessage(tx, run.channels, messageOf(run, 'begin', alarmId, trouble));
  return alarmId;
}

/** A network that fails takes many with it: one message says so, and one says that it is over. */
async function beginTogether(tx: Transaction, run: Run, started: readonly Trouble[]): Promise<void> {
  const alarmId = await insertAlarms(tx, run, started);
  const names = started.slice(0, channelLimits.namesInMessage).map(({ name }) => name);
  const left = started.length - names.length;
  const text = `${names.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
  const ending = { title: run.source.many.begin(started.length), text, facts: [] };
  await queueMessage(tx, run.channels, messageOf(run, 'begin', alarmId, ending));
}

async function insertAlarms(
  tx: Transaction,
  { source, pageId, now }: Run,
  started: readonly Trouble[],
): Promise<AlarmId> {
  const alarmId = newId<AlarmId>(now);
  await tx`
    insert into alarms ${tx(
      started.map(({ subject, name, since }) => ({
        ...{ page_id: pageId, topic: source.topic, subject, alarm_id: alarmId },
        ...{ told_with: started.length, name, since },
      })),
    )}`;
  return alarmId;
}

/** Alarms that share a message are over when the last of them is. */
async function endAlarms(
  tx: Transaction,
  run: Run,
  over: readonly StoredAlarm[],
  endings: ReadonlyMap<AlarmId, Ending>,
): Promise<void> {
  if (over.length === 0) return;
  const { source, pageId, channels, now } = run;
  await tx`
    delete from alarms where page_id = ${pageId} and topic = ${source.topic}
      and subject = any (${over.map(({ subject }) => subject)}::text[])`;
  const left = await loadAlarms(tx, source, pageId);
  const lasting = new Set(left.map(({ alarmId }) => alarmId));
  for (const { alarmId, toldWith, since } of new Map(over.map((alarm) => [alarm.alarmId, alarm])).values()) {
    if (lasting.has(alarmId)) continue;
    const toldNothing = await dropHeld(tx, alarmId, now);
    const receivers = channels.filter(
      // The id has the time of the first message; a channel that is newer never got that one.
      ({ id, createdAt }) => !toldNothing.has(id) && createdAt.getTime() <= toldAt(alarmId),
    );
    const ending = endings.get(alarmId) ?? {
      title: source.many.end(toldWith),
      text: '',
      facts: [lasted(since, now)],
    };
    await queueMessage(tx, receivers, messageOf(run, 'end', alarmId, ending));
  }
}

/** Returns the milliseconds that a UUIDv7 begins with. */
function toldAt(alarmId: AlarmId): number {
  return Number.parseInt(alarmId.replaceAll('-', '').slice(0, 12), 16);
}

function messageOf(
  { source, pageId, now }: Run,
  phase: 'begin' | 'end',
  alarmId: AlarmId,
  { title, text, facts, query }: Ending & Pick<Trouble, 'query'>,
): { pageId: PageId; alarmId: AlarmId; message: StoredMessage; now: number } {
  const [begin, end] = channelEvents[source.topic];
  const message: StoredMessage = {
    ...{ event: phase === 'begin' ? begin : end, phase, severity: source.severity },
    ...{ title, text, facts, key: alarmId, at: new Date(now).toISOString(), screen: source.screen },
    ...(query !== undefined && { query }),
  };
  return { pageId, alarmId, message, now };
}
