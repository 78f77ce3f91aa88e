import t from 'tap';
import { ensureDatabase, openClickHouse } from '../../sql/open-clickhouse.js';
import { openEmptyClickHouse } from '../support/stores.js';

t.test('times without a zone are UTC in both directions', async (t) => {
  const { clickhouse } = await openEmptyClickHouse(t);
  const result = await clickhouse.query({
    query:
      "SELECT toUnixTimestamp(toDateTime('1970-01-02 00:00:00')) AS seconds, toString(toDateTime(0)) AS text",
    format: 'JSONEachRow',
  });
  t.same(await result.json(), [{ seconds: 86_400, text: '1970-01-01 00:00:00' }]);
});

t.test('a missing database is created once and kept', async (t) => {
  const { clickhouse, clickhouseUrl } = await openEmptyClickHouse(t);
  const url = new URL(clickhouseUrl);
  url.pathname += '_extra';
  t.teardown(() => clickhouse.command({ query: `DROP DATABASE IF EXISTS ${url.pathname.slice(1)}` }));
  const extra = openClickHouse(url.href);
  t.teardown(() => extra.close());
  await t.rejects(extra.command({ query: 'SELECT 1 FORMAT Null' }), { code: '81' });
  await ensureDatabase(url.href);
  await extra.command({ query: 'CREATE TABLE kept (a UInt8) ENGINE = Memory' });
  await ensureDatabase(url.href);
  await extra.command({ query: 'SELECT a FROM kept FORMAT Null' });
});

t.test('a wrong password is an error and creates no database', async (t) => {
  const { clickhouseUrl } = await openEmptyClickHouse(t);
  const url = new URL(clickhouseUrl);
  url.username = 'nobody';
  url.password = 'wrong';
  await t.rejects(ensureDatabase(url.href), { code: '516' });
});

t.test('a query waits between its blocks while one of a smaller priority runs', async (t) => {
  const { clickhouseUrl } = await openEmptyClickHouse(t);
  const clients = [1, 10].map((priority) => openClickHouse(clickhouseUrl, { priority }));
  t.teardown(() => Promise.all(clients.map((client) => client.close())));
  const [first, second] = clients;
  const rows = 'SELECT count() FROM numbers(300000000) WHERE NOT ignore(cityHash64(number))';
  const query = `${rows} SETTINGS max_threads = 1 FORMAT Null`;
  const order: string[] = [];
  const run = async (client: typeof first, name: string) => {
    await client?.command({ query });
    order.push(name);
  };
  // Both do the same work; the second one begins first.
  const later = run(second, 'second');
  await run(first, 'first');
  await later;
  t.strictSame(order, ['first', 'second']);
});
