import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import { BackupError } from './errors.js';

/** Under the 5 s after which the service takes an insert to hang. */
const holdSecondsMax = 3;
const sleepSeconds = 0.02;
const attempts = 5;
const pollMs = 5;

/** What has been done, and how long inserts waited for it. */
export type Held<T> = { result: T; heldMs: number };

/**
 * Does something while no insert into a landing table is under way, and those that come wait. An insert writes to
 * several tables, one after another; without this a copy of the tables may have its rows in one and not in another.
 *
 * The engine has no statement for it, but its locks are fair: one query holds the landing tables for reading, as
 * inserts do; a TRUNCATE, which such tables refuse once it is its turn, waits to have them alone; and all that comes
 * later waits behind it. Inserts from before go on to their end. When this process dies the query ends by itself
 * after 3 s, and everything goes on.
 *
 * @throws BackupError when inserts from before do not end, in five attempts.
 */
export async function holdInserts<T>(clickhouse: ClickHouseClient, work: () => Promise<T>): Promise<Held<T>> {
  const landings = await read<{ name: string }>(
    clickhouse,
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'Null'",
  );
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const held = await tryToHold(
      clickhouse,
      landings.map(({ name }) => name),
      work,
    );
    if (held !== undefined) return held;
    await delay(attempt * 200);
  }
  throw new BackupError('ClickHouse is too busy: inserts that began earlier did not end. Try again later.');
}

/** Undefined when the hold ended before the work did. */
async function tryToHold<T>(
  clickhouse: ClickHouseClient,
  landings: readonly string[],
  work: () => Promise<T>,
): Promise<Held<T> | undefined> {
  const id = randomUUID();
  const hold = startHold(clickhouse, landings, id);
  const gates: Promise<unknown>[] = [];
  try {
    const holds = async (): Promise<boolean> => (await locksHeld(clickhouse, id)) >= landings.length;
    if (!(await untilTrue(holds, hold))) return undefined;
    const since = performance.now();
    for (const name of landings) gates.push(settle(clickhouse.command({ query: `TRUNCATE TABLE ${name}` })));
    if (!(await untilTrue(() => isQuiet(clickhouse, landings.length), hold))) return undefined;
    const result = await work();
    return hold.ended ? undefined : { result, heldMs: Math.round(performance.now() - since) };
  } finally {
    await settle(
      clickhouse.command({
        query: 'KILL QUERY WHERE query_id = {id:String} ASYNC',
        query_params: { id },
      }),
    );
    await Promise.all([hold.done, ...gates]);
  }
}

type Hold = { readonly ended: boolean; done: Promise<void> };

function startHold(clickhouse: ClickHouseClient, landings: readonly string[], id: string): Hold {
  const sources = [
    ...landings.map((name) => `SELECT 1 FROM ${name}`),
    `SELECT number FROM numbers(${holdSecondsMax / sleepSeconds})`,
  ];
  const query = `
    SELECT sum(ignore(sleepEachRow(${sleepSeconds}))) FROM (${sources.join(' UNION ALL ')})
    SETTINGS max_block_size = 1, max_threads = 1 FORMAT Null`;
  let ended = false;
  const done = settle(clickhouse.command({ query, query_id: id })).then(() => {
    ended = true;
  });
  return {
    get ended() {
      return ended;
    },
    done,
  };
}

async function locksHeld(clickhouse: ClickHouseClient, id: string): Promise<number> {
  const [query] = await read<{ locks: number }>(
    clickhouse,
    "SELECT toUInt32(ProfileEvents['RWLockAcquiredReadLocks']) AS locks FROM system.processes WHERE query_id = {id:String}",
    { id },
  );
  return query?.locks ?? 0;
}

/**
 * Whether the gates are closed and no insert is behind them. In this order: an insert that has no lock yet when the
 * gates are closed will not get one.
 */
async function isQuiet(clickhouse: ClickHouseClient, gates: number): Promise<boolean> {
  const [waiting] = await read<{ value: number }>(
    clickhouse,
    "SELECT toUInt32(value) AS value FROM system.metrics WHERE metric = 'RWLockWaitingWriters'",
  );
  if (waiting === undefined || waiting.value < gates) return false;
  const [inserts] = await read<{ count: number }>(
    clickhouse,
    `SELECT toUInt32(count()) AS count FROM system.processes
     WHERE query_kind = 'Insert' AND ProfileEvents['RWLockAcquiredReadLocks'] > 0`,
  );
  return inserts?.count === 0;
}

/** Answers false when the hold has ended before. */
async function untilTrue(condition: () => Promise<boolean>, hold: Hold): Promise<boolean> {
  while (!hold.ended) {
    if (await condition()) return true;
    await delay(pollMs);
  }
  return false;
}

async function read<Row>(
  clickhouse: ClickHouseClient,
  query: string,
  params: Record<string, unknown> = {},
): Promise<Row[]> {
  const answer = await clickhouse.query({ query, query_params: params, format: 'JSONEachRow' });
  return answer.json<Row>();
}

/** The hold is killed, and the gates are refused: what comes of them does not matter. */
async function settle(statement: Promise<unknown>): Promise<void> {
  await statement.catch(() => {});
}
