import { ManagedObjective, objectiveLimits, PutObjective } from '../../contract/manage/objectives.js';
import { ManagedPolicy, PutPolicy, policyLimits } from '../../contract/manage/policies.js';
import { ManagedRule, PutRule, ruleLimits } from '../../contract/manage/rules.js';
import { ManagedSchedule, PutSchedule, scheduleLimits } from '../../contract/manage/schedules.js';
import { listObjectives } from '../objective.js';
import { listPolicies } from '../policy.js';
import { listRules } from '../rule.js';
import { listSchedules } from '../schedule.js';
import { type Change, nothing, type PlanInput, type PlanOn, type PlanPart } from './change.js';
import { alertRuleSlug } from './desired-alerting.js';
import type { Fields, WantedBySlug } from './fields.js';
import { inOrder } from './in-order.js';
import { planBySlug, type SlugSection } from './plan-by-slug.js';

export const schedules: SlugSection<ManagedSchedule> = {
  ...{ noun: 'schedule', list: '/schedules', answer: ManagedSchedule, most: scheduleLimits.schedules },
  fieldsOf: fieldsIn(PutSchedule),
};
export const policies: SlugSection<ManagedPolicy> = {
  ...{ noun: 'policy', list: '/policies', answer: ManagedPolicy, most: policyLimits.policies },
  fieldsOf: fieldsIn(PutPolicy),
};
export const objectives: SlugSection<ManagedObjective> = {
  ...{ noun: 'objective', list: '/objectives', answer: ManagedObjective, most: objectiveLimits.perPage },
  fieldsOf: fieldsIn(PutObjective),
};
export const rules: SlugSection<ManagedRule> = {
  ...{ noun: 'rule', list: '/rules', answer: ManagedRule, most: ruleLimits.perPage, fixed: 'kind' },
  fieldsOf: fieldsIn(PutRule),
};

/** Returns what takes the fields of a thing that a PUT has. */
function fieldsIn({ properties }: { properties: object }): (one: object) => Fields {
  const names = Object.keys(properties).filter((name) => name !== 'slug');
  return (one) => Object.fromEntries(Object.entries(one).filter(([name]) => names.includes(name)));
}

/**
 * Plans what alerts and who is told, in the order in which the sections name each other: schedules, policies, objectives and
 * rules. What names another is deleted before it.
 */
export async function planAlerting(on: PlanOn, input: PlanInput): Promise<PlanPart> {
  const planned = [await planSchedules(on, input), await planPolicies(on, input)];
  const ofObjectives = await planObjectives(on, input);
  planned.push(ofObjectives, await planRules(on, input, ofObjectives));
  return {
    makes: planned.flatMap(({ makes }) => makes),
    sends: planned.flatMap(({ sends }) => sends),
    kept: planned.flatMap(({ kept }) => kept),
    deletes: planned.reverse().flatMap(({ deletes }) => deletes),
  };
}

async function planSchedules(on: PlanOn, input: PlanInput): Promise<PlanPart> {
  const { schedules: wanted } = input.desired;
  if (wanted === undefined) return nothing();
  const present = on.exists ? await listSchedules(on.client, on.path) : [];
  return planBySlug(on, input, schedules, { wanted, present });
}

async function planObjectives(on: PlanOn, input: PlanInput): Promise<PlanPart> {
  const { objectives: wanted } = input.desired;
  if (wanted === undefined) return nothing();
  const present = on.exists ? await listObjectives(on.client, on.path) : [];
  return planBySlug(on, input, objectives, { wanted, present });
}

/** A severity has one default: policies give up those of others before others take them. */
async function planPolicies(on: PlanOn, input: PlanInput): Promise<PlanPart> {
  const { policies: wanted } = input.desired;
  if (wanted === undefined) return nothing();
  const present = on.exists ? await listPolicies(on.client, on.path) : [];
  const releases: Change[] = [];
  const released = present.map((policy) => {
    const own = wanted.find(({ slug }) => slug === policy.slug);
    if (own === undefined && !input.prunes) return policy;
    const isTaken = (severity: string) =>
      wanted.some((other) => other !== own && defaultsOf(other).includes(severity));
    const defaultFor = policy.defaultFor.filter((severity) => !isTaken(severity));
    if (defaultFor.length === policy.defaultFor.length) return policy;
    releases.push(release(on, policies, { before: policy, field: 'defaultFor', left: defaultFor }));
    return { ...policy, defaultFor };
  });
  const plan = planBySlug(on, input, policies, { wanted, present: released });
  return { ...plan, makes: [...releases, ...plan.makes] };
}

