import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { openEmptyClickHouse } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

t.test('the tables of a page with a ClickHouse of its own are there, and not here', async (t) => {
  const service = await startTestService(t, { allowPrivateAddresses: true, roles: withoutJobs });
  const { write: key } = await makeManageKeys({ sql: service.stores.sql, clock: systemClock });
  const address = new URL((await openEmptyClickHouse(t)).clickhouseUrl);
  const settings = {
    ...{ url: address.origin, database: address.pathname.slice(1), username: address.username },
    password: decodeURIComponent(address.password),
  };
  const put = await service.post('/api/v1/pages/acme/event-store', settings, { method: 'PUT', key });
  t.match(put, { status: 201 });
  const ask = (body: string): Promise<Response> =>
    fetch(`${service.url}/clickhouse`, {
      ...{ method: 'POST', body },
      headers: { 'x-clickhouse-user': 'acme', 'x-clickhouse-key': service.readKey },
    });
  await waitUntil('the service has read where the page has its events', async () => {
    const { status } = await ask('SELECT 1');
    return status !== 200;
  });
  for (const statement of ['SELECT 1', 'SELECT count() FROM requests_minute', 'SHOW TABLES']) {
    const answer = await ask(statement);
    t.strictSame([answer.status, answer.headers.get('x-clickhouse-exception-code')], [403, '497'], statement);
    t.equal(
      await answer.text(),
      'Code: 497. DB::Exception: The page keeps its events in a ClickHouse of its own; ask that one. (ACCESS_DENIED)\n',
    );
  }
});
