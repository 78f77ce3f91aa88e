import type { AlertSeverity } from '../../contract/manage/shared.js';
import type { Clock } from '../../lib/clock.js';
import type { AlarmId, ChannelId, PageId, UserId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { minuteMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { dropHeld, lockChannels, queueMessage, type StoredMessage } from '../channels/index.js';
import { queueToPerson } from '../contact-ways/index.js';
import { findPolicy, type Policy, type Target } from '../policies/index.js';
import { loadOnCall } from '../schedules/index.js';
import { type AlertInMessage, beginMessage, topicOf } from './alert-messages.js';
import { noteTold } from './notices.js';

type Deps = { sql: Sql; clock: Clock; log: Log };

/** Alerts that were told together, and where their policy is. */
type Escalation = { batchId: AlarmId; pageId: PageId; policy: string; step: number; round: number };

/** Starts the first step of a policy, which escalate() carries out. */
export async function beginEscalation(
  tx: Transaction,
  { pageId, batchId, policy, now }: { pageId: PageId; batchId: AlarmId; policy: string; now: number },
): Promise<void> {
  await tx`
    insert into escalations (batch_id, page_id, policy, step, round, next_at)
    values (${batchId}, ${pageId}, ${policy}, 0, 0, ${new Date(now)})`;
}

/**
 * Carries out the steps of policies that are due: an alert that nobody has acknowledged is told to the next. A step that
 * reaches nobody is noted, and the next begins at once.
 *
 * @throws Error when some failed, after all others are done.
 */
export async function escalate({ sql, clock, log }: Deps): Promise<void> {
  const due = await sql<{ batchId: AlarmId }[]>`
    select batch_id as "batchId" from escalations where next_at <= ${new Date(clock.now())} order by next_at`;
  let failures = 0;
  for (const { batchId } of due) {
    try {
      await inTransaction(sql, (tx) => escalateOne(tx, batchId, clock.now()));
    } catch (err) {
      failures += 1;
      log.error({ batchId, err }, 'An alert could not be escalated.');
    }
  }
  if (failures > 0) throw new Error(`${failures} alerts could not be escalated.`);
}

type OpenAlert = AlertInMessage & { isQuiet: boolean };

async function escalateOne(tx: Transaction, batchId: AlarmId, now: number): Promise<void> {
  const [one] = await tx<Escalation[]>`
    select batch_id as "batchId", page_id as "pageId", policy, step, round from escalations
    where batch_id = ${batchId} and next_at <= ${new Date(now)} for update`;
  if (one === undefined) return;
  const alerts = await loadOpenAlerts(tx, one);
  const policy = await findPolicy(tx, { pageId: one.pageId, slug: one.policy });
  if (alerts.length === 0 || policy === undefined) {
    if (policy === undefined) await noteTold(tx, one, { now, reason: `There is no policy ${one.policy}.` });
    await tx`delete from escalations where batch_id = ${batchId}`;
    return;
  }
  const loud = alerts.filter(({ isQuiet }) => !isQuiet);
  const [first, ...others] = loud;
  if (first === undefined) {
    // An acknowledgement ends when the alert gets worse, and a silence ends too.
    await tx`update escalations set next_at = ${new Date(now + minuteMs)} where batch_id = ${batchId}`;
    return;
  }
  await climb(tx, { one, policy, alerts: [first, ...others], now });
}

async function loadOpenAlerts(tx: Transaction, { batchId, pageId }: Escalation): Promise<OpenAlert[]> {
  return tx<OpenAlert[]>`
    select id, kind, rule_name as "ruleName", group_name as "groupName", severity, title, threshold, ending, evidence, started_at as "startedAt",
      resolved_at as "resolvedAt", ended_by as "endedBy",
      acknowledged_at is not null or silence_id is not null as "isQuiet"
    from alerts where page_id = ${pageId} and told_batch = ${batchId} and resolved_at is null
    order by array_position(array['page', 'ticket', 'info'], severity), started_at`;
}

type Climb = {
  one: Escalation;
  policy: Policy;
  alerts: readonly [AlertInMessage, ...AlertInMessage[]];
  now: number;
};

/** Tells the people of a step, and of the next ones until somebody is reached. */
async function climb(tx: Transaction, { one, policy, alerts, now }: Climb): Promise<void> {
  let { step, round } = one;
  for (;;) {
    const current = policy.steps[step];
    if (current === undefined || round > policy.repeat) {
      await tx`delete from escalations where batch_id = ${one.batchId}`;
      return;
    }
    const isReached = await tellStep(tx, { ...one, step, round }, { targets: current.notify, alerts, now });
    step += 1;
    if (step === policy.steps.length) [step, round] = [0, round + 1];
    if (!isReached) continue;
    const nextAt = new Date(now + current.waitMinutes * minuteMs);
    await tx`
      update escalations set step = ${step}, round = ${round}, next_at = ${nextAt} where batch_id = ${one.batchId}`;
    return;
  }
}

type Step = { targets: readonly Target[]; alerts: Climb['alerts']; now: number };

async function tellStep(tx: Transaction, one: Escalation, { targets, alerts, now }: Step): Promise<boolean> {
  const message = beginMessage(topicOf(alerts[0]), alerts, one.batchId, now);
  const telling = { message, severity: alerts[0].severity, now };
  if (targets.length === 0) await noteTold(tx, one, { now, reason: 'The step has nobody.' });
  let isReached = false;
  for (const target of targets) {
    const reached = await tellTarget(tx, one, target, telling);
    isReached ||= reached;
  }
  return isReached;
}

type Message = { message: StoredMessage; severity: AlertSeverity; now: number };

async function tellTarget(
  tx: Transaction,
  one: Escalation,
  target: Target,
  telling: Message,
): Promise<boolean> {
  const { now } = telling;
  switch (target.type) {
    case 'person':
      return tellPerson(tx, one, { userId: target.userId, name: target.email }, telling);
    case 'channel':
      return tellChannel(tx, one, target, telling);
    case 'schedule': {
      const people = await loadOnCall(tx, { pageId: one.pageId, slug: target.slug }, now);
      const who = { type: 'schedule', id: target.scheduleId, name: target.slug } as const;
      if (people.length === 0) await noteTold(tx, one, { now, who, reason: 'Nobody is on call.' });
      let isReached = false;
      for (const { userId } of people) {
        const reached = await tellPerson(tx, one, { userId, name: target.slug }, telling);
        isReached ||= reached;
      }
      return isReached;
    }
  }
}

async function tellPerson(
  tx: Transaction,
  one: Escalation,
  { userId, name }: { userId: UserId; name: string },
  { message, severity, now }: Message,
): Promise<boolean> {
  const { pageId, batchId } = one;
  const before = await tx`
    select 1 from alert_notices
    where batch_id = ${batchId} and recipient_id = ${userId} and reason is null limit 1`;
  const isFirst = before.length === 0;
  const { told } = await queueToPerson(tx, {
    ...{ pageId, userId, severity, alertKey: batchId, message, now },
    ...(isFirst ? { phase: 'start' } : { phase: 'reminder', step: one.round * stepsMax + one.step }),
  });
  const who = { type: 'person', id: userId, name } as const;
  await noteTold(tx, one, { now, who, reason: told.length === 0 ? 'No way of the person takes it.' : null });
  return told.length > 0;
}

/** Steps of a policy, at most. */
const stepsMax = 10;

async function tellChannel(
  tx: Transaction,
  one: Escalation,
  { channelId, name }: { channelId: ChannelId; name: string },
  { message, now }: Message,
): Promise<boolean> {
  const channels = await lockChannels(tx, one.pageId, [channelId]);
  await queueMessage(tx, channels, { pageId: one.pageId, alarmId: one.batchId, message, now });
  const who = { type: 'channel', id: channelId, name } as const;
  await noteTold(tx, one, { now, who, reason: channels.length === 0 ? 'The channel is turned off.' : null });
  return channels.length > 0;
}

type Over = {
  pageId: PageId;
  batchId: AlarmId;
  message: StoredMessage;
  severity: AlertSeverity;
  now: number;
};

/** Tells that alerts are over whoever was told that they began, and nobody else. */
export async function endEscalation(
  tx: Transaction,
  { pageId, batchId, message, severity, now }: Over,
): Promise<void> {
  await tx`delete from escalations where batch_id = ${batchId}`;
  const told = await tx<{ type: 'person' | 'channel'; id: string }[]>`
    select distinct recipient_type as type, recipient_id as id from alert_notices
    where page_id = ${pageId} and batch_id = ${batchId} and reason is null
      and recipient_type in ('person', 'channel')`;
  const idsOf = (type: string) => told.flatMap((one) => (one.type === type ? [one.id] : []));
  const toldNothing = await dropHeld(tx, batchId, now);
  const channels = await lockChannels(tx, pageId, idsOf('channel') as ChannelId[]);
  const receivers = channels.filter(({ id }) => !toldNothing.has(id));
  await queueMessage(tx, receivers, { pageId, alarmId: batchId, message, now });
  for (const userId of idsOf('person') as UserId[]) {
    await queueToPerson(tx, { pageId, userId, severity, phase: 'end', alertKey: batchId, message, now });
  }
}
