/** A range as the address has it: `now-6h`, or a time with a zone. The service reads both. */
export type Range = { from: string; to: string };

/** Lengths of the ranges that the picker offers, in seconds. */
export const presetsSeconds = [
  ...([900, 3_600, 21_600, 86_400, 259_200, 604_800, 1_209_600] as const),
  ...([2_592_000, 7_776_000, 31_536_000] as const),
];

const unitsSeconds = { m: 60, h: 3_600, d: 86_400 } as const;

export const usualRange: Range = { from: 'now-6h', to: 'now' };

/** The range up to now with this length, in whole minutes: the service reads no seconds. */
export function rangeUpToNow(seconds: number): Range {
  const whole = Math.max(1, Math.round(seconds / 60)) * 60;
  const [unit = 'm', size = 60] =
    (Object.entries(unitsSeconds) as [string, number][])
      .reverse()
      .find(([, unitSeconds]) => whole % unitSeconds === 0) ?? [];
  return { from: `now-${whole / size}${unit}`, to: 'now' };
}

/**
 * The time of an end in milliseconds since the epoch: of `now`, `now-6h`, a time with a zone, or a date, of which `from`
 * is the start in UTC and `to` the end, as the service reads them. `undefined` for anything else.
 */
export function timeOf(name: 'from' | 'to', text: string, now: number): number | undefined {
  if (text === 'now') return now;
  const [, count, unit] = /^now-(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) {
    return now - Number(count) * unitsSeconds[unit as keyof typeof unitsSeconds] * 1000; // The pattern has these three.
  }
  const isTime = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/.test(text);
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  // JavaScript reads the 30th of February as the 2nd of March, which the service refuses; Date.parse of a date is in UTC.
  const at = isTime || isDay ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at) || (isDay && !new Date(at).toISOString().startsWith(text))) return undefined;
  return isDay && name === 'to' ? at + 86_400_000 : at;
}

/** The ends of a range in milliseconds since the epoch; `undefined` when it is no range or is empty. */
export function endsOf({ from, to }: Range, now: number): { from: number; to: number } | undefined {
  const [start, end] = [timeOf('from', from, now), timeOf('to', to, now)];
  return start === undefined || end === undefined || start >= end ? undefined : { from: start, to: end };
}

/** Whether the range moves with the time. */
export function isLive({ to }: Range): boolean {
  return to === 'now';
}

/**
 * Returns the time between two reads in milliseconds, shorter for ranges up to an hour and longer for those beyond two weeks,
 * whose steps are hours and days; `undefined` for a range that stands.
 */
export function pollMsOf(range: Range, now: number): number | undefined {
  const ends = isLive(range) ? endsOf(range, now) : undefined;
  if (ends === undefined) return undefined;
  const lengthMs = ends.to - ends.from;
  if (lengthMs > 1_209_600_000) return 300_000;
  return lengthMs <= 3_600_000 ? 10_000 : 30_000;
}

/**
 * The same length, just before. A range that moves with the time has one before that does too, so that both have one
 * address, and the browser knows an answer that has not changed.
 */
export function rangeBefore(range: Range, now: number): Range | undefined {
  const [, count, unit] = /^now-(\d{1,5})([mhd])$/.exec(range.from) ?? [];
  if (range.to === 'now' && count !== undefined)
    return { from: `now-${2 * Number(count)}${unit}`, to: range.from };
  const ends = endsOf(range, now);
  return ends && absoluteRange(2 * ends.from - ends.to, ends.from);
}

const rangeMsMax = 31_536_000_000;

/** Twice as long around the same middle, and not beyond now or 365 days. One up to now stays so. */
export function widerRange(range: Range, now: number): Range | undefined {
  const ends = endsOf(range, now);
  if (ends === undefined) return undefined;
  const lengthMs = Math.min(rangeMsMax, 2 * (ends.to - ends.from));
  if (isLive(range)) return rangeUpToNow(Math.round(lengthMs / 1_000));
  const to = Math.min(now, (ends.from + ends.to + lengthMs) / 2);
  return absoluteRange(to - lengthMs, to);
}

/** A range of fixed times, which a copied link keeps. */
export function absoluteRange(from: number, to: number): Range {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
