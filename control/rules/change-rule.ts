import { isDeepStrictEqual } from 'node:util';
import { ruleLimits } from '../../contract/manage/rules.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId, type RuleId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { checkResourceSlug } from '../../lib/slug.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { checkDependencies } from './dependencies.js';
import { checkRule } from './parse-rule.js';
import { checkReferences } from './references.js';
import { loadRule, lockRule, type Rule, type RuleFields, type RuleRef, type WatchedRule } from './rule.js';

export type RuleDeps = {
  sql: Sql;
  clock: Clock;
  by: Actor;
  /** Ends the open alerts of a rule that looks at something else from now on, in the transaction of the change. */
  endAlerts(tx: Transaction, ruleId: RuleId, now: number): Promise<void>;
  /** Gives the open alerts of a rule its name, severity and policy, in the transaction of the change. */
  changeAlerts(tx: Transaction, rule: Rule): Promise<void>;
};

type CheckRule<Found> = (current: Found) => void;

export type PutRuleFields = Pick<RuleFields, 'slug' | 'name' | 'kind' | 'condition'> & Partial<RuleFields>;

const defaults = {
  target: {},
  forSeconds: 0,
  resolveForSeconds: 0,
  severity: 'page',
  policy: null,
  opensIncident: null,
  dependsOn: [],
  enabled: true,
} as const satisfies Partial<RuleFields>;

/** Returns the fields of a rule with the defaults of those that are absent. */
export function withDefaults(given: PutRuleFields): RuleFields {
  // A monitor that is paused or deleted is no trouble any more; a service without requests may be down.
  const noData = given.kind === 'monitor' || given.kind === 'reporter' ? 'ok' : 'keep';
  return { ...defaults, noData, ...given };
}

/**
 * Creates a rule, or replaces it: fields that are absent get their defaults. The same again changes nothing.
 *
 * @param check gets the rule as it is, or `undefined` when there is none, and may refuse the change by throwing.
 * @throws ServiceError `invalidBody` for fields that do not fit together, for what the rule names and the page does not have, and
 *   for a dependency that goes in a circle, `conflict` when the page has as many rules as it may have; what `check` throws.
 */
export async function putRule(
  deps: RuleDeps,
  { pageId, ...given }: PutRuleFields & { pageId: PageId },
  check?: CheckRule<WatchedRule | undefined>,
): Promise<{ rule: WatchedRule; isNew: boolean }> {
  const wanted = withDefaults(given);
  return inTransaction(deps.sql, async (tx) => {
    await lockPage(tx, pageId);
    const before = await lockRule(tx, { pageId, slug: wanted.slug });
    check?.(before);
    if (before === undefined) return { rule: await addRule(tx, deps, { pageId, ...wanted }), isNew: true };
    return { rule: await replaceRule(tx, deps, before, wanted), isNew: false };
  });
}

export type RuleChanges = Partial<Omit<RuleFields, 'slug' | 'kind'>>;

/** Changes the given fields of a rule. @throws ServiceError `notFound`; as putRule() does */
export async function changeRule(
  deps: RuleDeps,
  { pageId, slug, ...changes }: RuleRef & RuleChanges,
  check?: CheckRule<WatchedRule>,
): Promise<WatchedRule> {
  return inTransaction(deps.sql, async (tx) => {
    await lockPage(tx, pageId);
    const before = await lockRule(tx, { pageId, slug });
    if (before === undefined) throw new ServiceError('notFound');
    check?.(before);
    return replaceRule(tx, deps, before, { ...fieldsOf(before), ...changes });
  });
}

/** Deletes a rule and ends its alerts. @throws ServiceError `notFound`, `conflict` when another rule depends on it */
export async function deleteRule(
  deps: RuleDeps,
  { pageId, slug }: RuleRef,
  check?: CheckRule<WatchedRule>,
): Promise<void> {
  await inTransaction(deps.sql, async (tx) => {
    await lockPage(tx, pageId);
    await deleteRuleIn(tx, deps, { pageId, slug }, check);
  });
}

