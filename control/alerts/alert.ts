import type { AlertState } from '../../contract/manage/alerts.js';
import type { RuleKind } from '../../contract/manage/rules.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import { type AlarmId, type AlertId, type IncidentId, type PageId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import type { Evidence } from './evidence.js';

/** An alert, which a rule made while it fired. */
export type Alert = {
  id: AlertId;
  pageId: PageId;
  ruleSlug: string;
  ruleName: string;
  kind: RuleKind;
  /** As people read it; empty for a rule without groups. */
  groupName: string;
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
  toldAt: Date | null;
  /** Alerts that were told together share it; null before. */
  toldBatch: AlarmId | null;
  incidentId: IncidentId | null;
  evidence: Evidence;
};

export type AlertRef = { pageId: PageId; id: string };

function columns(sql: Sql | Transaction): Fragment {
  return sql`
    id, page_id as "pageId", rule_slug as "ruleSlug", rule_name as "ruleName", kind, group_name as "groupName", severity,
    case when resolved_at is not null then 'resolved' when silence_id is not null then 'silenced'
      when acknowledged_at is not null then 'acknowledged' when held_by is not null then 'held' else 'firing' end as state,
    title, value, threshold, started_at as "startedAt", resolved_at as "resolvedAt", ended_by as "endedBy",
    acknowledged_at as "acknowledgedAt", acknowledged_name as "acknowledgedName", note, held_by as "heldBy",
    told_at as "toldAt", told_batch as "toldBatch", incident_id as "incidentId", evidence`;
}

export type AlertFilter = {
  pageId: PageId;
  state: 'open' | 'past' | 'all';
  rule?: string | undefined;
  severity?: AlertSeverity | undefined;
};

/** Lists at most `limit` alerts, newest first, behind the one with this id. */
export async function listAlerts(
  { sql }: { sql: Sql },
  { pageId, state, rule, severity, limit, after }: AlertFilter & { limit: number; after: string | undefined },
): Promise<Alert[]> {
  return sql<Alert[]>`
    select ${columns(sql)} from alerts
    where page_id = ${pageId} and (${state} = 'all' or (resolved_at is null) = ${state === 'open'})
      and (${rule ?? null}::text is null or rule_slug = ${rule ?? null})
      and (${severity ?? null}::text is null or severity = ${severity ?? null})
      and (${after ?? null}::uuid is null or id < ${after ?? null})
    order by id desc limit ${limit}`;
}

/** Loads an alert. @throws ServiceError `notFound` */
export async function loadAlert(
  { sql }: { sql: Sql | Transaction },
  { pageId, id }: AlertRef,
): Promise<Alert> {
  const [alert] = await sql<Alert[]>`
    select ${columns(sql)} from alerts where page_id = ${pageId} and id = ${parseId<AlertId>(id) ?? null}`;
  if (alert === undefined) throw new ServiceError('notFound');
  return alert;
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
  const together = sql`page_id = ${pageId} and (id = ${id} or told_batch = ${id})`;
  const alerts = await sql<Alert[]>`
    select ${columns(sql)} from alerts where ${together}
    order by id <> ${id}, array_position(array['page', 'ticket', 'info'], severity), started_at, id
    limit ${togetherMax}`;
  const [counted] = await sql<
    { count: number }[]
  >`select count(*)::int as count from alerts where ${together}`;
  return { alerts, count: counted?.count ?? 0 };
}
