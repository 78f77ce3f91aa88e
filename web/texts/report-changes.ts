import type { ReportTexts } from './areas.js';
import type { Format } from './format.js';

/** Stands for a change from nothing, and from what was not measured. */
const nothing = '–';

/** Returns how much a figure has changed, as `+12.5%`; the locale of the format writes it. */
export function changeOf({ locale }: Format, now: number | null, before: number | null): string {
  if (now === null || before === null || before === 0) return nothing;
  const form = { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' } as const;
  return new Intl.NumberFormat(locale, form).format(now / before - 1);
}

/** Returns how much a share of 0 to 1 has changed in points of percent: `+0.5 points` from 1 % to 1.5 %. */
export function pointsOf(
  { locale }: Format,
  { points }: Pick<ReportTexts, 'points'>,
  now: number | null,
  before: number | null,
): string {
  if (now === null || before === null) return nothing;
  const form = { maximumFractionDigits: 2, signDisplay: 'exceptZero' } as const;
  return points({ points: new Intl.NumberFormat(locale, form).format(100 * (now - before)) });
}

/** Returns a percentage cut to three decimals, so that 99.9996 does not become 100. */
export function percentOf(format: Format, percent: number | null): string {
  if (percent === null) return nothing;
  return format.exactPercent(Math.floor(Math.round(percent * 100_000) / 100) / 1_000);
}
