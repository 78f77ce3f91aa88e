import type {
  AlertChoice,
  AlertCounts,
  AlertOrder,
  AlertState,
  AlertSubject,
} from '../../contract/manage/alerts.js';
import type { RuleCondition, RuleKind, RuleTarget } from '../../contract/manage/rules.js';
import { type AlertSeverity, alertSeverities } from '../../contract/manage/shared.js';
import {
  type AlarmId,
  type AlertId,
  type IncidentId,
  type PageId,
  parseId,
  type SilenceId,
} from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { partsOfGroup } from '../rules/index.js';
import type { Evidence } from './evidence.js';

/** An alert, which a rule made while it fired. */
export type Alert = {
  id: AlertId;
  pageId: PageId;
  ruleSlug: string;
  ruleName: string;
  kind: RuleKind;
  /** null when the rule is gone. */
  condition: RuleCondition | null;
  /** As people read it; empty for a rule without groups. */
  groupName: string;
  subject: AlertSubject;
  severity: AlertSeverity;
  state: AlertState;
  title: string;
  value: number | null;
  threshold: number | null;
  startedAt: Date;
  resolvedAt: Date | null;
  endedBy: 'rule' | 'person' | 'change' | null;
  acknowledgedAt: Date | null;
  acknowledgedName: string | null;
  note: string | null;
  heldBy: string | null;
  /** The silence that covers an open alert. */
  silence: { id: SilenceId; endsAt: Date } | null;
  toldAt: Date | null;
  /** Alerts that were told together share it; null before. */
  toldBatch: AlarmId | null;
  incidentId: IncidentId | null;
  evidence: Evidence;
};

export type AlertRef = { pageId: PageId; id: string };

type Row = Omit<Alert, 'subject' | 'silence'> & {
  groupKey: string;
  service: string | null;
  endpoint: string | null;
  /** null when the rule is gone. */
  target: RuleTarget | null;
  silenceId: SilenceId | null;
  silenceEndsAt: Date | null;
};

function columns(sql: Sql | Transaction): Fragment {
  return sql`
    a.id, a.page_id as "pageId", a.rule_slug as "ruleSlug", a.rule_name as "ruleName", a.kind, a.group_key as "groupKey",
    a.group_name as "groupName", a.service, a.endpoint, r.target, r.condition, a.severity,
    case when a.resolved_at is not null then 'resolved' when a.silence_id is not null then 'silenced'
      when a.acknowledged_at is not null then 'acknowledged' when a.held_by is not null then 'held' else 'firing' end as state,
    a.title, a.value, a.threshold, a.started_at as "startedAt", a.resolved_at as "resolvedAt", a.ended_by as "endedBy",
    a.acknowledged_at as "acknowledgedAt", a.acknowledged_name as "acknowledgedName", a.note, a.held_by as "heldBy",
    s.id as "silenceId", s.ends_at as "silenceEndsAt",
    a.told_at as "toldAt", a.told_batch as "toldBatch", a.incident_id as "incidentId", a.evidence`;
}

function tables(sql: Sql | Transaction): Fragment {
  return sql`
    alerts a left join rules r on r.id = a.rule_id
      left join silences s on s.id = a.silence_id and a.resolved_at is null`;
}

function toAlert({ groupKey, service, endpoint, target, silenceId, silenceEndsAt, ...row }: Row): Alert {
  const hasSilence = silenceId !== null && silenceEndsAt !== null;
  return {
    ...row,
    subject: subjectOf(row.kind, { groupKey, service, endpoint, target: target ?? {} }),
    silence: hasSilence ? { id: silenceId, endsAt: silenceEndsAt } : null,
  };
}

type Place = Pick<Row, 'groupKey' | 'service' | 'endpoint'> & { target: RuleTarget };

/** Returns the part of the page that an alert is about: its group, or what its rule looks at. */
function subjectOf(kind: RuleKind, { groupKey, service, endpoint, target }: Place): AlertSubject {
  const { by: _, team: __, region: ___, group: ____, ...named } = target;
  const [group = ''] = partsOfGroup(groupKey);
  return {
    ...named,
    ...(service !== null && { service }),
    ...(endpoint !== null && { endpoint }),
    ...(kind === 'monitor' && group !== '' && { monitor: group }),
    // The key begins with the kind: service or reporter.
    ...(kind === 'reporter' && group !== '' && { reporter: group.replace(/^\w+ /, '') }),
  };
}

