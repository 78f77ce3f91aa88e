import { copyFile, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { startPostgres } from '../../stack/postgres.js';
import { copyStore, postgresTemplate } from '../support/embedded-stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { recordingLog } from './support.js';

const log = recordingLog();
const segmentBytes = 16 * 1024 ** 2;

type Positions = { written: string; forced: string; isForced: boolean };

/** Where the log ends, and up to where it was forced to the disk. */
async function positions(sql: Sql, written?: string): Promise<Positions> {
  const [row] = await sql<Positions[]>`
    select pg_current_wal_insert_lsn()::text as written, pg_current_wal_flush_lsn()::text as forced,
      pg_current_wal_flush_lsn() >= ${written ?? '0/0'}::pg_lsn as "isForced"`;
  if (row === undefined) throw new Error('PostgreSQL does not know where its log ends.');
  return row;
}

/** Overwrites with zeros what the log has beyond a position, as if the disk had never had it. */
async function dropBeyond(walFolder: string, position: string): Promise<void> {
  const [high = 0, low = 0] = position.split('/').map((part) => Number.parseInt(part, 16));
  const kept = high * 2 ** 32 + low;
  for (const name of await readdir(walFolder)) {
    if (!/^[0-9A-F]{24}$/.test(name)) continue;
    const number = Number.parseInt(name.slice(8, 16), 16) * 256 + Number.parseInt(name.slice(16), 16);
    const from = Math.max(0, kept - number * segmentBytes);
    if (from >= segmentBytes) continue;
    const file = await open(join(walFolder, name), 'r+');
    await file.write(Buffer.alloc(segmentBytes - from), 0, segmentBytes - from, from);
    await file.close();
  }
}

t.test('acknowledged transactions survive a power failure', async (t) => {
  const folder = await temporaryFolder(t);
  const [dir, synced] = [join(folder, 'postgres'), join(folder, 'synced')];
  copyStore(await postgresTemplate(), dir);
  const first = await startPostgres({ dir, log });
  const setUp = openPostgres(first.url, { max: 1 });
  await setUp`create table claims (id int primary key)`;
  await setUp`create table events (id int references claims, n int)`;
  await setUp.end({ timeout: 5 });
  await first.stop();
  // A server that has stopped has forced everything to the disk.
  copyStore(dir, synced);

  const server = await startPostgres({ dir, log });
  t.teardown(() => server.stop());
  // A start forces this file, which says that the server runs.
  await copyFile(join(dir, 'data/global/pg_control'), join(synced, 'data/global/pg_control'));
  const sql = openPostgres(server.url, { max: 1 });
  let last = await positions(sql);
  const unforced: number[] = [];
  for (let id = 1; id <= 50; id++) {
    // An id of a batch and its events, as the service claims them.
    let written = '';
    await sql.begin(async (tx) => {
      await tx`insert into claims values (${id})`;
      await tx`insert into events select ${id}, n from generate_series(1, 20) n`;
      written = (await tx<{ at: string }[]>`select pg_current_wal_insert_lsn()::text as at`)[0]?.at ?? '';
    });
    last = await positions(sql, written);
    if (!last.isForced) unforced.push(id);
  }
  t.strictSame(unforced, [], 'the log is forced to the disk before each answer');
  await sql`select pg_stat_force_next_flush()`;
  const [counted] = await sql<{ times: number }[]>`
    select sum(fsyncs)::int as times from pg_stat_io where object = 'wal' and backend_type = 'client backend'`;
  t.ok((counted?.times ?? 0) >= 50, `by a call of the system each time: ${counted?.times}`);

  // The disk keeps the forced part of the log and nothing else that this server has written.
  copyStore(`${dir}/data/pg_wal/.`, join(synced, 'data/pg_wal'));
  await sql.end({ timeout: 5 });
  await dropBeyond(join(synced, 'data/pg_wal'), last.forced);

  const after = await startPostgres({ dir: synced, log });
  t.teardown(() => after.stop());
  const recovered = openPostgres(after.url, { max: 1 });
  t.teardown(() => recovered.end({ timeout: 5 }));
  const [found] = await recovered<{ claims: number; events: number }[]>`
    select (select count(*)::int from claims) as claims, (select count(*)::int from events) as events`;
  t.strictSame(found, { claims: 50, events: 1_000 });
});
