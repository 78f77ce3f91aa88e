import { isLine, lineRule } from '../../contract/line.js';
import {
  type RuleCondition,
  type RuleKind,
  type RuleTarget,
  ruleLimits,
} from '../../contract/manage/rules.js';
import { ServiceError } from '../../lib/service-error.js';
import type { RuleFields } from './rule.js';

/** The fields of the target and of the condition that a kind takes. */
type Taken = {
  target: readonly (keyof RuleTarget)[];
  needs: readonly (keyof RuleCondition)[];
  /** One of these, and only one. */
  oneOf?: readonly (keyof RuleCondition)[];
  may?: readonly (keyof RuleCondition)[];
};

const requests = ['service', 'endpoint', 'method', 'by'] as const;

const takenBy: Readonly<Record<RuleKind, Taken>> = {
  'failure-rate': { target: requests, needs: ['percent', 'windowMinutes'], may: ['requestsMin'] },
  latency: { target: requests, needs: ['percentile', 'overMs', 'windowMinutes'], may: ['requestsMin'] },
  traffic: { target: requests, needs: ['windowMinutes'], oneOf: ['belowRequests', 'belowPercentOfUsual'] },
  reporter: { target: ['reporter', 'team', 'region'], needs: ['is'] },
  monitor: { target: ['monitor', 'group'], needs: [], oneOf: ['is', 'certificateDays'] },
  pool: { target: ['service', 'database', 'pool'], needs: ['figure', 'above', 'windowMinutes'] },
  'burn-rate': { target: ['objective'], needs: ['factor', 'longMinutes', 'shortMinutes'] },
  query: { target: ['query'], needs: ['operator', 'value'], may: ['windowMinutes'] },
};

const states: Partial<Record<RuleKind, readonly string[]>> = {
  reporter: ['late', 'silent'],
  monitor: ['down', 'degraded'],
};

/**
 * Checks what the schema cannot: which fields a kind takes, and how they fit together.
 *
 * @throws ServiceError `invalidBody`, naming the field.
 */
export function checkRule({ kind, name, target, condition, opensIncident }: RuleFields): void {
  if (!isLine('line', name)) throw invalid(`/name ${lineRule('line')}.`);
  // The service has texts for customers about failing requests alone.
  if (opensIncident?.template === null && kind !== 'failure-rate')
    throw invalid(`/opensIncident/template is missing: a rule of the kind ${kind} has no texts of its own.`);
  checkTarget(kind, target);
  checkCondition(kind, condition);
}

function checkTarget(kind: RuleKind, target: RuleTarget): void {
  const taken = takenBy[kind].target;
  for (const field of namesOf(target)) {
    if (!taken.includes(field)) throw invalid(`/target/${field} has no meaning for the kind ${kind}.`);
  }
  if (target.endpoint !== undefined && target.service === undefined)
    throw invalid('/target/service is missing: an endpoint is one of a service.');
  if (target.method !== undefined && target.endpoint === undefined)
    throw invalid('/target/endpoint is missing: a method is one of an endpoint.');
  if (target.by !== undefined && target[target.by] !== undefined)
    throw invalid(`/target/by is ${target.by}, but the target names one.`);
  if (target.monitor !== undefined && target.group !== undefined)
    throw invalid('/target names a monitor and a group; leave one out.');
  for (const field of ['objective', 'query'] as const) {
    if (taken.includes(field) && target[field] === undefined) throw invalid(`/target/${field} is missing.`);
  }
}

function checkCondition(kind: RuleKind, condition: RuleCondition): void {
  const { needs, oneOf = [], may = [] } = takenBy[kind];
  const given = namesOf(condition);
  for (const field of given) {
    if (![...needs, ...oneOf, ...may].includes(field))
      throw invalid(`/condition/${field} has no meaning for the kind ${kind}.`);
  }
  for (const field of needs) {
    if (condition[field] === undefined) throw invalid(`/condition/${field} is missing.`);
  }
  const chosen = oneOf.filter((field) => condition[field] !== undefined);
  if (oneOf.length > 0 && chosen.length !== 1) throw invalid(`/condition needs one of ${oneOf.join(', ')}.`);
  const allowed = states[kind];
  if (condition.is !== undefined && allowed !== undefined && !allowed.includes(condition.is))
    throw invalid(`/condition/is must be one of ${allowed.join(', ')}.`);
  checkPoolFigure(condition);
  const { longMinutes = 0, shortMinutes = 0 } = condition;
  if (kind === 'burn-rate' && shortMinutes >= longMinutes)
    throw invalid('/condition/shortMinutes must be less than longMinutes.');
}

/** A line that no figure can be above would never fire. */
function checkPoolFigure({ figure, above = 0 }: RuleCondition): void {
  if (figure === 'utilization' && above >= 100)
    throw invalid('/condition/above must be less than 100 percent.');
  if (figure === 'acquisitionP95Ms' && above > ruleLimits.acquisitionMsMax)
    throw invalid(
      `/condition/above must be at most ${ruleLimits.acquisitionMsMax}: longer acquisitions are not told apart.`,
    );
}

/** The names of the fields that are there. */
function namesOf<T extends object>(fields: T): (keyof T & string)[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [name as keyof T & string],
  );
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}
