import {
  type ChangeRule,
  type ManagedRule,
  type noDataChoices,
  type PutRule,
  type poolFigures,
  type RuleCondition,
  type RuleKind,
  type RuleTarget,
  ruleKinds,
  type ruleOperators,
  type rulePercentiles,
} from '../../../../../contract/manage/rules.js';
import type { AlertSeverity } from '../../../../../contract/manage/shared.js';
import { proposeSlug } from '../../../../../lib/slug.js';

/** The fields of the form for every kind; an empty text and null stand for nothing. */
export type RuleValues = {
  name: string;
  slug: string;
  kind: RuleKind;
  service: string;
  endpoint: string;
  method: string;
  by: 'together' | 'service' | 'endpoint';
  reporter: string;
  team: string;
  region: string;
  /** `monitor:website`, `group:shop`; empty for all monitors. */
  watched: string;
  database: string;
  pool: string;
  objective: string;
  query: string;
  windowMinutes: number | null;
  requestsMin: number | null;
  percent: number | null;
  percentile: (typeof rulePercentiles)[number];
  overMs: number | null;
  below: 'usual' | 'requests';
  belowRequests: number | null;
  belowPercentOfUsual: number | null;
  reporterIs: 'late' | 'silent';
  monitorIs: 'down' | 'degraded' | 'certificate';
  certificateDays: number | null;
  figure: (typeof poolFigures)[number];
  above: number | null;
  factor: number | null;
  longMinutes: number | null;
  shortMinutes: number | null;
  operator: (typeof ruleOperators)[number];
  value: number | null;
  forSeconds: number | null;
  resolveForSeconds: number | null;
  noData: (typeof noDataChoices)[number];
  severity: AlertSeverity;
  /** Empty for the default of the page. */
  policy: string;
  opensIncident: boolean;
  /** Empty for the texts of the service. */
  template: string;
  /** `monitor:website`, `rule:database`. */
  dependsOn: readonly string[];
  enabled: boolean;
};

/** Numbers that fit most pages. */
export const usualValues: RuleValues = {
  ...{ name: '', slug: '', kind: 'failure-rate' },
  ...{ service: '', endpoint: '', method: '', by: 'together', reporter: '', team: '', region: '' },
  ...{ watched: '', database: '', pool: '', objective: '', query: '' },
  ...{ windowMinutes: 5, requestsMin: 100, percent: 5, percentile: 'p95', overMs: 1_000 },
  ...{ below: 'usual', belowRequests: 100, belowPercentOfUsual: 50, reporterIs: 'silent' },
  ...{ monitorIs: 'down', certificateDays: 14, figure: 'waiting', above: 0 },
  ...{ factor: 14.4, longMinutes: 60, shortMinutes: 5, operator: '>', value: 0 },
  ...{ forSeconds: 0, resolveForSeconds: 0, noData: 'keep', severity: 'page', policy: '' },
  ...{ opensIncident: false, template: '', dependsOn: [], enabled: true },
};

/** Returns the field's values that another kind begins with: a monitor that is paused is no trouble any more. */
export function noDataOf(kind: RuleKind): RuleValues['noData'] {
  return kind === 'monitor' || kind === 'reporter' ? 'ok' : 'keep';
}

export function valuesOf(rule: ManagedRule): RuleValues {
  const { target, condition, opensIncident, dependsOn } = rule;
  const { monitor, group, by = 'together', ...places } = target;
  const { is, certificateDays, ...given } = condition;
  return {
    ...usualValues,
    ...places,
    ...given,
    ...{ name: rule.name, slug: rule.slug, kind: rule.kind, by },
    watched: monitor !== undefined ? `monitor:${monitor}` : group !== undefined ? `group:${group}` : '',
    requestsMin: condition.requestsMin ?? null,
    below: condition.belowRequests === undefined ? 'usual' : 'requests',
    reporterIs: is === 'late' ? 'late' : 'silent',
    monitorIs: certificateDays !== undefined ? 'certificate' : is === 'degraded' ? 'degraded' : 'down',
    certificateDays: certificateDays ?? usualValues.certificateDays,
    ...{ forSeconds: rule.forSeconds, resolveForSeconds: rule.resolveForSeconds, noData: rule.noData },
    ...{ severity: rule.severity, policy: rule.policy ?? '', enabled: rule.enabled },
    ...{ opensIncident: opensIncident !== null, template: opensIncident?.template ?? '' },
    dependsOn: dependsOn.map((one) => ('monitor' in one ? `monitor:${one.monitor}` : `rule:${one.rule}`)),
  };
}

/** Returns the values that an address asks for, such as that of a chart: the kind, and what it looks at. */
export function valuesOfAddress(query: Readonly<Record<string, string>>): RuleValues {
  const kind = ruleKinds.find((one) => one === query['new']) ?? usualValues.kind;
  const textOf = (name: string) => query[name]?.slice(0, 200) ?? '';
  const by = query['by'];
  return {
    ...usualValues,
    ...{ kind, noData: noDataOf(kind), service: textOf('service'), endpoint: textOf('endpoint') },
    ...{ method: textOf('method'), objective: textOf('objective'), reporter: textOf('reporter') },
    query: textOf('query'),
    ...(textOf('monitor') !== '' && { watched: `monitor:${textOf('monitor')}` }),
    ...((by === 'service' || by === 'endpoint') && { by }),
    ...(kind === 'traffic' && { windowMinutes: 15 }),
  };
}