/** The choices as conditions on alerts. */
function chosen(sql: Sql | Transaction, state: AlertChoice): Fragment {
  const isOpen = sql`a.resolved_at is null`;
  const isQuiet = sql`(a.silence_id is not null or a.acknowledged_at is null and a.held_by is not null)`;
  switch (state) {
    case 'all':
      return sql`true`;
    case 'open':
      return isOpen;
    case 'past':
      return sql`a.resolved_at is not null`;
    case 'quiet':
      return sql`${isOpen} and ${isQuiet}`;
    case 'acknowledged':
      return sql`${isOpen} and not ${isQuiet} and a.acknowledged_at is not null`;
    case 'firing':
      return sql`${isOpen} and not ${isQuiet} and a.acknowledged_at is null`;
  }
}

export type AlertFilter = {
  pageId: PageId;
  state: AlertChoice;
  rule?: string | undefined;
  severity?: AlertSeverity | undefined;
  /** Id of the incident that the alert opened. */
  incident?: string | undefined;
  /** Newest first by default. */
  order?: AlertOrder | undefined;
};

/** Where a list of alerts goes on: behind this one. */
export type AlertPosition = { severity: AlertSeverity; id: string };

/** Lists at most `limit` alerts, newest first or worst first, behind a position. */
export async function listAlerts(
  { sql }: { sql: Sql },
  filter: AlertFilter & { limit: number; after: AlertPosition | undefined },
): Promise<Alert[]> {
  const { pageId, state, rule, severity, incident, order = 'newest', limit, after } = filter;
  const rank = sql`array_position(${[...alertSeverities]}::text[], a.severity)`;
  const rankAfter = after === undefined ? null : alertSeverities.indexOf(after.severity) + 1;
  const isBehind =
    order === 'newest'
      ? sql`a.id < ${after?.id ?? null}`
      : sql`(${rank} > ${rankAfter}::integer or ${rank} = ${rankAfter}::integer and a.id < ${after?.id ?? null})`;
  const rows = await sql<Row[]>`
    select ${columns(sql)} from ${tables(sql)}
    where a.page_id = ${pageId} and ${chosen(sql, state)}
      and (${rule ?? null}::text is null or a.rule_slug = ${rule ?? null})
      and (${severity ?? null}::text is null or a.severity = ${severity ?? null})
      and (${incident === undefined} or a.incident_id = ${parseId<IncidentId>(incident ?? '') ?? null})
      and (${after === undefined} or ${isBehind})
    order by ${order === 'newest' ? sql`a.id desc` : sql`${rank}, a.id desc`} limit ${limit}`;
  return rows.map(toAlert);
}

/** Counts the open alerts of a page, and the silences that hold at `now`, in milliseconds since the epoch. */
export async function countAlerts(
  { sql }: { sql: Sql },
  { pageId, now }: { pageId: PageId; now: number },
): Promise<AlertCounts> {
  const count = (state: AlertChoice) => sql`count(*) filter (where ${chosen(sql, state)})::integer`;
  const [counts] = await sql<AlertCounts[]>`
    select ${count('firing')} as firing, ${count('acknowledged')} as acknowledged, ${count('quiet')} as quiet,
      (select count(*) from silences where page_id = ${pageId} and ends_at > ${new Date(now)})::integer as silences
    from alerts a where a.page_id = ${pageId} and a.resolved_at is null`;
  return counts ?? { firing: 0, acknowledged: 0, quiet: 0, silences: 0 };
}

/** Loads an alert. @throws ServiceError `notFound` */
export async function loadAlert(
  { sql }: { sql: Sql | Transaction },
  { pageId, id }: AlertRef,
): Promise<Alert> {
  const [row] = await sql<Row[]>`
    select ${columns(sql)} from ${tables(sql)}
    where a.page_id = ${pageId} and a.id = ${parseId<AlertId>(id) ?? null}`;
  if (row === undefined) throw new ServiceError('notFound');
  return toAlert(row);
}

/** A message of a storm may be about thousands. */
const togetherMax = 50;

/**
 * Lists the alerts that were told in one message with this one, this one first, then the worst and oldest, at most 50 in
 * all; and how many there are. None when the page has no such alert.
 */
export async function listTogether(
  { sql }: { sql: Sql | Transaction },
  { pageId, id }: { pageId: PageId; id: AlertId },
): Promise<{ alerts: Alert[]; count: number }> {
  const together = sql`a.page_id = ${pageId} and (a.id = ${id} or a.told_batch = ${id})`;
  const rows = await sql<Row[]>`
    select ${columns(sql)} from ${tables(sql)} where ${together}
    order by a.id <> ${id}, array_position(${[...alertSeverities]}::text[], a.severity), a.started_at, a.id
    limit ${togetherMax}`;
  const [counted] = await sql<
    { count: number }[]
  >`select count(*)::integer as count from alerts a where ${together}`;
  return { alerts: rows.map(toAlert), count: counted?.count ?? 0 };
}
