import t from 'tap';
import { holdInserts } from '../../backup/hold-inserts.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import { select } from '../support/rollups.js';
import { openTestClickHouse } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';

/** Condition for the query that holds inserts, in the list of processes. */
const isHold = "query LIKE '%SELECT 1 FROM landing%'";

async function isRunning(clickhouse: ClickHouseClient, condition: string): Promise<boolean> {
  const query = `SELECT 1 FROM system.processes WHERE ${condition} AND query NOT LIKE '%system.processes%'`;
  return (await select(clickhouse, query)).length > 0;
}

t.test('inserts wait while the work runs, and none runs at the same time', async (t) => {
  const { clickhouse } = await openTestClickHouse(t);
  const done: string[] = [];
  const insert = async (name: string, seconds = 0): Promise<void> => {
    await clickhouse.command({
      query: `INSERT INTO landing_blocks (page_id, kind, service, endpoint, method, status, minute, requests)
              SELECT generateUUIDv4(), 1, '${name}', '/', 'GET', 200, now(), 1 + ignore(sleep(${seconds}))`,
    });
    done.push(name);
  };
  const requests = async (): Promise<number[]> =>
    (
      await select<{ requests: number }>(
        clickhouse,
        `SELECT toUInt32(sum(requests)) AS requests FROM requests_minute
         UNION ALL SELECT toUInt32(sum(requests)) FROM service_requests_hour`,
      )
    ).map((row) => row.requests);

  const slow = insert('slow', 1);
  await waitUntil('the insert is running', () => isRunning(clickhouse, "query_kind = 'Insert'"));
  let later: Promise<void> | undefined;
  const { result, heldMs } = await holdInserts(clickhouse, async () => {
    done.push('work begins');
    later = insert('later');
    // Without the hold, the insert would end at once and never be seen at this age.
    await waitUntil('the later insert waits', () =>
      isRunning(clickhouse, "query_kind = 'Insert' AND query LIKE '%later%' AND elapsed > 0.3"),
    );
    done.push('work ends');
    return requests();
  });
  await Promise.all([slow, later]);

  // The answer to the slow insert may arrive after the work has begun; the result shows that the insert had ended.
  t.strictSame(
    done.filter((what) => what !== 'slow'),
    ['work begins', 'work ends', 'later'],
  );
  t.strictSame(result, [1, 1], 'the earlier insert is complete, and the later one has not begun');
  t.ok(heldMs >= 299 && heldMs < 3_000, `it took ${heldMs} ms`);
  t.strictSame(await requests(), [2, 2], 'the later insert is stored afterwards');
});

t.test('work that takes longer than the hold is repeated', async (t) => {
  const { clickhouse } = await openTestClickHouse(t);
  let calls = 0;
  let ended = false;
  const watched = new Proxy(clickhouse, {
    get(target, name) {
      if (name !== 'command') return Reflect.get(target, name);
      return (params: Parameters<typeof target.command>[0]) =>
        target.command(params).finally(() => {
          ended ||= params.query.includes('SELECT 1 FROM landing');
        });
    },
  });
  const { result } = await holdInserts(watched, async () => {
    calls += 1;
    if (calls > 1) return 'again';
    await clickhouse.command({ query: `KILL QUERY WHERE ${isHold} SYNC` });
    await waitUntil('the end of the hold has reached this process', () => ended);
    return 'too late';
  });
  t.strictSame({ calls, result }, { calls: 2, result: 'again' });
});

t.test('an error of the work is thrown, and inserts continue', async (t) => {
  const { clickhouse } = await openTestClickHouse(t);
  await t.rejects(
    holdInserts(clickhouse, async () => {
      throw new Error('The disk is full.');
    }),
    { message: 'The disk is full.' },
  );
  await clickhouse.command({
    query: `INSERT INTO pool_landing (page_id, kind, minute) VALUES (generateUUIDv4(), 'report', now())`,
  });
  t.strictSame(await select(clickhouse, 'SELECT toUInt32(count()) AS count FROM pool_reports'), [
    { count: 1 },
  ]);
});