/** Returns the short name: the one that is entered, or one like the name. */
export function slugOf({ name, slug }: Pick<RuleValues, 'name' | 'slug'>): string {
  if (slug !== '') return slug;
  return proposeSlug(name, 'rule').slice(0, 60).replace(/-+/g, '-').replace(/-$/, '');
}

/** Returns the whole body of a rule. Empty numbers are 0, which the service refuses where they may not be. */
export function bodyOf(values: RuleValues): PutRule {
  const { opensIncident, template, policy } = values;
  return {
    ...{ name: values.name.trim(), kind: values.kind },
    ...{ target: targetOf(values), condition: conditionOf(values) },
    ...{ forSeconds: values.forSeconds ?? 0, resolveForSeconds: values.resolveForSeconds ?? 0 },
    ...{ noData: values.noData, severity: values.severity, policy: policy === '' ? null : policy },
    opensIncident: opensIncident ? { template: template === '' ? null : template } : null,
    dependsOn: values.dependsOn.map(dependencyOf),
    enabled: values.enabled,
  };
}

/** The fields of a request that each field of the form is in, where that is another one. */
const placeOf: Partial<Record<keyof RuleValues, keyof ChangeRule>> = {
  ...{ name: 'name', forSeconds: 'forSeconds', resolveForSeconds: 'resolveForSeconds', noData: 'noData' },
  ...{ severity: 'severity', policy: 'policy', dependsOn: 'dependsOn', enabled: 'enabled' },
  ...{ opensIncident: 'opensIncident', template: 'opensIncident' },
  ...{ service: 'target', endpoint: 'target', method: 'target', by: 'target', reporter: 'target' },
  ...{ team: 'target', region: 'target', watched: 'target', database: 'target', pool: 'target' },
  ...{ objective: 'target', query: 'target' },
};

/** Returns the fields of the request that the changes of the form are in. */
export function changesOf(changes: Partial<RuleValues>, values: RuleValues): ChangeRule {
  const { kind: _, slug: __, ...body } = bodyOf(values);
  const places = new Set(
    Object.keys(changes).map((field) => placeOf[field as keyof RuleValues] ?? ('condition' as const)), // Names of its fields.
  );
  const wanted = Object.entries(body).filter(([field]) => places.has(field as keyof ChangeRule));
  return Object.fromEntries(wanted);
}

function dependencyOf(text: string): { monitor: string } | { rule: string } {
  const at = text.indexOf(':');
  const slug = text.slice(at + 1);
  return text.startsWith('monitor:') ? { monitor: slug } : { rule: slug };
}

/** Returns a record without its empty texts. */
function given(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]])),
  );
}

function targetOf(values: RuleValues): RuleTarget {
  const { kind, service, endpoint, method, by, reporter, team, region, watched } = values;
  switch (kind) {
    case 'failure-rate':
    case 'latency':
    case 'traffic':
      return {
        ...given({ service, endpoint, method: endpoint.trim() === '' ? '' : method }),
        ...(by !== 'together' && values[by].trim() === '' && { by }),
      };
    case 'reporter':
      return given({ reporter, team, region });
    case 'monitor': {
      const slug = watched.slice(watched.indexOf(':') + 1);
      if (watched === '') return {};
      return watched.startsWith('monitor:') ? { monitor: slug } : { group: slug };
    }
    case 'pool':
      return given({ service, database: values.database, pool: values.pool });
    case 'burn-rate':
      return given({ objective: values.objective });
    case 'query':
      return given({ query: values.query });
  }
}

function conditionOf(values: RuleValues): RuleCondition {
  const { kind, monitorIs, requestsMin } = values;
  const windowMinutes = values.windowMinutes ?? 0;
  const least = requestsMin === null ? {} : { requestsMin };
  switch (kind) {
    case 'failure-rate':
      return { percent: values.percent ?? 0, windowMinutes, ...least };
    case 'latency':
      return { percentile: values.percentile, overMs: values.overMs ?? 0, windowMinutes, ...least };
    case 'traffic':
      return values.below === 'usual'
        ? { belowPercentOfUsual: values.belowPercentOfUsual ?? 0, windowMinutes }
        : { belowRequests: values.belowRequests ?? 0, windowMinutes };
    case 'reporter':
      return { is: values.reporterIs };
    case 'monitor':
      return monitorIs === 'certificate'
        ? { certificateDays: values.certificateDays ?? 0 }
        : { is: monitorIs };
    case 'pool':
      return { figure: values.figure, above: values.above ?? 0, windowMinutes };
    case 'burn-rate':
      return {
        factor: values.factor ?? 0,
        longMinutes: values.longMinutes ?? 0,
        shortMinutes: values.shortMinutes ?? 0,
      };
    case 'query':
      return { operator: values.operator, value: values.value ?? 0 };
  }
}
