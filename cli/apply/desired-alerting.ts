import type { ApplyFile } from '../../contract/manage/apply.js';
import type {
  FileObjective,
  FilePolicy,
  FileRule,
  FileSchedule,
} from '../../contract/manage/apply-alerting.js';
import { alertSeverities } from '../../contract/manage/shared.js';
import { parseObjective } from '../../control/objectives/index.js';
import { parsePolicy } from '../../control/policies/index.js';
import { withDefaults } from '../../control/rules/index.js';
import { parseSchedule } from '../../control/schedules/index.js';
import type { Fields, WantedBySlug } from './fields.js';
import { orGiven } from './normal-form.js';
import { FileError, type ReadFile } from './read-file.js';

const sections = ['schedules', 'policies', 'objectives', 'rules'] as const;

/** The wishes of a file about what alerts and who is told. A section that is absent is not managed by the file. */
export type DesiredAlerting = Partial<Record<(typeof sections)[number], WantedBySlug[]>>;

/** The rule that the section `alertRule` makes. */
export const alertRuleSlug = 'failure-rate';

/** @throws FileError when two policies are the default of one severity, and two sections say the same rule. */
export function toAlerting({ value, placeOf }: ReadFile): DesiredAlerting {
  const { schedules, policies, objectives, rules } = value;
  refuseTwoDefaults(policies, placeOf);
  if (value.alertRule !== undefined && rules?.[alertRuleSlug] !== undefined) {
    const place = placeOf(['rules', alertRuleSlug]);
    throw new FileError(`${place}: alertRule is the rule "${alertRuleSlug}" as well; leave one of them out.`);
  }
  return {
    ...(schedules && { schedules: wantedOf('schedules', schedules, scheduleFields) }),
    ...(policies && { policies: wantedOf('policies', policies, policyFields) }),
    ...(objectives && { objectives: wantedOf('objectives', objectives, objectiveFields) }),
    ...(rules && { rules: wantedOf('rules', rules, ruleFields) }),
  };
}

function wantedOf<One extends object>(
  section: (typeof sections)[number],
  given: Readonly<Record<string, One>>,
  fieldsOf: (one: One) => Fields,
): WantedBySlug[] {
  return Object.entries(given).map(([slug, put]) => {
    return { slug, put, fields: fieldsOf(put), path: [section, slug] };
  });
}

/** People are left out of what is checked, because the turn of an account that was deleted has none. */
function scheduleFields({ layers, ...rest }: FileSchedule): Fields {
  const named = layers.map((layer) => layer.people.map((email) => email?.trim().toLowerCase() ?? null));
  const given = { ...rest, layers: layers.map((layer) => ({ ...layer, people: [] })) };
  const parsed = orGiven(given, parseSchedule);
  return {
    ...parsed,
    layers: parsed.layers.map((layer, at) => ({ ...layer, people: named[at] ?? [] })),
  };
}

/** The fields of a policy, of a file or of the service, with every default. */
export function policyFields(policy: FilePolicy): Fields {
  return orGiven(policy, parsePolicy);
}

/** The fields of an objective, of a file or of the service, with every default. */
export function objectiveFields(objective: FileObjective): Fields {
  return orGiven(objective, parseObjective);
}

/** The fields of a rule, of a file or of the service, with every default. */
export function ruleFields(rule: FileRule): Fields {
  const { slug: _, ...fields } = withDefaults({ slug: '', ...rule });
  return fields;
}

function refuseTwoDefaults(policies: ApplyFile['policies'] = {}, placeOf: ReadFile['placeOf']): void {
  for (const severity of alertSeverities) {
    const [one, other] = Object.keys(policies).filter((slug) =>
      policies[slug]?.defaultFor?.includes(severity),
    );
    if (one === undefined || other === undefined) continue;
    throw new FileError(
      `${placeOf(['policies', other, 'defaultFor'])}: The policy "${one}" is the default for ${severity} already.`,
    );
  }
}
