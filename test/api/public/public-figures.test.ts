import t from 'tap';
import { createFiguresOf } from '../../../api/public/public-figures.js';
import type { FigureSetting } from '../../../contract/public/public-figures.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import { insertRequests, newPageId } from '../../analytics/support.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestClickHouse } from '../../support/stores.js';

const { clickhouse } = await openTestClickHouse(t);
const figure: FigureSetting = {
  ...{ title: 'Orders', service: 'api', endpoint: null, shows: ['requests'], window: '24h' },
};

/** `store.isAway` makes each query fail. */
function open() {
  const store = { reads: 0, isAway: false };
  const clock = makeStoppedClock();
  clock.advance(dayMs - (clock.now() % dayMs) - 12 * hourMs + 20 * minuteMs - dayMs);
  const clickhouseOf = () => {
    store.reads += 1;
    if (store.isAway) throw new Error('The store is away.');
    return clickhouse;
  };
  const publicClickhouse: ClickHouseClient = clickhouse;
  const figuresOf = createFiguresOf({
    clock,
    log: silentLog,
    publicClickhouse,
    pageStores: { clickhouseOf },
  });
  return { store, clock, figuresOf };
}

t.test('the figures of a page are read at most once a minute', async (t) => {
  const { store, clock, figuresOf } = open();
  const page = { id: newPageId(), figures: [figure] };
  const all = await Promise.all([figuresOf(page), figuresOf({ ...page }), figuresOf(page)]);
  t.equal(store.reads, 1, 'reads at the same time share one');
  t.same(all[0], all[2]);
  clock.advance(minuteMs - 1);
  await figuresOf(page);
  t.equal(store.reads, 1);
  clock.advance(1);
  await figuresOf(page);
  t.equal(store.reads, 2);
  await figuresOf({ ...page, figures: [{ ...figure, window: '7d' }] });
  t.equal(store.reads, 3, 'other settings have other figures');
  t.same(await figuresOf({ ...page, figures: [] }), []);
  t.equal(store.reads, 3);
});

t.test('older figures stand in while the store is away, for an hour', async (t) => {
  const { store, clock, figuresOf } = open();
  const page = { id: newPageId(), figures: [figure] };
  await insertRequests(clickhouse, page.id, [{ at: clock.now() - 2 * hourMs, requests: 500 }]);
  const before = await figuresOf(page);
  t.match(before, [{ title: 'Orders' }]);
  store.isAway = true;
  clock.advance(30 * minuteMs);
  t.same(await figuresOf(page), before);
  clock.advance(31 * minuteMs);
  t.equal(await figuresOf(page), null);
});

t.test('a page without older figures has none while the store is away', async (t) => {
  const { store, figuresOf } = open();
  store.isAway = true;
  t.equal(await figuresOf({ id: newPageId(), figures: [figure] }), null);
});
