import { type Kept, type KeptNotes, noteKept } from '../../lib/kept.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import { keptInSteps, loadKeptSince, roundPeriod, shortestStepMs } from './kept-figures.js';
import { loadLevels } from './levels.js';
import { roundingUnitMs, type TotalsQuery } from './parse-figures.js';
import type { Scope } from './parts-source.js';
import { type Part, type Period, sixHoursMs, splitPeriod } from './periods.js';
import { detailOf, isOfEndpoints } from './question.js';
import { sparklineStepMs } from './sparklines.js';

/** The period of a query and the one before, which is null when it is not asked for or not kept. */
export type Plan = {
  period: Period;
  /** Whether all of the period is kept. */
  isKept: boolean;
  /** The length of the steps of sparklines; null without them. */
  stepMs: number | null;
  previous: Period | null;
  /** Says what of the two is not kept. */
  notes: KeptNotes;
  /** Returns from when on steps of a length in milliseconds are kept. */
  keptInSteps(stepMs: number): Kept;
  /** The parts in which the requests of a period are counted, as a whole or in steps of `stepMs`. */
  countsOf(period: Period, stepMs?: number): Part[];
  /** The parts of which the percentiles of a period are; wider than the period where that makes them much cheaper. */
  percentilesOf(period: Period): Part[];
};

/** From this length on, percentiles of endpoints come from whole steps of six hours, or of days. */
const wholeStepsFromMs = dayMs;

/**
 * Finds out from which tables the periods of a query can be read, and its sparklines of at most `points` points; 0 for none.
 *
 * @throws as loadEventRows() does.
 */
export async function planPeriods(
  clickhouse: EventReader,
  scope: Scope,
  {
    range,
    comparesPrevious,
    points = 0,
  }: Pick<TotalsQuery, 'range' | 'comparesPrevious'> & { points?: number },
  now: number,
): Promise<Plan> {
  const detail = detailOf(scope);
  const since = await loadKeptSince(clickhouse);
  const period = roundPeriod(range, { unitMs: roundingUnitMs(range), detail, now });
  const keptOf = (stepMs: number) => keptInSteps(detail, stepMs, { since, now });
  const keptAround = ({ from }: Period) => keptOf(from % dayMs === 0 ? dayMs : hourMs);
  const kept = keptAround(period);
  const before = comparesPrevious
    ? roundPeriod({ from: 2 * period.from - period.to, to: period.from }, { unitMs: minuteMs, detail, now })
    : null;
  const previous = before === null || before.from < keptAround(before).from ? null : before;
  const notes = noteKept(period.from, kept);
  const isWide = isOfEndpoints(scope) && period.to - period.from >= wholeStepsFromMs;
  // After two weeks, days are the shortest steps without a status.
  const around = (one: Period) =>
    aroundSteps(one, shortestStepMs(detail, one.from, now) < hourMs ? sixHoursMs : dayMs);
  const asked = previous === null ? [period] : [period, previous];
  const periods = isWide ? [...asked, ...asked.map(around)] : asked;
  const stepMs =
    points === 0 ? null : sparklineStepMs(period, points, shortestStepMs(detail, period.from, now));
  // Sparklines are read from tables that may take no part in the sums, and what these lack must be known as well.
  const unitsMs = stepMs === null ? [dayMs] : [dayMs, stepMs];
  const levels = await loadLevels(clickhouse, scope.pageId, scope, { periods, unitsMs, now, since });
  const measured = levels.filter(({ hasBuckets }) => hasBuckets);
  return {
    ...{ period, previous, isKept: period.from >= kept.from },
    stepMs,
    notes: before !== null && previous === null ? noteBefore(notes, keptAround(before)) : notes,
    keptInSteps: keptOf,
    countsOf: (one, unitMs = dayMs) => splitPeriod(one, levels, unitMs),
    percentilesOf: (one) => splitPeriod(isWide ? around(one) : one, measured, dayMs),
  };
}

/** Returns the whole steps that a period touches. */
function aroundSteps({ from, to }: Period, stepMs: number): Period {
  return { from: Math.floor(from / stepMs) * stepMs, to: Math.ceil(to / stepMs) * stepMs };
}

/** Says that the period before is not kept, though the period of the query is. */
function noteBefore(notes: KeptNotes, { from, why }: Kept): KeptNotes {
  if (notes.keptFrom !== null) return notes;
  const keptFrom = new Date(from).toISOString();
  return {
    keptFrom,
    notKept: `${why} The period before begins before ${keptFrom}, so "previous" is null.`,
  };
}
