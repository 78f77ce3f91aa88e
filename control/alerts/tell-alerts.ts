import { type ChannelTopic, channelLimits } from '../../contract/channels.js';
import { alertSeverities } from '../../contract/manage/shared.js';
import type { Clock } from '../../lib/clock.js';
import { groupBy } from '../../lib/group-by.js';
import type { AlarmId, AlertId, IncidentId, PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { dropHeld, lockTold, queueMessage, type ToldChannel } from '../channels/index.js';
import { loadDefaultPolicies } from '../policies/index.js';
import { openIncidentOf, resolveIncidentOf } from './alert-incidents.js';
import { type AlertInMessage, beginMessage, endMessage, topicOf } from './alert-messages.js';
import { beginEscalation, endEscalation } from './escalate.js';
import { noteTold } from './notices.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Called after an incident of a page was opened or resolved. */
  onChange?: (pageId: PageId) => void;
};

/** An alert that nobody has been told of, or not of its end. */
type AlertToTell = AlertInMessage & {
  id: AlertId;
  toldAt: Date | null;
  toldBatch: AlarmId | null;
  toldWith: number | null;
  /** The policy that its rule names. */
  policy: string | null;
  /** The policy that decided who was told; null for the channels of the page. */
  toldPolicy: string | null;
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
      const published = new Set<PageId>();
      await inTransaction(deps.sql, (tx) => {
        published.clear();
        return tellPage(tx, { pageId, now: deps.clock.now(), published });
      });
      for (const one of published) deps.onChange?.(one);
    } catch (err) {
      failures += 1;
      deps.log.error({ pageId, err }, 'The alerts of a page could not be told.');
    }
  }
  if (failures > 0) throw new Error(`The alerts of ${failures} pages could not be told.`);
}

/** `published` gets the page when an incident of it changes. */
type Run = { pageId: PageId; now: number; published: Set<PageId> };

async function tellPage(tx: Transaction, run: Run): Promise<void> {
  const { pageId, now } = run;
  // One teller a page: the other one then finds nothing left.
  await tx`select 1 from pages where id = ${pageId} for no key update`;
  if (await toldJustNow(tx, pageId, now)) return;
  const alerts = await lockAlerts(tx, pageId);
  const defaults = await loadDefaultPolicies(tx, { pageId });
  const routed = alerts.map((alert) => {
    if (alert.toldAt !== null) return { ...alert, route: alert.toldPolicy };
    return { ...alert, route: alert.policy ?? defaults.get(alert.severity)?.slug ?? null };
  });
  for (const some of groupBy(routed, (alert) => `${topicOf(alert)} ${alert.route ?? ''}`).values()) {
    const [first] = some;
    if (first === undefined) continue;
    const topic = topicOf(first);
    const channels = first.route === null ? await lockTold(tx, pageId, topic) : [];
    const telling = { topic, policy: first.route, channels };
    const isHeard = first.route !== null || channels.length > 0;
    const started = some.filter(({ toldAt }) => toldAt === null).sort(worstFirst);
    // A channel that is added while an alert lasts is told of it, so nobody is noted as told before.
    const waiting = isHeard ? [] : started.filter(({ resolvedAt }) => resolvedAt === null);
    for (const alert of waiting) await openIncident(tx, run, alert, undefined);
    // The end of an outage comes before the start of the next one.
    await end(tx, run, { ...telling, alerts: some.filter(({ toldAt }) => toldAt !== null) });
    const heard = started.filter((one) => !waiting.includes(one));
    const begun = await begin(tx, run, { ...telling, alerts: heard });
    await end(tx, run, { ...telling, alerts: begun.filter(({ resolvedAt }) => resolvedAt !== null) });
  }
}

async function toldJustNow(tx: Transaction, pageId: PageId, now: number): Promise<boolean> {
  const rows = await tx`
    select 1 from alerts where page_id = ${pageId} and started_at > ${new Date(now - dayMs)}
      and greatest(told_at, end_told_at) > ${new Date(now - pauseMs)} limit 1`;
  return rows.length > 0;
}

async function lockAlerts(tx: Transaction, pageId: PageId): Promise<AlertToTell[]> {
  return tx<AlertToTell[]>`
    select a.id, a.kind, a.rule_name as "ruleName", a.severity, a.title, a.evidence, a.started_at as "startedAt",
      a.resolved_at as "resolvedAt", a.ended_by as "endedBy", a.told_at as "toldAt", a.told_batch as "toldBatch",
      a.group_name as "groupName", a.threshold, a.ending, a.told_with as "toldWith", a.policy, a.told_policy as "toldPolicy", a.incident_id as "incidentId",
      r.opens_incident as "opensIncident"
    from alerts a left join rules r on r.id = a.rule_id
    where a.page_id = ${pageId} and (a.told_at is null and a.held_by is null and a.silence_id is null
      or a.told_at is not null and a.resolved_at is not null and a.end_told_at is null)
    order by a.started_at, a.id for update of a`;
}

