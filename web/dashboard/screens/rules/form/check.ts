import { ruleLimits } from '../../../../../contract/manage/rules.js';
import { type FieldErrors, fieldErrorOf, type ReadError } from '../../../reads/fetch-json.js';
import type { FormTexts } from './texts.js';
import { type RuleValues, slugOf, usualValues } from './values.js';

type Problems = FormTexts['problems'];

/** Returns what is wrong with the fields that a kind has, by field. */
export function checkRule(values: RuleValues, texts: FormTexts): FieldErrors {
  const { problems } = texts;
  const isSlug = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(slugOf(values));
  const lacksTexts = values.opensIncident && values.template === '' && values.kind !== 'failure-rate';
  return {
    ...(values.name.trim() !== '' && !isSlug && { slug: texts.slugWrong }),
    ...checkLook(values, texts),
    ...(!isSeconds(values.forSeconds) && { forSeconds: problems.seconds }),
    ...(!isSeconds(values.resolveForSeconds) && { resolveForSeconds: problems.seconds }),
    ...(lacksTexts && { template: texts.templateNeeded }),
  };
}

/** The same of the fields that say what a rule looks at and when it fires. */
export function checkLook(values: RuleValues, texts: FormTexts): FieldErrors {
  const { problems } = texts;
  switch (values.kind) {
    case 'failure-rate':
    case 'latency':
    case 'traffic':
      return { ...checkPlace(values, problems), ...checkRequests(values, problems) };
    case 'monitor':
      return values.monitorIs === 'certificate' && !isWhole(values.certificateDays, 365)
        ? { certificateDays: problems.days }
        : {};
    case 'pool':
      return {
        ...checkWindow(values, problems),
        ...(!isAtLeast(values.above, 0) && { above: problems.positive }),
      };
    case 'burn-rate':
      return checkBurnRate(values, texts);
    case 'query':
      return {
        ...(values.query === '' && { query: texts.chooseQuery }),
        ...(values.value === null && { value: problems.number }),
      };
    case 'reporter':
      return {};
  }
}

function checkPlace({ service, endpoint }: RuleValues, problems: Problems): FieldErrors {
  return endpoint.trim() !== '' && service.trim() === '' ? { service: problems.endpoint } : {};
}

function checkWindow({ windowMinutes }: RuleValues, problems: Problems): FieldErrors {
  return isWhole(windowMinutes, ruleLimits.windowMinutesMax) ? {} : { windowMinutes: problems.window };
}

function checkRequests(values: RuleValues, problems: Problems): FieldErrors {
  const { kind, percent, overMs, requestsMin, below, belowRequests, belowPercentOfUsual: usual } = values;
  const isShare = usual !== null && usual > 0 && usual < 100;
  return {
    ...(kind === 'failure-rate' &&
      !(isAtLeast(percent, 0) && percent > 0 && percent <= 100) && { percent: problems.percent }),
    ...(kind === 'latency' && !isAtLeast(overMs, 0) && { overMs: problems.positive }),
    ...(kind === 'traffic' &&
      below === 'requests' &&
      !isAtLeast(belowRequests, 0) && { belowRequests: problems.positive }),
    ...(kind === 'traffic' && below === 'usual' && !isShare && { belowPercentOfUsual: problems.share }),
    ...(kind !== 'traffic' &&
      requestsMin !== null &&
      !isWhole(requestsMin, ruleLimits.requestsMinMax) && { requestsMin: problems.whole }),
    ...checkWindow(values, problems),
  };
}

function checkBurnRate(values: RuleValues, texts: FormTexts): FieldErrors {
  const { objective, factor, longMinutes: long, shortMinutes: short } = values;
  const { problems } = texts;
  const isFactor = factor !== null && factor > 0 && factor <= 1_000;
  const isLong = isWhole(long, 129_600) && long >= 5;
  return {
    ...(objective === '' && { objective: texts.chooseObjective }),
    ...(!isFactor && { factor: problems.factor }),
    ...(!isLong && { longMinutes: problems.long }),
    ...(!(isWhole(short, 10_080) && short < (long ?? 0)) && { shortMinutes: problems.short }),
  };
}

function isWhole(value: number | null, max: number): value is number {
  return value !== null && Number.isInteger(value) && value >= 1 && value <= max;
}

function isAtLeast(value: number | null, min: number): value is number {
  return value !== null && Number.isFinite(value) && value >= min;
}

function isSeconds(value: number | null): boolean {
  return value !== null && Number.isInteger(value) && value >= 0 && value <= ruleLimits.secondsMax;
}

/** Returns the field of the form that a refusal is about: the request has its fields in objects. */
export function explainRule(error: ReadError, texts: FormTexts): FieldErrors | undefined {
  if (error.status === 412) return { slug: texts.slugTaken };
  const { path = [], problem = '' } = fieldErrorOf(error) ?? fromSentence(error.message);
  const last = path.find((part) => part in usualValues) ?? path.at(-1) ?? '';
  const field = last === 'monitor' || last === 'group' ? 'watched' : last;
  if (!(field in usualValues)) return undefined;
  return { [field]: problem.charAt(0).toUpperCase() + problem.slice(1) };
}

/** A sentence may begin with the pointer of its field. */
function fromSentence(message: string): { path: readonly string[]; problem: string } {
  const [, pointer = '', problem = ''] = /^\/(\S+) (.*)$/.exec(message) ?? [];
  return { path: pointer.split('/'), problem };
}
