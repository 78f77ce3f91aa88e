import type { ObjectiveReport } from '../../../../contract/manage/objective-report.js';
import type { ManagedObjective } from '../../../../contract/manage/objectives.js';
import type { Format } from '../../format.js';
import type { Tone } from '../../kit/badge.js';
import type { ObjectivesTexts } from './texts.js';

export type Words = { texts: ObjectivesTexts; format: Format };

/** Below this percentage of the budget, somebody should look. */
const lowPercent = 25;

/** Returns the tone of what is left of a budget, in percent. */
export function toneOfLeft(leftPercent: number | null): Tone {
  if (leftPercent === null) return 'none';
  if (leftPercent <= 0) return 'bad';
  return leftPercent < lowPercent ? 'warn' : 'good';
}

/**
 * Returns the percentage that was good, cut to a decimal more than the target has, and to two at least: 99.8999 under a
 * target of 99.9 must not read as met.
 */
export function sayCompliance(
  compliance: number,
  target: number,
  { percent }: Pick<Format, 'percent'>,
): string {
  const decimals = Math.min(5, Math.max(2, decimalsOf(target) + 1));
  const factor = 10 ** decimals;
  // 99.93 * 100 is 9993.000000000002, and 99.57 * 100 is 9956.999999999998.
  return percent(Math.floor(compliance * factor + 1e-6) / factor);
}

function decimalsOf(value: number): number {
  return String(value).split('.')[1]?.length ?? 0;
}

/** Returns an amount of a budget in words: `1,204 requests`, or `3 hours 5 minutes`. */
export function sayAmount(unit: ObjectiveReport['unit'], amount: number, { texts, format }: Words): string {
  if (unit === 'minutes') {
    return Math.round(amount * 60) === 0 ? texts.noTime : format.duration(amount * 60);
  }
  const whole = rounded(amount);
  return texts.requests({ count: whole, shown: format.number(whole) });
}

/** Returns an amount without its noun, for the first of two: `136` of 200 requests. */
export function sayPlain(unit: ObjectiveReport['unit'], amount: number, words: Words): string {
  return unit === 'minutes' ? sayAmount(unit, amount, words) : words.format.number(rounded(amount));
}

/** A budget of requests may be a fraction, which matters while it is small. */
function rounded(amount: number): number {
  return Math.abs(amount) < 10 ? Math.round(amount * 10) / 10 : Math.round(amount);
}

/** Returns `63 % left`, or `12 % over` for a budget that is spent. */
export function sayLeft(leftPercent: number | null, { texts, format }: Words): string {
  if (leftPercent === null) return texts.notMeasured;
  return leftPercent < 0
    ? texts.overspent({ share: shareOf(-leftPercent, format) })
    : texts.leftShare({ share: shareOf(leftPercent, format) });
}

/** Returns a percentage without decimals, unless that would read as nothing or as all. */
export function shareOf(percent: number, format: Pick<Format, 'percent'>): string {
  const whole = Math.round(percent);
  const isEnd = (whole === 0 && percent > 0) || (whole === 100 && percent < 100);
  return format.percent(isEnd ? Math.round(percent * 100) / 100 : whole);
}

/** Returns a burn rate such as `1.4×`. */
export function sayRate(rate: number, { texts, format }: Words): string {
  return texts.times({
    rate: format.number(rate >= 10 ? Math.round(rate * 10) / 10 : Math.round(rate * 100) / 100),
  });
}

/** Returns `99.9 % in 28 days`. */
export function sayTarget(
  { target, window }: Pick<ManagedObjective, 'target' | 'window'>,
  { texts, format }: Words,
) {
  const said = 'days' in window ? texts.inDays({ count: window.days }) : texts.windows[window.calendar];
  return texts.says({ target: format.percent(target), window: said });
}

/** Returns what an objective measures, such as `checkout POST /pay within 300 ms`. */
export function saySli(
  { sli, underMsUsed }: Pick<ManagedObjective, 'sli' | 'underMsUsed'>,
  words: Words,
): string {
  const { texts, format } = words;
  if ('monitor' in sli) return texts.ofMonitor({ monitor: sli.monitor.slug });
  const { service, method, endpoint } = sli.requests;
  const what = [service, method, endpoint].filter((part) => part !== undefined).join(' ');
  const under = underMsUsed === null ? [] : [texts.under({ ms: format.ms(underMsUsed) })];
  return [what === '' ? texts.ofAll : what, ...under].join(' ');
}

/** Returns when the budget ends: a moment, that it is spent, or that it lasts. */
export function sayEnd(
  { endsAt, budget }: Pick<ObjectiveReport, 'endsAt' | 'budget'>,
  { texts, format }: Words,
): string {
  if (budget.leftPercent === null) return texts.notMeasured;
  if (budget.leftPercent <= 0) return texts.spentUp;
  return endsAt === null ? texts.lasts : format.moment(Date.parse(endsAt));
}

/** Returns the burn rate over so many minutes; null where nothing was measured. */
export function rateOver({ burnRates }: Pick<ObjectiveReport, 'burnRates'>, minutes: number): number | null {
  return burnRates.find((one) => one.minutes === minutes)?.rate ?? null;
}
