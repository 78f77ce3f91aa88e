import type { ManagedRule } from '../../../../contract/manage/rules.js';
import type { Format } from '../../format.js';
import type { RulesTexts } from './texts.js';

export type Words = { texts: RulesTexts; format: Format };

/** Returns what a rule looks at, such as `checkout POST /pay`, or `each service`. */
export function sayTarget({ kind, target }: Pick<ManagedRule, 'kind' | 'target'>, { texts }: Words): string {
  const { service, endpoint, method, by, monitor, group, objective, query } = target;
  switch (kind) {
    case 'monitor':
      if (group !== undefined) return texts.groupOf({ name: group });
      return monitor ?? texts.allMonitors;
    case 'reporter':
      return sayReporters(target, texts);
    case 'pool':
      return [service, target.database, target.pool].filter(isGiven).join(' › ') || texts.allPools;
    case 'burn-rate':
      return objective ?? '';
    case 'query':
      return query ?? '';
    default: {
      const place = [service, method, endpoint].filter(isGiven).join(' ');
      const each = by === undefined ? undefined : texts.each[by];
      return [place, each].filter((part) => part !== undefined && part !== '').join(', ') || texts.everything;
    }
  }
}

function sayReporters({ reporter, team, region }: ManagedRule['target'], texts: RulesTexts): string {
  const parts = [
    reporter,
    team === undefined ? undefined : texts.team({ name: team }),
    region === undefined ? undefined : texts.region({ name: region }),
  ];
  return parts.filter(isGiven).join(', ') || texts.allReporters;
}

function isGiven(part: string | undefined): part is string {
  return part !== undefined;
}

/** Returns when a rule fires, such as `5 % or more fail in 5 minutes`. */
export function sayCondition(rule: Pick<ManagedRule, 'kind' | 'condition'>, words: Words): string {
  const { kind, condition } = rule;
  const { texts, format } = words;
  const span = format.span((condition.windowMinutes ?? 0) * 60);
  const says = texts.conditions;
  switch (kind) {
    case 'failure-rate':
      return says['failure-rate']({ percent: format.percent(condition.percent ?? 0), span });
    case 'latency':
      return says.latency({
        percentile: condition.percentile ?? '',
        ms: format.ms(condition.overMs ?? 0),
        span,
      });
    case 'traffic':
      return condition.belowRequests === undefined
        ? says.belowUsual({ percent: format.percent(condition.belowPercentOfUsual ?? 0), span })
        : says.below({ count: format.count(condition.belowRequests), span });
    case 'pool':
      return says.pool({
        figure: texts.figures[condition.figure ?? 'waiting'],
        value: format.number(condition.above ?? 0),
        span,
      });
    case 'burn-rate':
      return says['burn-rate']({
        factor: format.number(condition.factor ?? 0),
        long: format.span((condition.longMinutes ?? 0) * 60),
        short: format.span((condition.shortMinutes ?? 0) * 60),
      });
    case 'query':
      return says.query({ operator: condition.operator ?? '', value: format.number(condition.value ?? 0) });
    default:
      return condition.certificateDays === undefined
        ? says[condition.is ?? 'down']
        : says.certificate({ count: condition.certificateDays });
  }
}
