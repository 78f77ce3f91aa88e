import { isDeepStrictEqual } from 'node:util';
import { type ChangePolicy, type PutPolicy, policyLimits } from '../../contract/manage/policies.js';
import { alertSeverities } from '../../contract/manage/shared.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId, type PolicyId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { checkResourceSlug } from '../../lib/slug.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import {
  fieldsOf,
  findPolicy,
  loadPolicy,
  type Policy,
  type PolicyFields,
  type PolicyRef,
} from './find-policies.js';
import { findTargets, parseSteps } from './parse-steps.js';

export type PolicyDeps = { sql: Sql; clock: Clock; by: Actor };

/**
 * Creates the policy with this slug, or replaces its fields. The same again changes nothing.
 *
 * @param check gets the policy as it is, or `undefined` when there is none, and may refuse the change by throwing.
 * @throws ServiceError `invalidBody` that names the field, such as a schedule that is not there; `conflict` when another
 *   policy is the default of a severity, and when there are as many as there may be; `notFound` when there is no such
 *   page; what `check` throws.
 */
export async function putPolicy(
  { sql, clock, by }: PolicyDeps,
  { fields, ...ref }: PolicyRef & { fields: PutPolicy },
  check?: (current: Policy | undefined) => void,
): Promise<{ policy: Policy; isNew: boolean }> {
  checkResourceSlug(ref.slug);
  const parsed = parsePolicy(fields);
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, ref.pageId);
    const before = await findPolicy(tx, ref);
    check?.(before);
    const now = clock.now();
    if (before !== undefined) return { policy: await replace(tx, { by, now }, before, parsed), isNew: false };
    await checkRoom(tx, ref.pageId);
    const id = newId<PolicyId>(now);
    await tx`
      insert into policies (id, page_id, slug, name, repeat, created_at)
      values (${id}, ${ref.pageId}, ${ref.slug}, ${parsed.name}, ${parsed.repeat}, ${new Date(now)})`;
    await insertSteps(tx, { id, pageId: ref.pageId }, parsed);
    await setDefaults(tx, { id, pageId: ref.pageId }, parsed);
    const after = await loadPolicy(tx, ref);
    await record(tx, { by, now }, { verb: 'create', before: null, after });
    return { policy: after, isNew: true };
  });
}

/**
 * Changes the fields of a policy that are there.
 *
 * @throws ServiceError `notFound`; `invalidBody` and `conflict` as putPolicy() does; what `check` throws.
 */
export async function changePolicy(
  { sql, clock, by }: PolicyDeps,
  { changes, ...ref }: PolicyRef & { changes: ChangePolicy },
  check?: (current: Policy) => void,
): Promise<Policy> {
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, ref.pageId);
    const before = await loadPolicy(tx, ref);
    check?.(before);
    const was = fieldsOf(before);
    const parsed = parsePolicy({ ...was, ...changes, steps: changes.steps ?? [] });
    // Steps that are not sent stay, whether or not all of their people still have a role.
    const fields = changes.steps === undefined ? { ...parsed, steps: was.steps } : parsed;
    return replace(tx, { by, now: clock.now() }, before, fields);
  });
}

/**
 * Deletes a policy, and returns it.
 *
 * @throws ServiceError `notFound`; `conflict` that names a rule which names the policy; what `check` throws.
 */
export async function deletePolicy(
  { sql, clock, by }: PolicyDeps,
  ref: PolicyRef,
  check?: (current: Policy) => void,
): Promise<Policy> {
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, ref.pageId);
    const before = await loadPolicy(tx, ref);
    check?.(before);
    const [rule] = await tx<{ slug: string }[]>`
      select slug from rules where page_id = ${ref.pageId} and policy = ${ref.slug} order by slug limit 1`;
    if (rule !== undefined) {
      throw new ServiceError('conflict', {
        message: `The rule "${rule.slug}" names this policy; give it another one first.`,
      });
    }
    await tx`delete from policies where id = ${before.id} and page_id = ${ref.pageId}`;
    await record(tx, { by, now: clock.now() }, { verb: 'delete', before, after: null });
    return before;
  });
}

