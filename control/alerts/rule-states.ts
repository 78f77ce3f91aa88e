import type { AlertId, RuleId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { GroupState, GroupStates } from '../rules/index.js';

/** The state of a rule in the store: of its groups, and why it could not be looked at. */
export type StoredState = { groups: GroupStates; gap: Gap | undefined };
export type Gap = { kind: 'error' | 'no-data'; reason: string | null };

/** Loads the states of rules. A rule whose groups are fine has none. */
export async function loadStates(
  sql: Sql | Transaction,
  ruleIds: readonly RuleId[],
): Promise<ReadonlyMap<RuleId, StoredState>> {
  const ids = [...ruleIds];
  const groups = await sql<
    { ruleId: RuleId; group: string; state: 'pending' | 'firing'; since: Date; clearSince: Date | null }[]
  >`
    select rule_id as "ruleId", group_key as "group", state, since, clear_since as "clearSince" from rule_groups
    where rule_id = any (${ids}::uuid[])`;
  const gaps = await sql<(Gap & { ruleId: RuleId })[]>`
    select rule_id as "ruleId", kind, reason from rule_gaps where rule_id = any (${ids}::uuid[])`;
  const states = new Map<RuleId, { groups: Map<string, GroupState>; gap: Gap | undefined }>();
  const stateOf = (ruleId: RuleId) => {
    const known = states.get(ruleId) ?? { groups: new Map<string, GroupState>(), gap: undefined };
    states.set(ruleId, known);
    return known;
  };
  for (const { ruleId, group, state, since, clearSince } of groups) {
    const [at, clear] = [since.getTime(), clearSince?.getTime() ?? null];
    stateOf(ruleId).groups.set(
      group,
      state === 'pending' ? { state, since: at } : { state, since: at, clearSince: clear },
    );
  }
  for (const { ruleId, kind, reason } of gaps) stateOf(ruleId).gap = { kind, reason };
  return states;
}

/** Stores why a rule could not be looked at, or that it can. `now` is in milliseconds since the epoch. */
export async function storeGap(
  tx: Transaction,
  ruleId: RuleId,
  before: Gap | undefined,
  after: Gap | undefined,
  now: number,
): Promise<void> {
  if (after === undefined) {
    if (before !== undefined) await tx`delete from rule_gaps where rule_id = ${ruleId}`;
    return;
  }
  await tx`
    insert into rule_gaps (rule_id, kind, since, reason)
    values (${ruleId}, ${after.kind}, ${new Date(now)}, ${after.reason})
    on conflict (rule_id) do update set kind = excluded.kind, reason = excluded.reason,
      since = case when rule_gaps.kind = excluded.kind then rule_gaps.since else excluded.since end`;
}

/** Stores the state of a group of a rule; one that is fine has no row. `alertId` is the alert of one that begins to fire. */
export async function storeGroup(
  tx: Transaction,
  ruleId: RuleId,
  group: string,
  state: GroupState,
  alertId: AlertId | undefined,
): Promise<void> {
  if (state.state === 'ok') {
    await tx`delete from rule_groups where rule_id = ${ruleId} and group_key = ${group}`;
    return;
  }
  const clearSince =
    state.state === 'firing' && state.clearSince !== null ? new Date(state.clearSince) : null;
  if (state.state === 'firing' && alertId === undefined) {
    // It fires already: the row has its alert.
    await tx`
      update rule_groups set clear_since = ${clearSince} where rule_id = ${ruleId} and group_key = ${group}`;
    return;
  }
  await tx`
    insert into rule_groups (rule_id, group_key, state, since, clear_since, alert_id)
    values (${ruleId}, ${group}, ${state.state}, ${new Date(state.since)}, ${clearSince}, ${alertId ?? null})
    on conflict (rule_id, group_key) do update set state = excluded.state, since = excluded.since,
      clear_since = excluded.clear_since, alert_id = excluded.alert_id`;
}
