import { readFile, writeFile } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readableTables } from '../../contract/sql-tables.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { startClickHouse } from '../../stack/clickhouse.js';
import { serverUsers } from '../../stack/clickhouse-config.js';
import { startPostgres } from '../../stack/postgres.js';
import { clickhouseOptions, copyStore, postgresTemplate } from './embedded-stores.js';
import { silentLog } from './silent-log.js';

/** The two servers of a run of tests, which every process of the run shares. */
export type StoreKind = 'postgres' | 'clickhouse';

/** Where the processes of a run ask for the servers; set by the runner. */
const socketVariable = 'HEARTLINE_TEST_STORES';

/**
 * Answers the name of a store with the URL of its server: for ClickHouse with that of a new database, for PostgreSQL with
 * that of the server's own. Each server starts when it is asked for first, because most single files need none.
 */
export function serveStores(folder: string): void {
  const starts: Partial<Record<StoreKind, Promise<() => Promise<string>>>> = {};
  const starters = { postgres: () => runPostgres(folder), clickhouse: () => runClickHouse(folder) };
  const answer = async (kind: string): Promise<string> => {
    if (kind !== 'postgres' && kind !== 'clickhouse') throw new Error(`There is no store ${kind}.`);
    starts[kind] ??= starters[kind]();
    return (await starts[kind])();
  };
  const path = join(folder, 'stores.sock');
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    text(socket)
      .then(answer)
      .then(
        (url) => socket.end(url),
        (error: unknown) => socket.end(`failed: ${error instanceof Error ? error.message : String(error)}`),
      );
  });
  server.listen(path).unref();
  process.env[socketVariable] = path;
}

/** Returns the URL of a server of the run; `undefined` in a process that no runner has started. */
export async function askForStore(kind: StoreKind): Promise<string | undefined> {
  const path = process.env[socketVariable];
  if (path === undefined) return undefined;
  const socket = createConnection({ path, allowHalfOpen: true });
  socket.end(kind);
  const answer = await text(socket);
  if (answer.startsWith('failed: ')) throw new Error(answer);
  return answer;
}

async function runPostgres(folder: string): Promise<() => Promise<string>> {
  const dir = join(folder, 'pg');
  copyStore(await postgresTemplate(), dir);
  const { url } = await startPostgres({ dir, log: silentLog });
  return async () => url;
}

/** Each database has an SQL user of its own, which the engine reads from its file of users. */
async function runClickHouse(folder: string): Promise<() => Promise<string>> {
  const options = clickhouseOptions(join(folder, 'clickhouse'));
  const server = await startClickHouse(options);
  const usersFile = join(options.dir, 'users.xml');
  const client = openClickHouse(server.url, { max: 1 });
  let databases = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const make = async (): Promise<string> => {
    databases += 1;
    const database = `heartline_${databases}`;
    await client.command({ query: `CREATE DATABASE ${database}` });
    const users = await readFile(usersFile, 'utf8');
    await writeFile(usersFile, users.replace('  </users>', `${sqlUserOf(database, users)}  </users>`));
    await client.command({ query: 'SYSTEM RELOAD USERS' });
    const url = new URL(server.url);
    url.pathname = `/${database}`;
    return url.href;
  };
  return () => {
    const made = turn.then(make);
    turn = made.catch(() => {});
    return made;
  };
}

/** Returns the user that runs the SQL of pages in a database, as the product describes it. */
function sqlUserOf(database: string, users: string): string {
  const [, password = ''] = /<heartline_sql>\s*<password_sha256_hex>(\w+)</.exec(users) ?? [];
  const described = serverUsers({
    ...{ servicePassword: '', sqlPassword: '', database, readerTables: readableTables },
  });
  const [user = ''] = described.match(new RegExp(` *<${database}_sql>[^]*</${database}_sql>\n`)) ?? [];
  return user.replace(/(?<=<password_sha256_hex>)\w+/, password);
}