/**
 * Returns the fields of a policy, whose schema was checked, in their usual form and with every default.
 *
 * @throws ServiceError `invalidBody` as parseSteps() does.
 */
export function parsePolicy({ name, steps, repeat = 0, defaultFor = [] }: PutPolicy): PolicyFields {
  return {
    ...{ name: name.trim(), steps: parseSteps(steps), repeat },
    defaultFor: alertSeverities.filter((severity) => defaultFor.includes(severity)),
  };
}

/** Locks a page until the transaction ends. @throws ServiceError `notFound` when there is no such page. */
async function lockPage(tx: Transaction, pageId: PageId): Promise<void> {
  const { count } = await tx`select 1 from pages where id = ${pageId} for no key update`;
  if (count === 0) throw new ServiceError('notFound');
}

async function checkRoom(tx: Transaction, pageId: PageId): Promise<void> {
  const { count } = await tx`select 1 from policies where page_id = ${pageId}`;
  if (count < policyLimits.policies) return;
  throw new ServiceError('conflict', {
    message: `The page has ${count} policies, which is the most; delete one first.`,
  });
}

async function replace(
  tx: Transaction,
  audit: { by: Actor; now: number },
  before: Policy,
  fields: PolicyFields,
): Promise<Policy> {
  const was = fieldsOf(before);
  if (isDeepStrictEqual(was, fields)) return before;
  const { id } = before;
  await tx`update policies set name = ${fields.name}, repeat = ${fields.repeat} where id = ${id}`;
  if (!isDeepStrictEqual(was.steps, fields.steps)) {
    await tx`delete from policy_steps where policy_id = ${id}`;
    await insertSteps(tx, before, fields);
  }
  if (!isDeepStrictEqual(was.defaultFor, fields.defaultFor)) await setDefaults(tx, before, fields);
  const after = await loadPolicy(tx, before);
  await record(tx, audit, { verb: 'update', before, after });
  return after;
}

async function insertSteps(
  tx: Transaction,
  { id, pageId }: Pick<Policy, 'id' | 'pageId'>,
  { steps }: PolicyFields,
): Promise<void> {
  const columnsOf = await findTargets(tx, pageId, steps);
  for (const [position, { waitMinutes, notify }] of steps.entries()) {
    await tx`
      insert into policy_steps (policy_id, position, page_id, wait_minutes)
      values (${id}, ${position}, ${pageId}, ${waitMinutes})`;
    const rows = notify.map((target, at) => ({
      ...{ policy_id: id, step_position: position, position: at, page_id: pageId },
      ...columnsOf(target),
    }));
    await tx`insert into policy_targets ${tx(rows)}`;
  }
}

/** @throws ServiceError `conflict` when another policy is the default of a severity. */
async function setDefaults(
  tx: Transaction,
  { id, pageId }: Pick<Policy, 'id' | 'pageId'>,
  { defaultFor }: PolicyFields,
): Promise<void> {
  const [taken] = await tx<{ severity: string; slug: string }[]>`
    select d.severity, p.slug from policy_defaults d join policies p on p.id = d.policy_id
    where d.page_id = ${pageId} and d.severity = any (${defaultFor}::text[]) and d.policy_id <> ${id}
    order by d.severity limit 1`;
  if (taken !== undefined) {
    throw new ServiceError('conflict', {
      message: `The policy "${taken.slug}" is the default for ${taken.severity}; take that from it first.`,
    });
  }
  await tx`delete from policy_defaults where policy_id = ${id}`;
  const rows = defaultFor.map((severity) => ({ page_id: pageId, severity, policy_id: id }));
  if (rows.length > 0) await tx`insert into policy_defaults ${tx(rows)}`;
}

type PolicyChange =
  | { verb: 'create'; before: null; after: Policy }
  | { verb: 'update'; before: Policy; after: Policy }
  | { verb: 'delete'; before: Policy; after: null };

async function record(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { verb, before, after }: PolicyChange,
): Promise<void> {
  const { id, pageId, slug } = after ?? before;
  await recordChange(tx, audit, {
    pageId,
    action: `policy.${verb}`,
    target: { type: 'policy', id, name: slug },
    before: before && { slug, ...fieldsOf(before) },
    after: after && { slug, ...fieldsOf(after) },
  });
}