function defaultsOf({ fields }: WantedBySlug): readonly unknown[] {
  return Array.isArray(fields.defaultFor) ? fields.defaultFor : [];
}

/** A change that takes from a field what another thing is about to take, or what is about to be deleted. */
function release<One extends { slug: string }, Field extends keyof One & string>(
  { client, path }: PlanOn,
  { noun, list, answer }: SlugSection<One>,
  { before, field, left }: { before: One; field: Field; left: One[Field] },
): Change {
  const make = async () => {
    await client.send('PATCH', `${path}${list}/${before.slug}`, { answer, body: { [field]: left } });
    return {};
  };
  const fields = [{ field, before: before[field], after: left }];
  return { verb: 'update', noun, name: before.slug, fields, make };
}

/** Rules are made behind those that they depend on, and deleted before them; so is one that is made again. */
async function planRules(on: PlanOn, input: PlanInput, ofObjectives: PlanPart): Promise<PlanPart> {
  const { rules: wanted } = input.desired;
  if (wanted === undefined) return nothing();
  const found = on.exists ? await listRules(on.client, on.path) : [];
  const isWanted = (slug: string) => wanted.some((one) => one.slug === slug);
  const present = found.filter((rule) => isWanted(rule.slug) || !isSaidElsewhere(rule, input));
  const isReplaced = (slug: string) => {
    const before = present.find((one) => one.slug === slug);
    const after = wanted.find((one) => one.slug === slug);
    return before !== undefined && after !== undefined && before.kind !== after.fields.kind;
  };
  const releases: Change[] = [];
  const released = present.map((rule) => {
    const dependsOn = rule.dependsOn.filter((one) => !('rule' in one && isReplaced(one.rule)));
    if (dependsOn.length === rule.dependsOn.length || !input.prunes) return rule;
    releases.push(release(on, rules, { before: rule, field: 'dependsOn', left: dependsOn }));
    return { ...rule, dependsOn };
  });
  const standing = released.map(({ slug, dependsOn }) => [slug, rulesOf(dependsOn)] as const);
  const asked = wanted.map(({ slug, fields }) => [slug, rulesOf(fields.dependsOn)] as const);
  const changed = new Set(ofObjectives.makes.map(({ name }) => name));
  const plan = planBySlug(on, input, rules, {
    wanted: inOrder(wanted, new Map([...standing, ...asked])),
    present: inOrder(released, new Map(standing)).reverse(),
    mayChange: ({ fields }) => changed.has(objectiveOf(fields.target)),
  });
  return { ...plan, makes: [...releases, ...plan.makes] };
}

/** The names that an objective gives to its burn-rate rules, behind its own slug. */
const readyMade = /^-(page|ticket)-(fast|slow)$/;

/** Whether another section says a rule: alertRule, or an objective, which has made it by itself. */
function isSaidElsewhere({ slug, target }: ManagedRule, { desired }: PlanInput): boolean {
  if (slug === alertRuleSlug && desired.alertRule !== undefined) return true;
  const { objectives: wanted } = desired;
  const { objective } = target;
  if (objective === undefined || !slug.startsWith(objective)) return false;
  const isKept = wanted === undefined || wanted.some((one) => one.slug === objective);
  return isKept && readyMade.test(slug.slice(objective.length));
}

/** The slugs of rules in what a rule depends on. */
function rulesOf(dependsOn: unknown): string[] {
  // The schema of a rule has checked it.
  return (dependsOn as ManagedRule['dependsOn']).flatMap((one) => ('rule' in one ? [one.rule] : []));
}

function objectiveOf(target: unknown): string {
  return (target as ManagedRule['target']).objective ?? ''; // The schema of a rule has checked it.
}
