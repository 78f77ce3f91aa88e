import { limits } from '../../contract/limits.js';
import { type Kept, type KeptNotes, keptAt, noteKept } from '../../lib/kept.js';
import { dayMs, hourMs } from '../../lib/times.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import { isOfEndpoints, loadLevels } from './levels.js';
import { roundingUnitMs, type TotalsQuery } from './parse-figures.js';
import type { Scope } from './parts-source.js';
import { type Part, type Period, sixHoursMs, splitPeriod } from './periods.js';

/** The period of a query and the one before, which is null when it is not asked for or not kept. */
export type Plan = {
  period: Period;
  /** Whether all of the period is kept. */
  isKept: boolean;
  /** From when on its steps are kept. */
  kept: Kept;
  previous: Period | null;
  /** Says what of the two is not kept. */
  notes: KeptNotes;
  /** The parts in which the requests of a period are counted. Steps that do not divide `unitMs` are not among them. */
  countsOf(period: Period, unitMs?: number): Part[];
  /** The parts of which the percentiles of a period are; wider than the period where that makes them much cheaper. */
  percentilesOf(period: Period): Part[];
};

/** From this length on, percentiles of endpoints come from whole steps of six hours. */
const wholeStepsFromMs = dayMs;

/**
 * Finds out from which tables the periods of a query can be read.
 *
 * @throws as loadEventRows() does.
 */
export async function planPeriods(
  clickhouse: EventReader,
  scope: Scope,
  { period, comparesPrevious }: Pick<TotalsQuery, 'period' | 'comparesPrevious'>,
  now: number,
): Promise<Plan> {
  const minutes = keptAt(now, limits.eventRetentionDays);
  // A long range that is all kept may begin a part of an hour before the first minute.
  const rounded = keptAt(now, limits.eventRetentionDays, roundingUnitMs(period));
  const isKept = period.from >= rounded.from;
  const kept = isKept ? rounded : minutes;
  const previous = comparesPrevious ? periodBefore(period, rounded) : null;
  const notes = noteKept(isKept ? minutes.from : period.from, minutes);
  const isWide = isOfEndpoints(scope) && period.to - period.from >= wholeStepsFromMs;
  const asked = previous === null ? [period] : [period, previous];
  const periods = isWide ? [...asked, ...asked.map(aroundSteps)] : asked;
  const levels = await loadLevels(clickhouse, scope.pageId, scope, { periods, unitMs: dayMs, now });
  const measured = levels.filter(({ hasBuckets }) => hasBuckets);
  const countsOf = (one: Period, unitMs = dayMs) => splitPeriod(one, levels, unitMs);
  return {
    ...{ period, isKept, kept, previous, countsOf },
    notes: comparesPrevious && previous === null ? noteBefore(notes, minutes) : notes,
    percentilesOf: (one) => splitPeriod(isWide ? aroundSteps(one) : one, measured, dayMs),
  };
}

/** Returns the steps of six hours that a period touches. */
function aroundSteps({ from, to }: Period): Period {
  return {
    from: Math.floor(from / sixHoursMs) * sixHoursMs,
    to: Math.ceil(to / sixHoursMs) * sixHoursMs,
  };
}

/**
 * The whole hours of a long range may add an hour at its start, and two to the length of the period before it. So
 * the last seven days have a period before them, of which rows of three hours may be gone.
 */
const roundingMs = 3 * hourMs;

function periodBefore({ from, to }: Period, kept: Kept): Period | null {
  const before = { from: from - (to - from), to: from };
  return before.from < kept.from - roundingMs ? null : before;
}

/** Says that the period before is not kept, though the period of the query is. */
function noteBefore(notes: KeptNotes, { from, days }: Kept): KeptNotes {
  if (notes.keptFrom !== null) return notes;
  const keptFrom = new Date(from).toISOString();
  return {
    keptFrom,
    notKept: `Figures are kept for ${days} days. The period before begins before ${keptFrom}, so "previous" is null.`,
  };
}
