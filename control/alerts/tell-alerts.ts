import { type ChannelTopic, channelEvents, channelLimits } from '../../contract/channels.js';
import type { RuleKind } from '../../contract/manage/rules.js';
import { type AlertSeverity, alertSeverities } from '../../contract/manage/shared.js';
import type { Clock } from '../../lib/clock.js';
import { groupBy } from '../../lib/group-by.js';
import type { AlarmId, AlertId, IncidentId, PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { minuteMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import {
  dropHeld,
  lockTold,
  queueMessage,
  type Severity,
  type StoredMessage,
  type ToldChannel,
} from '../channels/index.js';
import { factsOf, queryOf, spanOf } from './alert-facts.js';
import { openIncidentOf, resolveIncidentOf } from './alert-incidents.js';
import type { Evidence } from './evidence.js';

type Deps = { sql: Sql; clock: Clock; log: Log };

/** An alert that nobody has been told of, or not of its end. */
type AlertToTell = {
  id: AlertId;
  kind: RuleKind;
  ruleName: string;
  groupName: string;
  severity: AlertSeverity;
  title: string;
  evidence: Evidence;
  startedAt: Date;
  resolvedAt: Date | null;
  endedBy: 'rule' | 'person' | 'change' | null;
  toldAt: Date | null;
  toldBatch: AlarmId | null;
  toldWith: number | null;
  incidentId: IncidentId | null;
  /** null when its rule opens none, or is gone. */
  opensIncident: { template: string | null } | null;
};

/** After a message about a page, further alerts wait and travel together: a storm makes one message a minute. */
const pauseMs = minuteMs;

/**
 * Tells the channels of pages of the alerts that began and ended. An alert that is held back is told when it no longer is.
 * One that ended before anybody was told of it is told with its end.
 *
 * @throws Error when some pages failed, after all others are done.
 */
export async function tellAlerts(deps: Deps): Promise<void> {
  const pages = await deps.sql<{ pageId: PageId }[]>`
    select distinct page_id as "pageId" from alerts
    where told_at is null and held_by is null and silence_id is null
      or told_at is not null and resolved_at is not null and end_told_at is null`;
  let failures = 0;
  for (const { pageId } of pages) {
    try {
      await inTransaction(deps.sql, (tx) => tellPage(tx, pageId, deps.clock.now()));
    } catch (err) {
      failures += 1;
      deps.log.error({ pageId, err }, 'The alerts of a page could not be told.');
    }
  }
  if (failures > 0) throw new Error(`The alerts of ${failures} pages could not be told.`);
}

type Run = { pageId: PageId; now: number };

async function tellPage(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  // One teller a page: the other one then finds nothing left.
  await tx`select 1 from pages where id = ${pageId} for no key update`;
  if (await toldJustNow(tx, pageId, now)) return;
  const alerts = await lockAlerts(tx, pageId);
  const run = { pageId, now };
  for (const [topic, ofTopic] of byTopic(alerts)) {
    const channels = await lockTold(tx, pageId, topic);
    const started = ofTopic.filter(({ toldAt }) => toldAt === null).sort(worstFirst);
    const begun = await begin(tx, run, { topic, channels, alerts: started });
    await end(tx, run, {
      topic,
      channels,
      alerts: [...ofTopic.filter(({ toldAt }) => toldAt !== null), ...begun],
    });
  }
}

async function toldJustNow(tx: Transaction, pageId: PageId, now: number): Promise<boolean> {
  const rows = await tx`
    select 1 from alerts where page_id = ${pageId} and started_at > ${new Date(now - 24 * 60 * minuteMs)}
      and greatest(told_at, end_told_at) > ${new Date(now - pauseMs)} limit 1`;
  return rows.length > 0;
}

async function lockAlerts(tx: Transaction, pageId: PageId): Promise<AlertToTell[]> {
  return tx<AlertToTell[]>`
    select a.id, a.kind, a.rule_name as "ruleName", a.group_name as "groupName", a.severity, a.title, a.evidence,
      a.started_at as "startedAt", a.resolved_at as "resolvedAt", a.ended_by as "endedBy", a.told_at as "toldAt",
      a.told_batch as "toldBatch", a.told_with as "toldWith", a.incident_id as "incidentId",
      r.opens_incident as "opensIncident"
    from alerts a left join rules r on r.id = a.rule_id
    where a.page_id = ${pageId} and (a.told_at is null and a.held_by is null and a.silence_id is null
      or a.told_at is not null and a.resolved_at is not null and a.end_told_at is null)
    order by a.started_at, a.id for update of a`;
}

/** The topic under which channels choose to be told of a kind. */
const topics = {
  ...{
    'failure-rate': 'failure-rate',
    monitor: 'monitor',
    reporter: 'reporter',
    latency: 'rule',
    traffic: 'rule',
  },
  ...{ pool: 'rule', 'burn-rate': 'rule', query: 'rule' },
} as const satisfies Record<RuleKind, ChannelTopic>;

function byTopic(alerts: readonly AlertToTell[]): ReadonlyMap<ChannelTopic, AlertToTell[]> {
  return groupBy(alerts, ({ kind }) => topics[kind]);
}

const rank = (severity: AlertSeverity): number => alertSeverities.indexOf(severity);

function worstFirst(a: AlertToTell, b: AlertToTell): number {
  return rank(a.severity) - rank(b.severity) || a.startedAt.getTime() - b.startedAt.getTime();
}

type Telling = { topic: ChannelTopic; channels: readonly ToldChannel[]; alerts: readonly AlertToTell[] };

/** Queues what began: one message each for a few, and one for all of many. Returns the alerts as they are now. */
async function begin(
  tx: Transaction,
  run: Run,
  { topic, channels, alerts }: Telling,
): Promise<AlertToTell[]> {
  const isMany = alerts.length > channelLimits.toldOneByOne;
  const batches = isMany ? [alerts] : alerts.map((alert) => [alert]);
  const told: AlertToTell[] = [];
  for (const batch of batches) {
    const [first] = batch;
    if (first === undefined) continue;
    // The message of one alert has its id, so that links and chats know it by one name.
    const batchId = first.id as string as AlarmId;
    const message = isMany ? manyMessage(topic, batch, run.now) : oneMessage(topic, first, run.now);
    await queueMessage(tx, channels, { pageId: run.pageId, alarmId: batchId, message, now: run.now });
    await tx`
      update alerts set told_at = ${new Date(run.now)}, told_batch = ${batchId}, told_with = ${batch.length}
      where id = any (${batch.map(({ id }) => id)}::uuid[])`;
    for (const alert of batch) {
      if (alert.opensIncident === null || alert.resolvedAt !== null) continue;
      const opening = { ...run, alert: { ...alert, opensIncident: alert.opensIncident } };
      await openIncidentOf(tx, opening, channels.length > 0 ? batchId : undefined);
    }
    const now = new Date(run.now);
    told.push(
      ...batch.map((alert) => ({ ...alert, toldAt: now, toldBatch: batchId, toldWith: batch.length })),
    );
  }
  return told;
}

/** Queues what ended, for whoever was told that it began. Alerts of one message are over when the last of them is. */
async function end(tx: Transaction, run: Run, { topic, channels, alerts }: Telling): Promise<void> {
  const over = alerts.filter(({ resolvedAt }) => resolvedAt !== null);
  for (const alert of over) {
    const opensIncident = alert.opensIncident ?? { template: null };
    await resolveIncidentOf(tx, { ...run, alert: { ...alert, opensIncident } });
  }
  for (const [batchId, some] of groupBy(over, ({ toldBatch }) => toldBatch)) {
    if (batchId === null) continue;
    await tx`
      update alerts set end_told_at = ${new Date(run.now)} where id = any (${some.map(({ id }) => id)}::uuid[])`;
    const lasting = await tx`
      select 1 from alerts where page_id = ${run.pageId} and told_batch = ${batchId} and resolved_at is null limit 1`;
    const [first] = some;
    if (lasting.length > 0 || first === undefined) continue;
    const toldNothing = await dropHeld(tx, batchId, run.now);
    const since = first.toldAt?.getTime() ?? run.now;
    // A channel that is newer than the first message never got that one.
    const receivers = channels.filter(
      ({ id, createdAt }) => !toldNothing.has(id) && createdAt.getTime() <= since,
    );
    const message = endMessage(topic, first, batchId, run.now);
    await queueMessage(tx, receivers, { pageId: run.pageId, alarmId: batchId, message, now: run.now });
  }
}

const severities = { page: 'critical', ticket: 'warning', info: 'info' } as const satisfies Record<
  AlertSeverity,
  Severity
>;

function oneMessage(topic: ChannelTopic, alert: AlertToTell, now: number): StoredMessage {
  const query = queryOf(alert.evidence);
  return {
    ...{ event: channelEvents[topic][0], phase: 'begin', severity: severities[alert.severity] },
    ...{
      title: alert.title,
      text: `Rule: ${alert.ruleName}`,
      facts: factsOf(alert.evidence, alert.startedAt),
    },
    ...{ key: alert.id, at: new Date(now).toISOString(), screen: 'alerts' },
    ...(query !== undefined && { query }),
  };
}

function manyMessage(topic: ChannelTopic, alerts: readonly AlertToTell[], now: number): StoredMessage {
  const titles = alerts.slice(0, channelLimits.namesInMessage).map(({ title }) => title);
  const left = alerts.length - titles.length;
  const [first] = alerts;
  return {
    ...{ event: channelEvents[topic][0], phase: 'begin', severity: severities[first?.severity ?? 'info'] },
    title: `${alerts.length} alerts began`,
    text: `${titles.join('\n')}${left > 0 ? `\nand ${left} more` : ''}`,
    ...{ facts: [], key: first?.id ?? '', at: new Date(now).toISOString(), screen: 'alerts' },
  };
}

const endings = {
  rule: 'The condition does not hold any more.',
  person: 'Somebody resolved it.',
  change: 'The rule was changed, turned off or deleted.',
} as const;

function endMessage(topic: ChannelTopic, alert: AlertToTell, key: AlarmId, now: number): StoredMessage {
  const isMany = (alert.toldWith ?? 1) > 1;
  const end = alert.resolvedAt ?? new Date(now);
  return {
    ...{ event: channelEvents[topic][1], phase: 'end', severity: severities[alert.severity] },
    title: isMany ? `All ${alert.toldWith} alerts are over` : `Over: ${alert.title}`,
    text: isMany ? '' : endings[alert.endedBy ?? 'rule'],
    facts: [{ name: 'Lasted', value: spanOf(end.getTime() - alert.startedAt.getTime()) }],
    ...{ key, at: new Date(now).toISOString(), screen: 'alerts' },
  };
}
