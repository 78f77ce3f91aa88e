import { readdir, readFile } from 'node:fs/promises';

const folder = new URL('../../../deploy/grafana/dashboards/', import.meta.url);

type Target = { rawSql: string; format: number };
type Panel = { title: string; type: string; targets?: Target[] };
type Variable = { name: string; query: string };
export type Dashboard = {
  uid: string;
  title: string;
  panels: Panel[];
  templating: { list: Variable[] };
};

/** A query of a dashboard, from a panel or a variable. */
export type DashboardQuery = { name: string; sql: string; isSeries: boolean };

export async function readDashboards(): Promise<Dashboard[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (file): Promise<Dashboard> => JSON.parse(await readFile(new URL(file, folder), 'utf8'))),
  );
}

export function queriesOf({ title, panels, templating }: Dashboard): DashboardQuery[] {
  const ofPanels = panels.flatMap((panel) =>
    (panel.targets ?? []).map(({ rawSql, format }) => ({
      name: `${title}: ${panel.title}`,
      sql: rawSql,
      isSeries: format === 0,
    })),
  );
  const ofVariables = templating.list.map(({ name, query }) => ({
    name: `${title}: the variable ${name}`,
    sql: query,
    isSeries: false,
  }));
  return [...ofPanels, ...ofVariables];
}

export type Substitution = {
  from: Date;
  to: Date;
  intervalSeconds: number;
  page: string;
  /** The text for the services: a list of literals, or '' in quotes for all services. */
  services: string;
};

/**
 * Replaces macros and variables as Grafana and its ClickHouse plugin 4.20 do.
 *
 * @throws Error when an unknown one is left.
 */
export function substitute(sql: string, given: Substitution): string {
  const seconds = (time: Date) => `toDateTime(${Math.floor(time.getTime() / 1000)})`;
  const [from, to] = [seconds(given.from), seconds(given.to)];
  const text = sql
    .replaceAll(/\$__timeFilter\((\w+)\)/g, `$1 >= ${from} AND $1 <= ${to}`)
    .replaceAll(
      /\$__timeInterval\((\w+)\)/g,
      `toStartOfInterval(toDateTime($1), INTERVAL ${given.intervalSeconds} second)`,
    )
    .replaceAll('$__interval_s', String(given.intervalSeconds))
    .replaceAll('$__fromTime', from)
    .replaceAll('$__toTime', to)
    .replaceAll(`\${page}`, given.page)
    .replaceAll(`\${service:singlequote}`, given.services);
  if (text.includes('$')) throw new Error(`Not substituted: ${text}`);
  return text;
}
