import t from 'tap';
import { loadMessages, parseMessagesQuery } from '../../analytics/messages.js';
import { loadReadCost, nameQueries } from '../../bench/support/read-cost.js';
import { openTestClickHouse } from '../support/stores.js';
import { insertRequests, newPageId } from './support.js';

const { clickhouse } = await openTestClickHouse(t);
const now = Math.floor(Date.now() / 60_000) * 60_000;
const start = now - 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const page = newPageId();
const failure = { endpoint: '/pay', method: 'POST', status: 502 };
await insertRequests(clickhouse, page, [
  { ...failure, at: start + 1_000, message: 'older' },
  { ...failure, at: start + 2_500, message: 'newest of its minute' },
  { ...failure, at: start + 61_000, service: 'billing', message: 'next minute' },
  { ...failure, at: start + 62_000, endpoint: '/refund', status: 400, message: 'refused' },
]);
await insertRequests(clickhouse, newPageId(), [{ ...failure, at: start + 3_000, message: 'theirs' }]);

async function read(query: Record<string, string>) {
  const range = { from: iso(start), to: iso(start + 3_600_000) };
  return loadMessages({ clickhouse }, page, parseMessagesQuery({ ...range, ...query }, now));
}

t.test('lists the newest message per endpoint and minute, newest first', async (t) => {
  t.same(await read({}), {
    ...{ keptFrom: null, notKept: null },
    messages: [
      {
        at: iso(start + 62_000),
        service: 'api',
        endpoint: '/refund',
        method: 'POST',
        status: 400,
        message: 'refused',
      },
      {
        at: iso(start + 61_000),
        service: 'billing',
        endpoint: '/pay',
        method: 'POST',
        status: 502,
        message: 'next minute',
      },
      {
        at: iso(start + 2_500),
        service: 'api',
        endpoint: '/pay',
        method: 'POST',
        status: 502,
        message: 'newest of its minute',
      },
    ],
    truncated: false,
  });
});

t.test('filters exactly, and by the millisecond', async (t) => {
  const texts = async (query: Record<string, string>): Promise<string[]> =>
    (await read(query)).messages.map(({ message }) => message);
  t.same(await texts({ service: 'billing' }), ['next minute']);
  t.same(await texts({ endpoint: '/refund' }), ['refused']);
  t.same(await texts({ service: 'Billing ', endpoint: '/pay/?a' }), ['next minute']);
  t.same(await texts({ from: iso(start + 61_000), to: iso(start + 62_000) }), ['next minute']);
});

t.test('says when the answer is truncated', async (t) => {
  const answer = await read({ limit: '2' });
  t.equal(answer.messages.length, 2);
  t.equal(answer.truncated, true);
});

t.test('finds older messages behind many rows of one key', async (t) => {
  const many = newPageId();
  const at = start + 120_000;
  await insertRequests(clickhouse, many, [{ ...failure, at: start, message: 'older' }]);
  for (let copy = 0; copy < 40; copy += 1) {
    await insertRequests(clickhouse, many, [{ ...failure, at: at + copy, message: `copy ${copy}` }]);
  }
  const answer = await loadMessages(
    { clickhouse },
    many,
    parseMessagesQuery({ from: iso(start), to: iso(at + 60_000), limit: '1' }, now),
  );
  t.same(
    answer.messages.map(({ message }) => message),
    ['copy 39'],
  );
  t.equal(answer.truncated, true);
  const before = await loadMessages(
    { clickhouse },
    many,
    parseMessagesQuery({ from: iso(start), to: iso(at), limit: '1' }, now),
  );
  t.same(
    before.messages.map(({ message }) => message),
    ['older'],
    'and behind those that the end of the range cuts off',
  );
});

t.test('reads the newest rows alone', async (t) => {
  const large = newPageId();
  const [rows, endpoints] = [200_000, 1_000];
  await clickhouse.command({
    query: `INSERT INTO messages (page_id, kind, service, endpoint, minute, latest)
      SELECT {page:UUID}, 'service', 'api', concat('/e/', toString(number % ${endpoints})), minute,
        (toDateTime64(minute, 3, 'UTC'), 500, 'GET', concat('failed ', toString(number)))
      FROM (SELECT number, toDateTime({start:UInt32} - 60 * intDiv(number, ${endpoints}), 'UTC') AS minute
            FROM numbers(${rows}))`,
    query_params: { page: large, start: start / 1000 },
    clickhouse_settings: { max_partitions_per_insert_block: '0' },
  });
  const name = `messages of ${large}`;
  const query = { from: iso(start - 86_400_000), to: iso(start + 60_000) };
  const answer = await loadMessages(
    { clickhouse: nameQueries(clickhouse, name) },
    large,
    parseMessagesQuery(query, now),
  );
  t.equal(answer.messages.length, 100);
  t.equal(answer.truncated, true);
  const { rows: read } = await loadReadCost(clickhouse, name);
  t.ok(read > 0 && read <= rows / 2, `${read} of ${rows} rows are read`);
});
