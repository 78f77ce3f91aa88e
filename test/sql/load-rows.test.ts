import t from 'tap';
import { loadRows } from '../../sql/load-rows.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { likeServiceError } from '../support/like-service-error.js';
import { openStores } from '../support/stores.js';
import { openTcpGate } from '../support/tcp-gate.js';

const stores = await openStores(t);

t.test('a query beyond what the server allows is an error of its caller', async (t) => {
  const query = 'SELECT number, sum(number) OVER (ORDER BY number DESC) FROM numbers({rows:UInt32})';
  for (const limit of [
    'max_rows_to_read=1000',
    'max_bytes_to_read=1000',
    'max_result_rows=1000',
    'max_result_bytes=1000',
    'max_memory_usage=1000000',
  ]) {
    const clickhouse = openClickHouse(`${stores.clickhouseUrl}?${limit.replace(/^/, 'clickhouse_setting_')}`);
    t.teardown(() => clickhouse.close());
    await t.rejects(
      loadRows(clickhouse, query, { rows: 1_000_000 }),
      likeServiceError('sqlTooExpensive', {
        message: 'The query takes too long or too much memory. Narrow its time range.',
      }),
      limit,
    );
    t.equal((await loadRows(clickhouse, 'SELECT 1', {})).length, 1, `${limit}: a small one is not`);
  }
});

t.test('an unavailable server is an error, and not an empty answer', async (t) => {
  const gate = await openTcpGate(t, stores.clickhouseUrl);
  const clickhouse = openClickHouse(gate.url);
  t.teardown(() => clickhouse.close());
  t.equal((await loadRows(clickhouse, 'SELECT 1', {})).length, 1);
  await gate.close();
  await t.rejects(loadRows(clickhouse, 'SELECT 1', {}), likeServiceError('storeUnavailable'));
});