async function deleteRuleIn(
  tx: Transaction,
  deps: RuleDeps,
  { pageId, slug }: RuleRef,
  check?: CheckRule<WatchedRule>,
): Promise<void> {
  const before = await lockRule(tx, { pageId, slug });
  if (before === undefined) throw new ServiceError('notFound');
  check?.(before);
  const [behind] = await tx<{ slug: string }[]>`
      select slug from rules where page_id = ${pageId} and depends_on @> ${tx.json([{ rule: slug }])} limit 1`;
  if (behind !== undefined)
    throw new ServiceError('conflict', { message: `The rule "${behind.slug}" depends on "${slug}".` });
  const now = deps.clock.now();
  await deps.endAlerts(tx, before.id, now);
  await tx`delete from rules where id = ${before.id}`;
  await recordRule(tx, { by: deps.by, now }, { before, after: null });
}

/**
 * Adds rules in the transaction of another change of the page, which has locked it. A slug that is taken, and what does not fit on
 * the page, is left out.
 */
export async function addRulesIn(
  tx: Transaction,
  deps: RuleDeps,
  { pageId, rules }: { pageId: PageId; rules: readonly PutRuleFields[] },
): Promise<void> {
  const known = await tx<{ slug: string }[]>`select slug from rules where page_id = ${pageId}`;
  const taken = new Set(known.map(({ slug }) => slug));
  const fitting = rules.filter(({ slug }) => !taken.has(slug)).slice(0, ruleLimits.perPage - taken.size);
  for (const rule of fitting) await addRule(tx, deps, { pageId, ...withDefaults(rule) });
}

/**
 * Lets ready-made rules follow what they are made from, in the transaction of another change of the page, which has locked it. A
 * name or a condition that somebody has changed meanwhile stays.
 *
 * @param made the rules as they were made before, and as they are made now, by the same slugs.
 */
export async function followIn(
  tx: Transaction,
  deps: RuleDeps,
  { pageId, made }: { pageId: PageId; made: readonly { before: PutRuleFields; after: PutRuleFields }[] },
): Promise<void> {
  for (const { before, after } of made) {
    const rule = await lockRule(tx, { pageId, slug: before.slug });
    if (rule === undefined || rule.kind !== before.kind || !isDeepStrictEqual(rule.target, before.target))
      continue;
    const fields = fieldsOf(rule);
    const name = rule.name === before.name ? after.name : rule.name;
    const condition = isDeepStrictEqual(rule.condition, before.condition) ? after.condition : rule.condition;
    await replaceRule(tx, deps, rule, { ...fields, name, condition });
  }
}

/** Deletes the rules that look at an objective, in the transaction of another change of the page, which has locked it. */
export async function deleteRulesOf(
  tx: Transaction,
  deps: RuleDeps,
  { pageId, objective }: { pageId: PageId; objective: string },
): Promise<void> {
  const rows = await tx<{ slug: string }[]>`
    select slug from rules
    where page_id = ${pageId} and kind = 'burn-rate' and target ->> 'objective' = ${objective} order by slug`;
  for (const { slug } of rows) await deleteRuleIn(tx, deps, { pageId, slug });
}

/** Rules of a page change one after the other, so that no two close a circle. */
async function lockPage(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`select 1 from pages where id = ${pageId} for no key update`;
}

