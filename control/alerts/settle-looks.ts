import { alertSeverities } from '../../contract/manage/shared.js';
import type { Clock } from '../../lib/clock.js';
import { groupBy } from '../../lib/group-by.js';
import { type AlertId, newId, type PageId, type RuleId } from '../../lib/ids.js';
import type { Limiter } from '../../lib/limiter.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import {
  lockLooked,
  nameOfGroup,
  noteLooked,
  type Observation,
  partsOfGroup,
  type Rule,
  type RuleLook,
  settleRule,
} from '../rules/index.js';
import { endingOf, titleOf } from './alert-texts.js';
import type { Evidence } from './evidence.js';
import { type Gap, loadStates, type StoredState, storeGap, storeGroup } from './rule-states.js';

/** A look at a rule at the minutes before `to`, and what was known of the rule then. */
export type LookedRule = { rule: Rule; look: RuleLook; to: number };

type Deps = {
  sql: Sql;
  clock: Clock;
  /** Returns the facts that an engineer looks up first; called outside of a transaction, and may take seconds. */
  loadEvidence(rule: Rule, observation: Observation): Promise<Evidence>;
  /** Bounds the transactions at once. */
  storing: Limiter<'store'>;
};

const fine: StoredState = { groups: new Map(), gap: undefined };

/**
 * Applies looks at rules of a page: stores the states that changed, begins and ends alerts. A run that is cut off is
 * repeated, and begins nothing twice. A rule that was changed since its look is left for the next one.
 */
export async function settleLooks(
  deps: Deps,
  pageId: PageId,
  looks: readonly LookedRule[],
  states: ReadonlyMap<RuleId, StoredState>,
): Promise<void> {
  const now = deps.clock.now();
  const moved = looks.filter(({ rule, look }) => changes(rule, look, states.get(rule.id) ?? fine, now));
  if (moved.length === 0) return;
  const evidence = await loadAllEvidence(deps, moved, states, now);
  const release = await deps.storing.take('store');
  try {
    await inTransaction(deps.sql, (tx) => settleMoved(tx, pageId, { moved, evidence, now }));
  } finally {
    release?.();
  }
}

type Moved = { moved: readonly LookedRule[]; evidence: AllEvidence; now: number };

async function settleMoved(tx: Transaction, pageId: PageId, { moved, evidence, now }: Moved): Promise<void> {
  const current = await lockCurrent(tx, pageId, moved);
  const stored = await loadStates(
    tx,
    current.map(({ rule }) => rule.id),
  );
  for (const looked of current) {
    await settle(tx, { ...looked, before: stored.get(looked.rule.id) ?? fine, evidence, now });
  }
}

function changes(rule: Rule, look: RuleLook, { groups, gap }: StoredState, now: number): boolean {
  const wanted = gapOf(look, gap);
  if (gap?.kind !== wanted?.kind || gap?.reason !== wanted?.reason) return true;
  return 'observations' in look && settleRule(rule, groups, look, now).changed.size > 0;
}

/** A rule without groups that has no data says so; one with groups has those that it finds. */
function gapOf(look: RuleLook, before: Gap | undefined): Gap | undefined {
  if ('error' in look) return { kind: 'error', reason: look.error };
  if (look.isPartial) return before;
  const isEmpty = look.observations.length === 1 && look.observations[0]?.look === 'none';
  return isEmpty ? { kind: 'no-data', reason: null } : undefined;
}

type AllEvidence = ReadonlyMap<string, Evidence>;
const evidenceKey = (ruleId: RuleId, group: string): string => `${ruleId} ${group}`;

/** Alerts that begin together on a page seldom have different causes, and each read costs the store a query or three. */
const evidenceMax = 5;

async function loadAllEvidence(
  { loadEvidence }: Deps,
  looks: readonly LookedRule[],
  states: ReadonlyMap<RuleId, StoredState>,
  now: number,
): Promise<AllEvidence> {
  const started = looks.flatMap(({ rule, look }) => {
    if ('error' in look) return [];
    const { groups } = states.get(rule.id) ?? fine;
    return settleRule(rule, groups, look, now).started.map((observation) => ({
      rule,
      observation,
    }));
  });
  const loaded = started.slice(0, evidenceMax).map(async ({ rule, observation }) => {
    const evidence = await loadEvidence(rule, observation);
    return [evidenceKey(rule.id, observation.group), evidence] as const;
  });
  return new Map(await Promise.all(loaded));
}

/**
 * Locks the rules until the transaction ends. Returns the looks at those that are as they were. A look that is older than one that
 * changed its rule is left out: an instance that was suspended after it had read the figures would undo what another found since.
 */
