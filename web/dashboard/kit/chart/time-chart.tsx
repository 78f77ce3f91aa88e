import { lazyChart } from './lazy-chart.js';
import type { HeatMapProps, TimeChartProps } from './props.js';

export { ChartSkeleton } from './lazy-chart.js';
export type { TimeChartProps } from './props.js';

/*
 * How to use it: inside a Panel and a ReadView, with `<ChartSkeleton />` as skeleton.
 *
 *   <Panel title={texts.requests}>
 *     <ReadView read={read} skeleton={<ChartSkeleton />}>
 *       {({ step, series: [{ points }] }) => (
 *         <TimeChart
 *           title={texts.requests}                       names it for screen readers and its table
 *           kind="bars"                                  lines, bars and areas (stacked), bands (percentiles, lowest first)
 *           unit="count"                                 count, perSecond, share (0 to 1), ms
 *           times={points.map(({ at }) => Date.parse(at))}   the start of each step of the range, ascending
 *           stepSeconds={step}
 *           series={[{ key: 'ok', label: '2xx', values: points.map(({ ok }) => ok), colour: 'info' }, …]}
 *           marks={[{ at, label: 'Deployed 1.2', kind: 'deploy' }]}
 *           shaded={[{ from, to, label: 'Maintenance', kind: 'maintenance' }]}
 *         />
 *       )}
 *     </ReadView>
 *   </Panel>
 *
 * A value that was not measured is null, never 0. Dragging, or Shift with the arrow keys and Enter, puts the range into
 * the address, which is what all reads of the screen follow. All charts of a screen share their cursor.
 * `useEvents(useHappenings(slug, range), read.data)` has the marks and spans of deployments, incidents and maintenance.
 * `noteAt` adds a sentence to what is said of a step, such as that it has few requests.
 * Buckets over time, such as of durations, are a `HeatMap`, which takes `rows` and `values` in place of `series`.
 * The colours of status classes: 2xx `info`, 3xx `none`, 4xx `warn`, 5xx `bad`.
 */

/** A time series. See the head of this file. */
export const TimeChart = lazyChart<TimeChartProps>(
  async () => (await import('./time-chart-view.js')).TimeChartView,
);

/** Buckets over time: the more hits, the stronger the colour, in steps of a multiple. See the head of this file. */
export const HeatMap = lazyChart<HeatMapProps>(async () => (await import('./heat-map-view.js')).HeatMapView);
