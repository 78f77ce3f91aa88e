import { cliActor } from '../../control/audit/index.js';
import { createKey } from '../../control/keys/index.js';
import { createPage } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js';
import type { Stores } from '../support/stores.js';

/** The service in one or more processes behind one port. */
export type Target = { name: string; port: number; service: ServiceProcess };

/** Starts the service on these stores with additional variables; it only answers requests. */
export async function startTarget(
  name: string,
  { databaseUrl, clickhouseUrl }: Stores,
  more: Record<string, string> = {},
): Promise<Target> {
  const env = {
    ...{ DATABASE_URL: databaseUrl, CLICKHOUSE_URL: clickhouseUrl, PORT: '0', LOG_LEVEL: 'error' },
    ...{ HEARTLINE_SECRET_KEY: 'a key that only this benchmark uses', ...more },
  };
  const service = await startServiceProcess(env, onLine, ['--roles', 'api']);
  return { name, port: Number(new URL(service.url).port), service };
}

function onLine(line: string): void {
  if (line.startsWith('{')) process.stderr.write(`${line}\n`);
}

export async function stopTargets(targets: readonly Target[]): Promise<void> {
  for (const { service } of targets) process.kill(service.pid, 'SIGTERM');
  await Promise.all(targets.map(({ service }) => service.exited));
}

/** Creates a page and returns its ingest key. */
export async function makeTenant({ databaseUrl }: Stores, slug: string): Promise<string> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  try {
    const { id: pageId } = await createPage(
      { sql, clock: systemClock, by: cliActor('bench') },
      { slug, hostname: `${slug}.localhost` },
    );
    return (await createKey({ sql, clock: systemClock, by: cliActor('bench') }, { pageId, scope: 'ingest' }))
      .key;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