async function lockCurrent(
  tx: Transaction,
  pageId: PageId,
  moved: readonly LookedRule[],
): Promise<LookedRule[]> {
  const rows = await lockLooked(
    tx,
    pageId,
    moved.map(({ rule }) => rule.id),
  );
  const known = new Map(rows.map((row) => [row.id, row]));
  const current = moved.filter(({ rule, to }) => {
    const row = known.get(rule.id);
    return row?.updatedAt.getTime() === rule.updatedAt.getTime() && to >= (row.lookedTo?.getTime() ?? 0);
  });
  for (const looks of groupBy(current, ({ to }) => to).values()) {
    const [first] = looks;
    if (first === undefined) continue;
    const ruleIds = looks.map(({ rule }) => rule.id);
    await noteLooked(tx, ruleIds, first.to);
  }
  return current;
}

type Settling = LookedRule & { before: StoredState; evidence: AllEvidence; now: number };

async function settle(tx: Transaction, { rule, look, before, evidence, now }: Settling): Promise<void> {
  await storeGap(tx, rule.id, before.gap, gapOf(look, before.gap), now);
  if ('error' in look) return;
  const { changed, started, ended } = settleRule(rule, before.groups, look, now);
  const alertIds = new Map<string, AlertId>();
  for (const observation of started) {
    const facts = evidence.get(evidenceKey(rule.id, observation.group)) ?? {};
    alertIds.set(observation.group, await insertAlert(tx, { rule, observation, facts, now }));
  }
  for (const group of ended) {
    const observation = look.observations.find((one) => one.group === group);
    await endAlert(tx, { rule, group, observation, now });
  }
  for (const [group, state] of changed) await storeGroup(tx, rule.id, group, state, alertIds.get(group));
}

type NewAlert = { rule: Rule; observation: Observation; facts: Evidence; now: number };

async function insertAlert(tx: Transaction, { rule, observation, facts, now }: NewAlert): Promise<AlertId> {
  const id = newId<AlertId>(now);
  const { group, name = nameOfGroup(group), value, threshold, requests, errors } = observation;
  const { since, text, facts: known } = observation;
  const evidence = {
    ...(requests !== undefined && { requests }),
    ...(errors !== undefined && { errors }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(text !== undefined && { text }),
    ...(known !== undefined && { facts: known }),
    ...facts,
  };
  await tx`insert into alerts ${tx({
    ...{ id, page_id: rule.pageId, rule_id: rule.id, rule_slug: rule.slug, rule_name: rule.name },
    ...{ kind: rule.kind, group_key: group, group_name: name, severity: rule.severity },
    ...requestsOf(rule, group),
    ...{ policy: rule.policy, title: titleOf(rule, observation) },
    ...{ value: value ?? null, threshold: threshold ?? null },
    ...{ evidence: tx.json(evidence), started_at: new Date(now) },
  })}`;
  return id;
}

/** The service and endpoint that silences choose by. */
function requestsOf({ target }: Rule, group: string): { service: string | null; endpoint: string | null } {
  const [service = null, endpoint = null] =
    target.by === undefined ? [target.service, target.endpoint] : partsOfGroup(group);
  return { service, endpoint };
}

type Ended = { rule: Rule; group: string; observation: Observation | undefined; now: number };

async function endAlert(tx: Transaction, { rule, group, observation, now }: Ended): Promise<void> {
  const [alert] = await tx<{ name: string }[]>`
    select group_name as name from alerts
    where rule_id = ${rule.id} and group_key = ${group} and resolved_at is null`;
  if (alert === undefined) return;
  const ending = observation?.ending ?? endingOf(rule, { group, name: alert.name });
  await tx`
    update alerts set resolved_at = ${new Date(now)}, ended_by = 'rule', ending = ${tx.json({ ...ending })}
    where rule_id = ${rule.id} and group_key = ${group} and resolved_at is null`;
}

/** Ends the alerts of a rule that looks at something else from now on, in the transaction of its change. */
export async function endAlertsOfRule(tx: Transaction, ruleId: RuleId, now: number): Promise<void> {
  await tx`
    update alerts set resolved_at = ${new Date(now)}, ended_by = 'change'
    where rule_id = ${ruleId} and resolved_at is null`;
  await tx`delete from rule_groups where rule_id = ${ruleId}`;
  await tx`delete from rule_gaps where rule_id = ${ruleId}`;
}

/**
 * Gives the open alerts of a rule its name, severity and policy, in the transaction of its change. One that gets worse is
 * acknowledged no more.
 */
export async function changeAlertsOfRule(tx: Transaction, rule: Rule): Promise<void> {
  const { id, name, severity, policy } = rule;
  const worse = alertSeverities.slice(alertSeverities.indexOf(severity) + 1);
  await tx`
    update alerts set acknowledged_at = null, acknowledged_by = null, acknowledged_name = null
    where rule_id = ${id} and resolved_at is null and severity = any (${[...worse]}::text[])`;
  await tx`
    update alerts set rule_name = ${name}, severity = ${severity}, policy = ${policy}
    where rule_id = ${id} and resolved_at is null`;
}
