import type {
  noDataChoices,
  RuleCondition,
  RuleKind,
  RuleState,
  RuleTarget,
} from '../../contract/manage/rules.js';
import type { AlertSeverity } from '../../contract/manage/shared.js';
import type { PageId, RuleId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

/** Something that a rule depends on, by its slug. */
export type Dependency = { monitor: string } | { rule: string };

/** The fields of a rule that people set. */
export type RuleFields = {
  slug: string;
  name: string;
  kind: RuleKind;
  target: RuleTarget;
  condition: RuleCondition;
  forSeconds: number;
  resolveForSeconds: number;
  noData: (typeof noDataChoices)[number];
  severity: AlertSeverity;
  /** null for the default of the page. */
  policy: string | null;
  opensIncident: { template: string | null } | null;
  dependsOn: readonly Dependency[];
  enabled: boolean;
};

export type Rule = RuleFields & { id: RuleId; pageId: PageId; createdAt: Date; updatedAt: Date };

/** A rule, and how it is. */
export type WatchedRule = Rule & {
  state: RuleState;
  since: Date | null;
  /** Why its figures cannot be read. */
  error: string | null;
  /** Alerts that are open. */
  alerts: number;
};

export type RuleRef = { pageId: PageId; slug: string };

/** The columns of a rule, by the names of its fields. */
export function ruleColumns(sql: Sql | Transaction): Fragment {
  return sql`
    r.id, r.page_id as "pageId", r.slug, r.name, r.kind, r.target, r.condition, r.for_seconds as "forSeconds",
    r.resolve_for_seconds as "resolveForSeconds", r.no_data as "noData", r.severity, r.policy,
    r.opens_incident as "opensIncident", r.depends_on as "dependsOn", r.enabled, r.created_at as "createdAt",
    r.updated_at as "updatedAt"`;
}

/** The worst of a rule: an alert, figures that cannot be read, a condition that has begun to hold, no data. */
function watchedColumns(sql: Sql | Transaction): Fragment {
  return sql`
    ${ruleColumns(sql)},
    case when not r.enabled then 'off' when g.firing > 0 then 'firing' when gap.kind = 'error' then 'error'
      when g.pending > 0 then 'pending' when gap.kind = 'no-data' then 'no-data' else 'ok' end as state,
    case when not r.enabled then null when g.firing > 0 then g.firing_since when gap.kind = 'error' then gap.since
      when g.pending > 0 then g.pending_since when gap.kind = 'no-data' then gap.since end as since,
    gap.reason as error, coalesce(g.firing, 0)::integer as alerts`;
}

function watchedTables(sql: Sql | Transaction): Fragment {
  return sql`
    rules r left join rule_gaps gap on gap.rule_id = r.id left join lateral (
      select count(*) filter (where state = 'firing') as firing, count(*) filter (where state = 'pending') as pending,
        min(since) filter (where state = 'firing') as firing_since,
        min(since) filter (where state = 'pending') as pending_since
      from rule_groups where rule_id = r.id) g on true`;
}

/** Lists at most `limit` rules of a page by slug, behind the slug `after`. */
export async function listRules(
  { sql }: { sql: Sql },
  { pageId, limit, after }: { pageId: PageId; limit: number; after: string | undefined },
): Promise<WatchedRule[]> {
  return sql<WatchedRule[]>`
    select ${watchedColumns(sql)} from ${watchedTables(sql)}
    where r.page_id = ${pageId} and (${after ?? null}::text is null or r.slug > ${after ?? null})
    order by r.slug limit ${limit}`;
}

/** Loads a rule. @throws ServiceError `notFound` */
export async function loadRule(
  { sql }: { sql: Sql | Transaction },
  { pageId, slug }: RuleRef,
): Promise<WatchedRule> {
  const [rule] = await sql<WatchedRule[]>`
    select ${watchedColumns(sql)} from ${watchedTables(sql)} where r.page_id = ${pageId} and r.slug = ${slug}`;
  if (rule === undefined) throw new ServiceError('notFound');
  return rule;
}

/** Locks a rule until the transaction ends. Returns `undefined` when there is none. */
export async function lockRule(tx: Transaction, { pageId, slug }: RuleRef): Promise<WatchedRule | undefined> {
  const locked = await tx`select 1 from rules where page_id = ${pageId} and slug = ${slug} for update`;
  return locked.length === 0 ? undefined : loadRule({ sql: tx }, { pageId, slug });
}

/** A rule that is looked at, and whether the events of its page are in a store of its own. */
export type RuleToWatch = { rule: Rule; hasOwnStore: boolean };

/** Loads the rules that are on, of pages that may have them. */
export async function loadWatchedRules(sql: Sql): Promise<RuleToWatch[]> {
  const rows = await sql<(Rule & { hasOwnStore: boolean })[]>`
    select ${ruleColumns(sql)}, exists (select 1 from event_stores s where s.page_id = r.page_id) as "hasOwnStore"
    from rules r join pages p on p.id = r.page_id join accounts a on a.id = p.account_id
    where r.enabled and p.deleted_at is null and a.internal_analytics
    order by r.page_id, r.slug`;
  return rows.map(({ hasOwnStore, ...rule }) => ({ rule, hasOwnStore }));
}

/** A rule as it is now, and the newest minute whose look changed something; null before. */
type LookedRule = { id: RuleId; updatedAt: Date; lookedTo: Date | null };

/** Locks the rules of a page that are on until the transaction ends. */
export async function lockLooked(
  tx: Transaction,
  pageId: PageId,
  ruleIds: readonly RuleId[],
): Promise<LookedRule[]> {
  return tx<LookedRule[]>`
    select id, updated_at as "updatedAt", looked_to as "lookedTo" from rules
    where page_id = ${pageId} and id = any (${[...ruleIds]}::uuid[]) and enabled
    order by id for update`;
}

/** Notes that a look at the minutes before `to`, in milliseconds since the epoch, changes something about locked rules. */
export async function noteLooked(tx: Transaction, ruleIds: readonly RuleId[], to: number): Promise<void> {
  await tx`update rules set looked_to = ${new Date(to)} where id = any (${[...ruleIds]}::uuid[])`;
}