function worstFirst(a: AlertToTell, b: AlertToTell): number {
  const rank = ({ severity }: AlertToTell) => alertSeverities.indexOf(severity);
  return rank(a) - rank(b) || a.startedAt.getTime() - b.startedAt.getTime();
}

type Telling = {
  topic: ChannelTopic;
  /** null when the channels are told. */
  policy: string | null;
  channels: readonly ToldChannel[];
  alerts: readonly AlertToTell[];
};

/** Tells what began: one message each for a few, and one for all of many. Returns the alerts as they are now. */
async function begin(
  tx: Transaction,
  run: Run,
  { topic, policy, channels, alerts }: Telling,
): Promise<AlertToTell[]> {
  const { pageId, now } = run;
  const batches = alerts.length > channelLimits.toldOneByOne ? [alerts] : alerts.map((alert) => [alert]);
  const told: AlertToTell[] = [];
  for (const [first, ...others] of batches) {
    if (first === undefined) continue;
    const batch = [first, ...others] as const;
    // The message of one alert has its id, so that links and chats know it by one name.
    const batchId = first.id as string as AlarmId;
    const toldNow = { toldAt: new Date(now), toldBatch: batchId, toldWith: batch.length, toldPolicy: policy };
    await tx`
      update alerts set told_at = ${toldNow.toldAt}, told_batch = ${batchId}, told_with = ${batch.length},
        told_policy = ${policy}
      where id = any (${batch.map(({ id }) => id)}::uuid[])`;
    if (policy === null) {
      const message = beginMessage(topic, batch, batchId, now);
      await queueMessage(tx, channels, { pageId, alarmId: batchId, message, now });
      for (const { id, name } of channels) {
        const who = { type: 'channel', id, name } as const;
        await noteTold(tx, { pageId, batchId, step: 0, round: 0 }, { who, reason: null, now });
      }
    } else {
      await beginEscalation(tx, { pageId, batchId, policy, now });
    }
    const isHeard = policy !== null || channels.length > 0;
    for (const alert of batch) await openIncident(tx, run, alert, isHeard ? batchId : undefined);
    told.push(...batch.map((alert) => ({ ...alert, ...toldNow })));
  }
  return told;
}

/** Opens the incident of an alert that lasts, once. */
async function openIncident(
  tx: Transaction,
  run: Run,
  { opensIncident, ...alert }: AlertToTell,
  afterAlarmId: AlarmId | undefined,
): Promise<void> {
  if (opensIncident === null || alert.resolvedAt !== null || alert.incidentId !== null) return;
  const isOpened = await openIncidentOf(tx, { ...run, alert: { ...alert, opensIncident } }, afterAlarmId);
  if (isOpened) run.published.add(run.pageId);
}

/** Tells what ended whoever was told that it began. Alerts of one message are over when the last of them is. */
async function end(tx: Transaction, run: Run, { topic, policy, channels, alerts }: Telling): Promise<void> {
  const { pageId, now } = run;
  for (const alert of alerts) {
    // When nobody looks any more, people decide whether the outage is over.
    if (alert.endedBy === 'change') continue;
    const opensIncident = alert.opensIncident ?? { template: null };
    const isResolved = await resolveIncidentOf(tx, { ...run, alert: { ...alert, opensIncident } });
    if (isResolved) run.published.add(pageId);
  }
  for (const [batchId, some] of groupBy(alerts, ({ toldBatch }) => toldBatch)) {
    if (batchId === null) continue;
    await tx`
      update alerts set end_told_at = ${new Date(now)} where id = any (${some.map(({ id }) => id)}::uuid[])`;
    const lasting = await tx`
      select 1 from alerts where page_id = ${pageId} and told_batch = ${batchId} and resolved_at is null limit 1`;
    const [first] = some;
    if (lasting.length > 0 || first === undefined) continue;
    const message = endMessage(topic, first, batchId, now);
    if (policy !== null) {
      await endEscalation(tx, { pageId, batchId, message, severity: first.severity, now });
      continue;
    }
    const toldNothing = await dropHeld(tx, batchId, now);
    const since = first.toldAt?.getTime() ?? now;
    // A channel that is newer than the first message never got that one.
    const receivers = channels.filter(
      ({ id, createdAt }) => !toldNothing.has(id) && createdAt.getTime() <= since,
    );
    await queueMessage(tx, receivers, { pageId, alarmId: batchId, message, now });
  }
}
