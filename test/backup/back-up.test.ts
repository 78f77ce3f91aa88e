import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { backUp } from '../../backup/back-up.js';
import { restore } from '../../backup/restore.js';
import { systemClock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/times.js';
import { migrate } from '../../sql/migrate.js';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { lockFolder } from '../../stack/lock.js';
import { type Stack, startStack } from '../../stack/start-stack.js';
import { usedDataFolder } from '../stack/support.js';
import { select } from '../support/rollups.js';
import { silentLog } from '../support/silent-log.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** The tables keep two weeks, as of the time of ClickHouse. Equal rows need one minute. */
const minute = new Date(Math.floor(Date.now() / minuteMs) * minuteMs)
  .toISOString()
  .slice(0, 19)
  .replace('T', ' ');
const tables = [
  'requests_minute',
  'requests_hour',
  'service_requests_minute',
  'service_requests_hour',
  'service_requests_day',
  'page_requests_minute',
  'page_requests_hour',
  'page_requests_day',
  'endpoint_requests_6h',
  'endpoint_requests_day',
  'endpoint_requests_hour',
  'endpoint_requests_minute',
];

t.test('a block is in all tables of a backup, and counts once after another delivery', async (t) => {
  const dataDir = await usedDataFolder(t);
  const stores = await start(t, dataDir);
  const token = randomUUID();
  await insert(stores.clickhouse, token);
  // Each of its rows becomes a part of its own in each table, one after another.
  const slow = insert(stores.clickhouse, randomUUID(), { rows: 12, secondsPerRow: 0.2 });

  const folder = await temporaryFolder(t);
  const [directory, restored] = [join(folder, 'backup'), join(folder, 'data')];
  const { signal } = new AbortController();
  const owner = join(dataDir, 'log/00000000000000aa');
  await mkdir(join(owner, 'default'), { recursive: true });
  await writeFile(join(owner, 'owner.json'), '{}');
  await writeFile(join(owner, 'default/00000000000000aa.1.log'), 'events');
  const parts = new Set<string>();
  const { log } = await backUp({
    ...{ ...stores.stack, dataDir, directory, signal, version: '0.0.0', clock: systemClock },
    onProgress: (part) => parts.add(part),
  });
  t.strictSame(log, { files: 1, bytes: 6 });
  t.strictSame(
    [...parts],
    ['event log', 'PostgreSQL', 'ClickHouse'],
    'what is delivered meanwhile is in a later copy',
  );
  await slow;
  await stores.stop();
  await restore({ directory, dataDir: restored, secretKey: undefined, signal, onProgress() {} });

  const restoredOwner = join(restored, 'log/00000000000000aa');
  t.strictSame(await readdir(restoredOwner), ['default'], 'the next start takes the log over');
  t.equal(await readFile(join(restoredOwner, 'default/00000000000000aa.1.log'), 'utf8'), 'events');
  const { clickhouse } = await start(t, restored);
  t.strictSame(
    await requests(clickhouse),
    tables.map(() => 13),
    'the block in flight is complete',
  );
  await insert(clickhouse, token);
  t.strictSame(
    await requests(clickhouse),
    tables.map(() => 13),
    'the repeated block is known',
  );
  await insert(clickhouse, randomUUID());
  t.strictSame(
    await requests(clickhouse),
    tables.map(() => 14),
    'others are not',
  );
});

t.test('an interrupted backup leaves no files, and the next backup succeeds', async (t) => {
  const dataDir = await usedDataFolder(t);
  const { stack, stop } = await start(t, dataDir);
  const directory = join(await temporaryFolder(t), 'backup');
  const ending = new AbortController();
  const options = { ...stack, dataDir, directory, version: '0.0.0', clock: systemClock };
  const interrupted = backUp({
    ...{ ...options, signal: ending.signal },
    onProgress: () => ending.abort(new Error('Interrupted.')),
  });
  await t.rejects(interrupted, { message: 'Interrupted.' });
  t.strictSame(await readdir(directory), []);

  const unlock = await lockFolder(join(dataDir, 'backing-up'));
  const atTheSameTime = backUp({ ...options, ...unending });
  await t.rejects(atTheSameTime, { message: /^Process \d+ is making another backup of / });
  await unlock();

  const { postgres } = await backUp({ ...options, ...unending });
  t.ok(postgres.files > 40, 'a file a table');
  await stop();
});

const unending = { signal: new AbortController().signal, onProgress() {} };

type Stores = { stack: Stack; clickhouse: ClickHouseClient; stop(): Promise<void> };

async function start(t: Test, dataDir: string): Promise<Stores> {
  const options = { database: 'heartline', readerTables: [], log: silentLog };
  const stack = await startStack({ dataDir, ...options });
  const [sql, clickhouse] = [openPostgres(stack.databaseUrl), openClickHouse(stack.clickhouseUrl)];
  let stopping: Promise<void> | undefined;
  const stopAll = async (): Promise<void> => {
    await sql.end({ timeout: 5 });
    await clickhouse.close();
    await stack.stop();
  };
  const stop = (): Promise<void> => {
    stopping ??= stopAll();
    return stopping;
  };
  t.teardown(stop);
  await migrate({ sql, clickhouse, log: silentLog });
  return { stack, clickhouse, stop };
}

async function insert(
  clickhouse: ClickHouseClient,
  token: string,
  { rows = 1, secondsPerRow = 0 } = {},
): Promise<void> {
  await clickhouse.command({
    query: `
      INSERT INTO landing_blocks (page_id, kind, service, endpoint, method, status, minute, requests)
      SELECT generateUUIDv4(), 1, 'shop', '/', 'GET', 200, '${minute}', 1 + ignore(sleepEachRow(${secondsPerRow}))
      FROM numbers(${rows})`,
    clickhouse_settings: {
      insert_deduplication_token: token,
      max_block_size: '1',
      min_insert_block_size_rows: '1',
      max_insert_threads: '1',
    },
  });
}

async function requests(clickhouse: ClickHouseClient): Promise<number[]> {
  const answers = tables.map((table) =>
    select<{ sum: number }>(clickhouse, `SELECT toUInt32(sum(requests)) AS sum FROM ${table}`),
  );
  return (await Promise.all(answers)).flat().map(({ sum }) => sum);
}
