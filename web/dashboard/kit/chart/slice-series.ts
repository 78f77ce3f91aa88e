import type { ChartSeries } from './model.js';

type Lines = { times: readonly number[]; series: readonly ChartSeries[] };

/** Returns the steps of a chart within two times in milliseconds, with the one that holds the first of them. */
export function sliceSeries({ times, series }: Lines, from: number, to: number): Lines {
  const first = Math.max(
    0,
    times.findLastIndex((at) => at <= from),
  );
  const end = times.findIndex((at) => at >= to);
  const cut = <T>(values: readonly T[]): readonly T[] => values.slice(first, end === -1 ? undefined : end);
  return { times: cut(times), series: series.map((one) => ({ ...one, values: cut(one.values) })) };
}
