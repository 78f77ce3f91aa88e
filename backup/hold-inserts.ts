import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import { BackupError } from './errors.js';

/** Less than the 5 s after which the service gives an insert up. */
const holdSecondsMax = 3;
const sleepSeconds = 0.02;
const attempts = 5;
const pollMs = 5;

/** The result of the work, and for how long inserts waited, in milliseconds. */
export type Held<T> = { result: T; heldMs: number };

/**
 * Does `work` while no insert into a landing table runs; new inserts wait. An insert writes to several tables, one after
 * another. Without this, a copy of the tables may have the rows of an insert in one table and not in another.
 *
 * The engine has no statement for this, but its locks are fair. One query holds the landing tables for reading, as
 * inserts do. A TRUNCATE waits for exclusive access, and all later inserts wait behind it; when its turn comes, such
 * tables refuse it. Earlier inserts run to their end. When this process dies, the query ends by itself after 3 s.
 *
 * @throws BackupError when earlier inserts do not end in five attempts.
 */
export async function holdInserts<T>(clickhouse: ClickHouseClient, work: () => Promise<T>): Promise<Held<T>> {
  const landings = await load<{ name: string }>(
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

/** Returns `undefined` when the hold ended before the work. */
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
    const heldMs = Math.round(performance.now() - since);
    // On a busy machine the query that holds the locks may end late.
    return hold.ended || heldMs >= holdSecondsMax * 1_000 ? undefined : { result, heldMs };
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
  const [query] = await load<{ locks: number }>(
    clickhouse,
    "SELECT toUInt32(ProfileEvents['RWLockAcquiredReadLocks']) AS locks FROM system.processes WHERE query_id = {id:String}",
    { id },
  );
  return query?.locks ?? 0;
}

/**
 * Whether the gates are closed and no insert is behind them. The order of the two checks matters: an insert that has no
 * lock when the gates close does not get one.
 */
async function isQuiet(clickhouse: ClickHouseClient, gates: number): Promise<boolean> {
  const [waiting] = await load<{ value: number }>(
    clickhouse,
    "SELECT toUInt32(value) AS value FROM system.metrics WHERE metric = 'RWLockWaitingWriters'",
  );
  if (waiting === undefined || waiting.value < gates) return false;
  const [inserts] = await load<{ count: number }>(
    clickhouse,
    `SELECT toUInt32(count()) AS count FROM system.processes
     WHERE query_kind = 'Insert' AND ProfileEvents['RWLockAcquiredReadLocks'] > 0`,
  );
  return inserts?.count === 0;
}

/** Returns false when the hold ends first. */
async function untilTrue(condition: () => Promise<boolean>, hold: Hold): Promise<boolean> {
  while (!hold.ended) {
    if (await condition()) return true;
    await delay(pollMs);
  }
  return false;
}

async function load<Row>(
  clickhouse: ClickHouseClient,
  query: string,
  params: Record<string, unknown> = {},
): Promise<Row[]> {
  const answer = await clickhouse.query({ query, query_params: params, format: 'JSONEachRow' });
  return answer.json<Row>();
}

/** Drops the outcome: the hold is killed, and the gates are refused. */
async function settle(statement: Promise<unknown>): Promise<void> {
  await statement.catch(() => {});
}