async function addRule(
  tx: Transaction,
  { clock, by }: RuleDeps,
  { pageId, ...fields }: RuleFields & { pageId: PageId },
): Promise<WatchedRule> {
  checkResourceSlug(fields.slug);
  checkRule(fields);
  await checkReferences(tx, pageId, { before: undefined, after: fields });
  await checkDependencies(tx, pageId, fields);
  const [all] = await tx<{ count: number }[]>`
    select count(*)::integer as count from rules where page_id = ${pageId}`;
  if ((all?.count ?? 0) >= ruleLimits.perPage) {
    throw new ServiceError('conflict', {
      message: `The page has ${ruleLimits.perPage} rules, which is the most; delete one first.`,
    });
  }
  const now = clock.now();
  const at = new Date(now);
  await tx`insert into rules ${tx({
    ...{ id: newId<RuleId>(now), page_id: pageId, slug: fields.slug, kind: fields.kind },
    ...rowOf(tx, fields),
    ...{ created_at: at, updated_at: at },
  })}`;
  const rule = await loadRule({ sql: tx }, { pageId, slug: fields.slug });
  await recordRule(tx, { by, now }, { before: null, after: rule });
  return rule;
}

async function replaceRule(
  tx: Transaction,
  deps: RuleDeps,
  before: WatchedRule,
  fields: RuleFields,
): Promise<WatchedRule> {
  const known = fieldsOf(before);
  if (isDeepStrictEqual({ ...fields }, known)) return before;
  if (fields.kind !== before.kind) {
    throw new ServiceError('conflict', {
      message: `The rule is of the kind ${before.kind}, which cannot change; delete it first.`,
    });
  }
  checkRule(fields);
  await checkReferences(tx, before.pageId, { before, after: fields });
  await checkDependencies(tx, before.pageId, fields);
  const now = deps.clock.now();
  await tx`
    update rules set ${tx({ ...rowOf(tx, fields), updated_at: new Date(now) })} where id = ${before.id}`;
  if (!fields.enabled || asksAnother(before, fields)) await deps.endAlerts(tx, before.id, now);
  else await deps.changeAlerts(tx, { ...before, ...fields });
  const after = await loadRule({ sql: tx }, { pageId: before.pageId, slug: before.slug });
  await recordRule(tx, { by: deps.by, now }, { before, after });
  return after;
}

/** Whether a rule looks at something else. With another threshold or window, an alert lasts until a look finds that it is over. */
function asksAnother(before: RuleFields, after: RuleFields): boolean {
  const asked = ({ target, condition }: RuleFields) => {
    const names = Object.entries(condition).map(([name, value]) =>
      typeof value === 'number' ? name : [name, value],
    );
    return [target, names.map(String).sort()];
  };
  return !isDeepStrictEqual(asked(before), asked(after));
}

function rowOf(tx: Transaction, fields: RuleFields) {
  return {
    ...{ name: fields.name, target: tx.json(fields.target), condition: tx.json(fields.condition) },
    ...{ for_seconds: fields.forSeconds, resolve_for_seconds: fields.resolveForSeconds },
    ...{ no_data: fields.noData, severity: fields.severity, policy: fields.policy },
    opens_incident: fields.opensIncident === null ? null : tx.json(fields.opensIncident),
    ...{ depends_on: tx.json([...fields.dependsOn]), enabled: fields.enabled },
  };
}

function fieldsOf(rule: Rule): RuleFields {
  const { slug, name, kind, target, condition, forSeconds, resolveForSeconds, noData, severity } = rule;
  const { policy, opensIncident, dependsOn, enabled } = rule;
  return {
    ...{ slug, name, kind, target, condition, forSeconds, resolveForSeconds, noData, severity },
    ...{ policy, opensIncident, dependsOn, enabled },
  };
}

type Sides = { before: Rule | null; after: Rule | null };

async function recordRule(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { before, after }: Sides,
): Promise<void> {
  const verb = before === null ? 'create' : after === null ? 'delete' : 'update';
  const rule = after ?? before;
  if (rule === null) return;
  await recordChange(tx, audit, {
    pageId: rule.pageId,
    action: `rule.${verb}`,
    target: { type: 'rule', id: rule.id, name: rule.slug },
    before: before && fieldsOf(before),
    after: after && fieldsOf(after),
  });
}
