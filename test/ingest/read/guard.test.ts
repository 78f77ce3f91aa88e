import t from 'tap';
import type { PageNames } from '../../../ingest/names/page-names.js';
import type { Batch } from '../../../ingest/read/batch.js';
import { type Drops, describeDrops, guardEndpointsPerBatch, noteDrop } from '../../../ingest/read/guard.js';
import { windowV1 } from '../../../ingest/read/time-window.js';
import { makeBatch, makePageNames, plainEvents } from '../../support/batches.js';

const endpoints = (count: number, prefix = '/') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

function batchOf(pairs: [service: string, endpoint: string][], page: PageNames = makePageNames()): Batch {
  const events = pairs.map(([service, endpoint]) => ({ service, endpoint, status: 200 }));
  return makeBatch(events, page, windowV1(Date.now()));
}

const of = (service: string, texts: string[]) => texts.map((text): [string, string] => [service, text]);

t.test('200 distinct endpoints of a service pass, however often each comes', async (t) => {
  const batch = batchOf([...of('shop', endpoints(200)), ...of('shop', endpoints(200))]);
  const drops: Drops = new Map();
  guardEndpointsPerBatch(batch, drops);
  t.equal(batch.length, 400);
  t.equal(batch.rejected, 0);
  t.equal(describeDrops(drops), undefined);
});

t.test('the 201st is dropped with all its events; the first 200 stay whole', async (t) => {
  const batch = batchOf([...of('shop', endpoints(201)), ['shop', '/200'], ['shop', '/0']]);
  const drops: Drops = new Map();
  guardEndpointsPerBatch(batch, drops);
  t.equal(batch.length, 201);
  t.strictSame(Object.fromEntries(batch.rejections), {
    endpoint_limit_per_batch: {
      count: 2,
      firstIndex: 200,
      message:
        'There would be more than 200 distinct endpoints of one service in a batch with the endpoint "/200". ' +
        'Send route templates, such as "/cart/:id", in place of paths with ids.',
      service: 'shop',
    },
  });
  t.strictSame(
    plainEvents(batch).map(({ endpoint }) => endpoint),
    [...endpoints(200), '/0'],
  );
  t.equal(
    describeDrops(drops),
    '2 events dropped: more than 200 distinct endpoints of one service in a batch (/200).',
  );
});

t.test('each service has 200 of its own, the unassigned one included', async (t) => {
  const batch = batchOf([
    ...of('a', endpoints(200)),
    ...of('b', endpoints(200, '/b')),
    ...of('', endpoints(200, '/c')),
    ['b', '/another'],
    ['', '/another'],
  ]);
  guardEndpointsPerBatch(batch, new Map());
  t.equal(batch.length, 600);
  t.equal(batch.rejections.get('endpoint_limit_per_batch')?.count, 2);
});

t.test('counts known and unknown names together', async (t) => {
  const page = makePageNames({ endpoints: endpoints(100), services: ['shop'] });
  const batch = batchOf(of('shop', endpoints(202)), page);
  guardEndpointsPerBatch(batch, new Map());
  t.equal(batch.length, 200);
  t.equal(batch.rejected, 2);
  const again = batchOf(of('shop', endpoints(150)), page);
  guardEndpointsPerBatch(again, new Map());
  t.equal(again.length, 150, 'the next batch begins at zero');
});

t.test('different spellings of one endpoint count once', async (t) => {
  const spellings = endpoints(200).flatMap((text) => [text, `${text}/`, `${text}?a=1`]);
  const batch = batchOf(of('shop', spellings));
  guardEndpointsPerBatch(batch, new Map());
  t.equal(batch.length, 600);
});

t.test('the warning names each limit, how many events it dropped, and up to three names', async (t) => {
  const drops: Drops = new Map();
  noteDrop(drops, 'endpoint_limit', '/x');
  t.equal(
    describeDrops(drops),
    '1 event dropped: more than 25,000 distinct endpoints on this status page (/x).',
  );
  for (const name of ['/y', '/x', '/z', '/w', '/v']) noteDrop(drops, 'endpoint_limit', name);
  noteDrop(drops, 'service_limit', 'shop');
  t.equal(
    describeDrops(drops),
    '6 events dropped: more than 25,000 distinct endpoints on this status page (/x, /y, /z, …). ' +
      '1 event dropped: more than 2,000 services and reporters on this status page (shop).',
  );
});
