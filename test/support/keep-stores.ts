import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { startClickHouse } from '../../stack/clickhouse.js';
import { startPostgres } from '../../stack/postgres.js';
import { clickhouseOptions, copyStore, postgresTemplate } from './embedded-stores.js';
import { silentLog } from './silent-log.js';

/**
 * Entry of the process that has the servers of a run. Answers `/postgres` with the URL of one PostgreSQL for all, in which
 * each process makes databases of its own, and `/clickhouse` with the URL of a ClickHouse that nobody else uses until the
 * connection is closed: the user for the SQL of pages sees one database of a server. Servers start when they are asked
 * for, because most single files need none.
 */
const [, , folder = '', path = ''] = process.argv;

let postgres: Promise<string> | undefined;
const freeEngines: string[] = [];
let engines = 0;

createServer((request, response) => {
  const lend = request.url === '/postgres' ? lendPostgres : lendClickHouse;
  lend(response).then(
    (url) => response.write(`${url}\n`),
    (error: unknown) => {
      response.statusCode = 500;
      response.end(error instanceof Error ? error.message : String(error));
    },
  );
}).listen(path);

// The runner has ended; the servers end with this process.
process.stdin.resume().on('end', () => process.exit(0));

function lendPostgres(): Promise<string> {
  postgres ??= runPostgres();
  return postgres;
}

async function runPostgres(): Promise<string> {
  const dir = join(folder, 'pg');
  copyStore(await postgresTemplate(), dir);
  return (await startPostgres({ dir, log: silentLog })).url;
}

async function lendClickHouse(response: ServerResponse): Promise<string> {
  const url = freeEngines.pop() ?? (await runClickHouse());
  // One that cannot be cleared, because the run ends, is not lent again.
  response.once(
    'close',
    () =>
      void clear(url).then(
        () => freeEngines.push(url),
        () => {},
      ),
  );
  return url;
}

async function runClickHouse(): Promise<string> {
  engines += 1;
  return (await startClickHouse(clickhouseOptions(join(folder, `clickhouse-${engines}`)))).url;
}

/** Drops what the last borrower has left. */
async function clear(url: string): Promise<void> {
  const system = new URL(url);
  system.pathname = '/system';
  const client = openClickHouse(system.href, { max: 1 });
  const databases = await client.query({ query: 'SHOW DATABASES', format: 'JSONCompactEachRow' });
  for (const [name = ''] of await databases.json<string[]>()) {
    if (name.startsWith('heartline')) await client.command({ query: `DROP DATABASE ${name} SYNC` });
  }
  await client.command({ query: 'CREATE DATABASE heartline' });
  await client.close();
}
