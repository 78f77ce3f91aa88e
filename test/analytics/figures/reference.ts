import { sixHoursMs } from '../../../analytics/figures/periods.js';
import type { Totals } from '../../../contract/analytics/figures.js';
import type { Grouping } from '../../../contract/analytics/parameters.js';
import { dayMs } from '../../../lib/times.js';
import type { LandingRow } from '../support.js';

/** A row of the landing table with all that figures are made of. */
export type Counted = Required<Pick<LandingRow, 'service' | 'endpoint' | 'method' | 'status' | 'at'>> & {
  latencyMs: number[];
  requests: number;
};

export type Range = { from: number; to: number };

/** The largest deviation of a percentile from the exact one, by the nearest rank. */
const deviationMax = 0.025;

/** The columns that make a group. */
export const columnsOf = {
  service: ['service'],
  endpoint: ['service', 'endpoint'],
  method: ['method'],
  status: ['status'],
} as const satisfies Record<Grouping, readonly (keyof Counted)[]>;

export function groupsOf(rows: readonly Counted[], by: Grouping): Map<string, Counted[]> {
  const groups = new Map<string, Counted[]>();
  for (const row of rows) {
    const key = columnsOf[by].map((column) => row[column]).join(' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

export const within = (rows: readonly Counted[], { from, to }: Range): Counted[] =>
  rows.filter(({ at }) => at >= from && at < to);

/** The range whose response times the percentiles of a read are of. */
export function percentileRange({ from, to }: Range, isWide: boolean): Range {
  if (!isWide || to - from < dayMs) return { from, to };
  return { from: Math.floor(from / sixHoursMs) * sixHoursMs, to: Math.ceil(to / sixHoursMs) * sixHoursMs };
}

/** The counts of these rows, as in an answer. */
export function countsOf(rows: readonly Counted[]) {
  const sum = (some: readonly Counted[]) => some.reduce((total, { requests }) => total + requests, 0);
  const requests = sum(rows);
  const errors = sum(rows.filter(({ status }) => status >= 500));
  return {
    ...{ requests, errors, errorShare: requests === 0 ? null : errors / requests },
    clientErrors: sum(rows.filter(({ status }) => status >= 400 && status < 500)),
  };
}

/** Says what is wrong with the percentiles of an answer; `rows` are those that they are of. */
export function findDeviation(totals: Totals, rows: readonly Counted[]): string | undefined {
  const sorted = rows.flatMap(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  for (const [level, value] of [
    [0.5, totals.p50Ms],
    [0.95, totals.p95Ms],
    [0.99, totals.p99Ms],
  ] as const) {
    const exact = sorted[Math.max(1, Math.ceil(level * sorted.length)) - 1];
    if (value === null || exact === undefined) return `${level} of ${sorted.length}: ${value}`;
    if (!(Math.abs(value / exact - 1) <= deviationMax)) return `${level}: ${value} for ${exact}`;
  }
  return undefined;
}
