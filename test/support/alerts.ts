import type { ManagedAlert } from '../../contract/manage/alerts.js';
import type { RuleKind } from '../../contract/manage/rules.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import { type AlertId, newId, type PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';

export type TestAlert = {
  pageId: PageId;
  startedAt: Date;
  kind?: RuleKind;
  rule?: { slug: string; name: string };
  group?: string;
  groupName?: string;
  service?: string | null;
  endpoint?: string | null;
  severity?: AlertSeverity;
  title?: string;
  value?: number | null;
  threshold?: number | null;
  evidence?: object;
  resolvedAt?: Date | null;
  heldBy?: string | null;
  toldAt?: Date | null;
};

/** Stores an alert as a look at a rule does, of the rule with its slug where there is one. Returns its id. */
export async function storeAlert(sql: Sql, alert: TestAlert): Promise<AlertId> {
  const { pageId, startedAt, kind = 'failure-rate', group = '', resolvedAt = null, toldAt = null } = alert;
  const rule = alert.rule ?? { slug: 'checkout', name: 'Checkout fails' };
  const id = newId<AlertId>(startedAt.getTime());
  const [stored] = await sql`select id from rules where page_id = ${pageId} and slug = ${rule.slug}`;
  await sql`insert into alerts ${sql({
    ...{ id, page_id: pageId, rule_id: stored?.['id'] ?? null, rule_slug: rule.slug, rule_name: rule.name },
    ...{ kind, group_key: group, group_name: alert.groupName ?? group, severity: alert.severity ?? 'page' },
    ...{ service: alert.service ?? null, endpoint: alert.endpoint ?? null, title: alert.title ?? rule.name },
    ...{ value: alert.value ?? null, threshold: alert.threshold ?? null, started_at: startedAt },
    ...{
      evidence: sql.json(JSON.parse(JSON.stringify(alert.evidence ?? {}))),
      held_by: alert.heldBy ?? null,
    },
    ...{ resolved_at: resolvedAt, ended_by: resolvedAt === null ? null : 'rule' },
    ...{ told_at: toldAt, told_batch: toldAt === null ? null : id, told_with: toldAt === null ? null : 1 },
  })}`;
  return id;
}

/** An alert as the API answers with it: 12.5 % of all requests of a page fail since 2026-11-29 20:00 UTC. */
export function makeAlert(
  fields: Partial<ManagedAlert> = {},
  rule: Partial<ManagedAlert['rule']> = {},
): ManagedAlert {
  return {
    id: '01933b40-0000-7000-8000-000000000001',
    rule: { slug: 'checkout', name: 'Checkout fails', kind: 'failure-rate', condition: {}, ...rule },
    ...{ group: '', subject: {}, severity: 'page', state: 'firing', title: 'In English' },
    ...{ value: 12.5, threshold: 5, startedAt: '2026-11-29T20:00:00.000Z', resolvedAt: null, endedBy: null },
    ...{ acknowledgedAt: null, acknowledgedBy: null, note: null, heldBy: null, silence: null, toldAt: null },
    ...{ incidentId: null, evidence: {} },
    ...fields,
  };
}
