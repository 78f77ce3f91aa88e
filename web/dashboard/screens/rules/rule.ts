import type { ManagedAlertRule, SetAlertRule } from '../../../../contract/manage/alert-rule.js';
import type { FieldErrors } from '../../reads/fetch-json.js';
import type { RulesTexts } from './texts.js';

/** The rule as its form has it; a field is `null` while it is empty. */
export type RuleFields = {
  thresholdPercent: number | null;
  windowMinutes: number | null;
  minimumRequests: number | null;
};

/** The values that fit most pages. */
export const usualRule: RuleFields = { thresholdPercent: 5, windowMinutes: 5, minimumRequests: 100 };

const minutesMax = 1_440;
const requestsMax = 1_000_000_000;

export function fieldsOf(rule: ManagedAlertRule): RuleFields {
  const { thresholdPercent, windowSeconds, minimumRequests } = rule;
  return { thresholdPercent, windowMinutes: windowSeconds / 60, minimumRequests };
}

export function checkRule(rule: RuleFields, texts: RulesTexts): FieldErrors {
  const { thresholdPercent: percent, windowMinutes: minutes, minimumRequests: requests } = rule;
  return {
    ...((percent === null || !(percent > 0 && percent <= 100)) && { thresholdPercent: texts.thresholdWrong }),
    ...(!isWhole(minutes, minutesMax) && { windowMinutes: texts.windowWrong }),
    ...(!isWhole(requests, requestsMax) && { minimumRequests: texts.minimumWrong }),
  };
}

function isWhole(value: number | null, max: number): boolean {
  return value !== null && Number.isInteger(value) && value >= 1 && value <= max;
}

/** The body of a request. Empty fields are 0, which the service refuses. */
export function bodyOf({ thresholdPercent, windowMinutes, minimumRequests }: RuleFields): SetAlertRule {
  return {
    thresholdPercent: thresholdPercent ?? 0,
    windowSeconds: (windowMinutes ?? 0) * 60,
    minimumRequests: minimumRequests ?? 0,
  };
}
