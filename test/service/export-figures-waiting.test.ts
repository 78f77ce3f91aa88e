import t from 'tap';
import { waitHoursMax } from '../../contract/exported-tables.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import { insertRequests } from '../analytics/support.js';
import { begin, nameAt, openExportJob } from './export-figures-support.js';

const { sql, clickhouse, bucket, jobDeps, page, runAt, beginAnew, state, rowsOf } = await openExportJob(t);

t.test('rows that come late are in the object a day later, in place of the one before', async (t) => {
  await beginAnew('late');
  const name = nameAt(0, 'requests_hour', 'late');
  await runAt(hourMs + 10 * minuteMs);
  t.match(rowsOf(name), [{ endpoint: '/a', requests: 9 }]);
  await insertRequests(clickhouse, page.id, [{ at: begin + minuteMs, endpoint: '/a', requests: 100 }]);
  await runAt(25 * hourMs - 1);
  t.equal(bucket.puts.filter((one) => one === name).length, 1);
  await runAt(25 * hourMs);
  t.match(rowsOf(name), [{ endpoint: '/a', requests: 109 }]);
  await runAt(26 * hourMs);
  t.equal(bucket.puts.filter((one) => one === name).length, 2, 'twice and no more');
  t.equal(bucket.puts.filter((one) => one === nameAt(hourMs, 'requests_hour', 'late')).length, 2);
});

t.test('an hour waits for what was acknowledged before it, for six hours at most', async (t) => {
  const waiting: [into: string, add: (at: Date) => Promise<unknown>, remove: () => Promise<unknown>][] = [
    [
      'the delivery buffer',
      async (at) => {
        await sql`insert into delivery_queues (store, next_attempt_at) values ('default', now()) on conflict do nothing`;
        await sql`
          insert into delivery_batches (store, token, body, rows, events, created_at)
          values ('default', gen_random_uuid(), '', 1, 1, ${at})`;
      },
      () => sql`delete from delivery_batches`,
    ],
    [
      'the blocks that an instance holds',
      (at) => sql`
        with held as (
          insert into held_blocks (token, store, held_until) values (gen_random_uuid(), 'default', ${at}) returning token)
        insert into held_parts (token, part, packed, rows, events, created_at) select token, 0, '', 1, 1, ${at} from held`,
      () => sql`delete from held_blocks`,
    ],
  ];
  let oldestHeld: number | undefined;
  jobDeps.settle = async (pageId) => (pageId === page.id ? oldestHeld : undefined);
  waiting.push([
    'the log of the instance',
    async (at) => {
      oldestHeld = at.getTime();
    },
    async () => {
      oldestHeld = undefined;
    },
  ]);
  for (const [into, add, remove] of waiting) {
    await beginAnew('waits');
    await add(new Date(begin + 30 * minuteMs));
    await runAt(hourMs + 10 * minuteMs);
    t.same(bucket.puts, [], into);
    await runAt(7 * hourMs + 10 * minuteMs - 1);
    t.same(bucket.puts, [], `${into}: up to six hours`);
    await runAt(7 * hourMs + 10 * minuteMs);
    t.same(
      bucket.puts,
      [nameAt(0, 'requests_hour', 'waits')],
      `${into}: the next hour waits for its own time`,
    );
    await remove();
    await runAt(7 * hourMs + 11 * minuteMs);
    t.equal(bucket.puts.length, 7, `${into}: nothing waits any more`);
    t.match(await state(), { failures: 0, lastError: null });
  }
});

t.test('pool reports that wait hold back the hours of pools alone, and not for ever', async (t) => {
  await beginAnew('pools', { tables: ['requests_hour', 'pools_minute'] });
  const createdAt = 30 * minuteMs;
  await sql`insert into pool_blocks (id, created_at) values (gen_random_uuid(), ${new Date(begin + createdAt)})`;
  await runAt(hourMs + 10 * minuteMs);
  t.same(bucket.puts, [nameAt(0, 'requests_hour', 'pools')]);
  const putsOfPools = () => bucket.puts.filter((name) => name.startsWith('pools/pools_minute/')).length;
  await runAt(createdAt + waitHoursMax * hourMs - 1);
  t.equal(putsOfPools(), 0);
  t.equal(bucket.puts.length, 6);
  await runAt(createdAt + waitHoursMax * hourMs);
  t.equal(putsOfPools(), 6, 'all hours that are over by then');
  t.match(await state(), { failures: 0, lastError: null });
  await sql`delete from pool_blocks`;
});
