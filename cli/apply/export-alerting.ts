import { isDeepStrictEqual } from 'node:util';
import type { ApplyFile } from '../../contract/manage/apply.js';
import type { ManagedObjective } from '../../contract/manage/objectives.js';
import type { ManagedPolicy } from '../../contract/manage/policies.js';
import type { ManagedRule } from '../../contract/manage/rules.js';
import type { ManagedSchedule } from '../../contract/manage/schedules.js';
import type { Client } from '../client/client.js';
import { listObjectives } from '../objective.js';
import { listPolicies } from '../policy.js';
import { listRules } from '../rule.js';
import { listSchedules } from '../schedule.js';
import { objectiveFields, policyFields, ruleFields } from './desired-alerting.js';
import type { Fields } from './fields.js';
import { objectives, policies, rules, schedules } from './plan-alerting.js';

type Sections = Required<Pick<ApplyFile, 'schedules' | 'policies' | 'objectives' | 'rules'>>;

/** Reads the sections of a file that say what alerts, and who is told. `path` is that of the page. */
export async function exportAlerting(client: Client, path: string): Promise<Sections> {
  const bySlug = <One extends { slug: string }>(ones: readonly One[], toFields: (one: One) => Fields) =>
    Object.fromEntries(ones.map((one) => [one.slug, toFields(one)]));
  const sections = {
    schedules: bySlug(await listSchedules(client, path), fileSchedule),
    policies: bySlug(await listPolicies(client, path), filePolicy),
    objectives: bySlug(await listObjectives(client, path), fileObjective),
    rules: bySlug(await listRules(client, path), fileRule),
  };
  return sections as unknown as Sections; // They have the fields of the bodies that made them.
}

function fileSchedule(schedule: ManagedSchedule): Fields {
  const layers = schedule.layers.map(({ hours, ...layer }) => ({
    ...layer,
    ...(hours !== null && { hours }),
  }));
  return { ...schedules.fieldsOf(schedule), layers };
}

function filePolicy(policy: ManagedPolicy): Fields {
  const { name, steps } = policy;
  return otherThanUsual(policies.fieldsOf(policy), { name, steps }, policyFields);
}

function fileObjective(objective: ManagedObjective): Fields {
  const { name, target, window, sli } = objective;
  return otherThanUsual(objectives.fieldsOf(objective), { name, target, window, sli }, objectiveFields);
}

function fileRule(rule: ManagedRule): Fields {
  const { name, kind, condition } = rule;
  return otherThanUsual(rules.fieldsOf(rule), { name, kind, condition }, ruleFields);
}

/** The fields that must be said, and those that differ from what `usual` makes of them. */
function otherThanUsual<Said extends object>(
  fields: Fields,
  said: Said,
  usual: (said: Said) => Fields,
): Fields {
  const known = usual(said);
  const own = Object.entries(fields).filter(
    ([name, value]) => name in said || !isDeepStrictEqual(value, known[name]),
  );
  return Object.fromEntries(own);
}
