import type { TopAnswer, TopRow } from '../../../contract/analytics/figures.js';
import type { RequestsAnswer, RequestsPoint } from '../../../contract/analytics/requests.js';

type Values = readonly (number | null)[];

/** A step that is kept, with requests in it. */
export type CountedPoint = RequestsPoint & { count: number; errors: number; clientErrors: number };

/** Whether a step is kept and had requests. */
export function isCounted(point: RequestsPoint): point is CountedPoint {
  return point.count !== null && point.count > 0;
}

type Stepped = Pick<TopAnswer, 'from' | 'to' | 'step' | 'unfinishedFrom'>;

/**
 * Says which steps of a range are whole, by their place: neither cut by one of its ends nor running. Those of a line
 * without axes look like a fall otherwise. All count as whole when there are few.
 */
function wholeOf({ from, to, step, unfinishedFrom }: Stepped, length: number): (index: number) => boolean {
  if (step === null || length < 4) return () => true;
  const stepMs = step * 1000;
  const start = Date.parse(from);
  const end = Math.min(Date.parse(to), unfinishedFrom === null ? Infinity : Date.parse(unfinishedFrom));
  const first = Math.floor(start / stepMs) * stepMs;
  return (i) => first + i * stepMs >= start && first + (i + 1) * stepMs <= end;
}

/** Returns the values of a sparkline over the whole steps of an answer, with a gap where nothing was counted or is kept. */
export function wholeSteps(
  { requests, errors }: NonNullable<TopRow['sparkline']>,
  answer: Stepped,
): { requests: Values; errors: Values } {
  const isWhole = wholeOf(answer, requests.length);
  const cut = (values: Values) =>
    values.flatMap((value, i) => (isWhole(i) ? [requests[i] === 0 ? null : value] : []));
  return { requests: cut(requests), errors: cut(errors) };
}

/** Returns the points of the whole steps of an answer without groups. */
export function wholePoints(answer: RequestsAnswer | undefined): readonly RequestsPoint[] {
  const points = answer?.series[0]?.points ?? [];
  if (answer === undefined) return points;
  const isWhole = wholeOf(answer, points.length);
  return points.filter((_, i) => isWhole(i));
}
