import { monitorSeriesLimits } from '../../contract/manage/monitor-checks.js';
import { invalid, type Parameters } from '../../lib/query-parameters.js';
import { parseSteppedRange, type SteppedRange, stepsOf } from '../../lib/steps.js';
import { dayMs, hourMs } from '../../lib/times.js';

/** A range in steps, and what its points are computed from. */
export type SeriesQuery = SteppedRange & { source: 'days' | 'hours' | 'checks' };

/**
 * Steps of whole days or hours come from what is computed for these, and the range grows to whole ones; shorter steps
 * come from checks.
 *
 * @throws ServiceError `invalidParameter`, naming the parameter.
 */
export function parseSeriesQuery(given: Parameters<'from' | 'to' | 'step'>, now: number): SeriesQuery {
  const range = parseSteppedRange(given, now);
  const stepMs = range.stepSeconds * 1000;
  const query = sourceOf(range, stepMs);
  const points = stepsOf(query).length;
  if (points > monitorSeriesLimits.points) {
    throw invalid(
      `Parameter "step" gives ${points} points; the most is ${monitorSeriesLimits.points}: take a longer step or a shorter range.`,
    );
  }
  if (query.source === 'checks' && query.to - query.from > monitorSeriesLimits.checksDays * dayMs) {
    throw invalid(
      `Parameter "step" must be whole hours for a range of more than ${monitorSeriesLimits.checksDays} days.`,
    );
  }
  return query;
}

function sourceOf(range: SteppedRange, stepMs: number): SeriesQuery {
  if (stepMs % dayMs === 0) return { ...widen(range, dayMs), source: 'days' };
  if (stepMs % hourMs === 0) return { ...widen(range, hourMs), source: 'hours' };
  return { ...range, source: 'checks' };
}

function widen(range: SteppedRange, unitMs: number): SteppedRange {
  return {
    ...range,
    from: Math.floor(range.from / unitMs) * unitMs,
    to: Math.ceil(range.to / unitMs) * unitMs,
  };
}
