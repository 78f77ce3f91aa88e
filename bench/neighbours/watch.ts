import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import type { RunningStack } from '../../stack/stack-file.js';
import { childrenOf, residentMb } from '../support/service-process.js';

const everyMs = 250;
const megabyte = 1e6;

/** Highest resident memory of each process since the last look, in megabytes. */
export type Peaks = { service: number; clickhouse: number; postgres: number };
const kinds = ['service', 'clickhouse', 'postgres'] as const;

export function watchPeaks(pid: number) {
  let peaks: Peaks = { service: 0, clickhouse: 0, postgres: 0 };
  async function sample(): Promise<void> {
    for (const kind of kinds) {
      const pids = kind === 'service' ? [pid] : await childrenOf(pid, kind);
      for (const each of pids) peaks[kind] = Math.max(peaks[kind], (await residentMb(each)) ?? 0);
    }
  }
  const timer = setInterval(() => void sample(), everyMs);
  return {
    /** The peaks since the last call, or since the start. */
    async take(): Promise<Peaks> {
      await sample();
      const taken = peaks;
      peaks = { service: 0, clickhouse: 0, postgres: 0 };
      return taken;
    },
    end: () => clearInterval(timer),
  };
}

/** Megabytes on disk of each folder in the data folder. */
export async function foldersMb(dataDir: string): Promise<Record<string, number>> {
  const entries = await readdir(dataDir, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const sizes = await Promise.all(folders.map((name) => diskMb(join(dataDir, name))));
  return Object.fromEntries(folders.map((name, i) => [name, sizes[i] ?? 0]));
}

async function diskMb(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        (found) => (found.isFile() ? found.blocks * 512 : 0),
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0) / megabyte;
}

/** Megabytes of the tables of PostgreSQL, without its log. */
export async function tablesMb({ databaseUrl }: RunningStack): Promise<number> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  try {
    const [row] = await sql<
      { bytes: number }[]
    >`select pg_database_size(current_database())::float8 as bytes`;
    return (row?.bytes ?? 0) / megabyte;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Queries of tenants' SQL that run on ClickHouse; `undefined` when it does not answer. */
export async function runningSql({ clickhouseUrl }: RunningStack): Promise<number | undefined> {
  const clickhouse = openClickHouse(clickhouseUrl, { max: 1 });
  try {
    const result = await clickhouse.query({
      query: "SELECT toUInt32(count()) AS running FROM system.processes WHERE user LIKE '%\\_sql'",
      format: 'JSONEachRow',
    });
    const [row] = await result.json<{ running: number }>();
    return row?.running;
  } catch {
    return undefined;
  } finally {
    await clickhouse.close();
  }
}
