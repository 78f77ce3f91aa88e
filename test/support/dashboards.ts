import { readdir, readFile } from 'node:fs/promises';

const folder = new URL('../../../deploy/grafana/dashboards/', import.meta.url);

type Target = { rawSql: string; format: number };
type Panel = { title: string; type: string; interval?: string; targets?: Target[] };
type Variable = { name: string; query: string };
export type Dashboard = {
  uid: string;
  title: string;
  panels: Panel[];
  templating: { list: Variable[] };
};

/** A query of a dashboard, from a panel or a variable. */
export type DashboardQuery = {
  name: string;
  sql: string;
  isSeries: boolean;
  /** The shortest interval of the panel. */
  intervalSecondsMin: number;
};

export async function readDashboards(): Promise<Dashboard[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (file): Promise<Dashboard> => JSON.parse(await readFile(new URL(file, folder), 'utf8'))),
  );
}

const intervals: Record<string, number> = { '1m': 60, '1h': 3_600 };

export function queriesOf({ title, panels, templating }: Dashboard): DashboardQuery[] {
  const ofPanels = panels.flatMap((panel) =>
    (panel.targets ?? []).map(({ rawSql, format }) => ({
      name: `${title}: ${panel.title}`,
      sql: rawSql,
      isSeries: format === 0,
      intervalSecondsMin: intervals[panel.interval ?? '1m'] ?? 1,
    })),
  );
  const ofVariables = templating.list.map(({ name, query }) => ({
    name: `${title}: the variable ${name}`,
    sql: query,
    isSeries: false,
    intervalSecondsMin: 60,
  }));
  return [...ofPanels, ...ofVariables];
}

/**
 * The interval that Grafana chooses for a panel with `points` pixels, in seconds, from a minute up.
 *
 * Source: `calculateInterval` and `roundInterval` in packages/grafana-data/src/datetime/rangeutil.ts of Grafana 12.
 */
export function intervalSecondsOf(
  { from, to }: Pick<Substitution, 'from' | 'to'>,
  { points, secondsMin }: { points: number; secondsMin: number },
): number {
  const exact = (to.getTime() - from.getTime()) / 1000 / points;
  // Each value is for exact intervals below the limit next to it.
  const rounded = [
    [90, 60],
    [210, 120],
    [450, 300],
    [750, 600],
    [1_050, 900],
    [1_500, 1_200],
    [2_700, 1_800],
    [5_400, 3_600],
    [9_000, 7_200],
    [16_200, 10_800],
    [32_400, 21_600],
  ].find(([limit = 0]) => exact < limit)?.[1];
  return Math.max(rounded ?? 43_200, secondsMin);
}

export type Substitution = {
  from: Date;
  to: Date;
  intervalSeconds: number;
  page: string;
  /** The text for the services: a list of literals, or '' in quotes for all services. */
  services: string;
};

type Macro = (given: Substitution, args: string[]) => string;

const dateTime = (time: Date) => `toDateTime(${Math.floor(time.getTime() / 1000)})`;
const dateTime64 = (time: Date) => `fromUnixTimestamp64Milli(${time.getTime()})`;
const date = (time: Date) => `toDate('${time.toISOString().slice(0, 10)}')`;

/** A filter by both ends of the range, which belong to it. */
const filterBy =
  (write: (time: Date) => string): Macro =>
  ({ from, to }, [column]) =>
    `${column} >= ${write(from)} AND ${column} <= ${write(to)}`;
const dateTimeFilter: Macro = (given, [day = '', time = '']) =>
  `(${filterBy(date)(given, [day])}) AND (${filterBy(dateTime)(given, [time])})`;

/**
 * The macros of Grafana's plugin for ClickHouse that depend on the range, without `$__`.
 *
 * Source: pkg/macros/macros.go in grafana/clickhouse-datasource 4.20.0.
 */
const macros: Record<string, Macro> = {
  fromTime: ({ from }) => dateTime(from),
  toTime: ({ to }) => dateTime(to),
  fromTime_ms: ({ from }) => dateTime64(from),
  toTime_ms: ({ to }) => dateTime64(to),
  timeFilter: filterBy(dateTime),
  timeFilter_ms: filterBy(dateTime64),
  dateFilter: filterBy(date),
  dateTimeFilter,
  dt: dateTimeFilter,
  timeInterval: ({ intervalSeconds }, [column]) =>
    `toStartOfInterval(toDateTime(${column}), INTERVAL ${Math.max(intervalSeconds, 1)} second)`,
  timeInterval_ms: ({ intervalSeconds }, [column]) =>
    `toStartOfInterval(toDateTime64(${column}, 3), INTERVAL ${intervalSeconds * 1000} millisecond)`,
  interval_s: ({ intervalSeconds }) => String(Math.max(Math.trunc(intervalSeconds), 1)),
};

/**
 * Replaces macros and variables as Grafana and its ClickHouse plugin do. The arguments of a macro are names.
 *
 * @throws Error when an unknown one is left.
 */
export function substitute(sql: string, given: Substitution): string {
  const text = sql
    .replaceAll(/\$__(\w+)(?:\(([\w, ]*)\))?/g, (whole, name: string, args = '') => {
      const macro = macros[name];
      const columns = String(args).split(',');
      return macro === undefined
        ? whole
        : macro(
            given,
            columns.map((column) => column.trim()),
          );
    })
    .replaceAll(`\${page}`, given.page)
    .replaceAll(`\${service:singlequote}`, given.services);
  if (text.includes('$')) throw new Error(`Not substituted: ${text}`);
  return text;
}
