import type { Format } from '../../../format.js';
import { textFor } from '../../../texts.js';
import type { RulesTexts } from '../texts.js';
import type { FormTexts } from './texts.js';
import type { RuleValues } from './values.js';

/** Returns the label of each field, for the choice between two versions. */
export function labelsOf(texts: FormTexts, rules: RulesTexts): Record<keyof RuleValues, string> {
  return {
    ...{ name: texts.nameField, slug: texts.slug, kind: texts.kind, service: texts.service },
    ...{ endpoint: texts.endpoint, method: texts.method, by: texts.by, reporter: texts.reporter },
    ...{ team: texts.team, region: texts.region, watched: texts.watched, database: texts.database },
    ...{ pool: texts.pool, objective: texts.objective, query: texts.query, windowMinutes: texts.window },
    ...{ requestsMin: texts.requestsMin, percent: texts.percentField, percentile: texts.percentile },
    ...{ overMs: texts.overMs, below: texts.below, belowRequests: texts.belows.requests },
    ...{ belowPercentOfUsual: texts.belows.usual, reporterIs: texts.is, monitorIs: texts.is },
    ...{ certificateDays: texts.certificateDays, figure: texts.figure, above: texts.above },
    ...{ factor: texts.factor, longMinutes: texts.long, shortMinutes: texts.short },
    ...{
      operator: texts.operator,
      value: texts.value,
      forSeconds: texts.for,
      resolveForSeconds: texts.resolveFor,
    },
    ...{ noData: texts.noData, severity: texts.severityField, policy: texts.policyField },
    ...{ opensIncident: texts.opensIncident, template: texts.template, dependsOn: texts.dependsOn },
    enabled: rules.on,
  };
}

type Words = { texts: FormTexts; rules: RulesTexts; format: Pick<Format, 'span'> };

/** Returns a value of a field as people read it. */
export function wordValue(
  field: keyof RuleValues,
  value: RuleValues[keyof RuleValues],
  { texts, rules, format }: Words,
): string {
  if (value === null || value === '') return texts.nothing;
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (typeof value === 'number') {
    if (field.endsWith('Seconds')) return value === 0 ? '0' : format.span(value);
    return field.endsWith('Minutes') ? format.span(value * 60) : String(value);
  }
  if (typeof value !== 'string') {
    return value.map((one) => one.slice(one.indexOf(':') + 1)).join(', ') || texts.nothing;
  }
  const names: Partial<Record<keyof RuleValues, Readonly<Record<string, string>>>> = {
    ...{ kind: rules.kinds, by: texts.bys, below: texts.belows, reporterIs: texts.reporterIs },
    ...{
      monitorIs: texts.monitorIs,
      figure: texts.figures,
      noData: texts.noDatas,
      severity: rules.severities,
    },
  };
  const known = names[field];
  if (field === 'watched') return value.slice(value.indexOf(':') + 1);
  return (known && textFor(known, value)) ?? value;
}
