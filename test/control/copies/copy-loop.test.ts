import t from 'tap';
import { startCopyLoop } from '../../../control/copies/index.js';
import { minuteMs } from '../../../lib/times.js';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import { insertCopied, readBoth } from '../../support/copies.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const stores = await openStores(t);
const { sql, clickhouse } = stores;

async function areEqual(): Promise<boolean> {
  const { rows, copies } = await readBoth(stores);
  return rows.length > 0 && rows.length === copies.length && rows.every((row, i) => row === copies[i]);
}

t.test('the loop notices after five minutes without a change that ClickHouse was restored', async (t) => {
  const { id } = await makePage(sql);
  await insertCopied(sql, id);
  const clock = makeStoppedClock();
  let compared = 0;
  const counting: ClickHouseClient = new Proxy(clickhouse, {
    get(target, name) {
      if (name === 'query') compared += 1;
      return Reflect.get(target, name, target);
    },
  });
  const loop = startCopyLoop({ sql, clickhouse: counting, clock, log: silentLog });
  t.teardown(() => loop.stop());
  const isOver = async () =>
    (await sql`select from copies_due union all select from copies_state where noted_to is not null`)
      .length === 0;
  await waitUntil('all rows are copied', async () => (await isOver()) && areEqual());

  const before = compared;
  await clickhouse.command({ query: 'TRUNCATE TABLE copies' });
  clock.advance(5 * minuteMs);
  loop.wake();
  await waitUntil('all rows are copied again', areEqual);
  t.ok(compared > before);
});
