import t from 'tap';
import { Block } from '../../../ingest/commit/collapse.js';
import {
  addToWrite,
  blockWithout,
  clearWrite,
  fits,
  makeWrite,
  type Write,
} from '../../../ingest/postgres/write.js';
import type { Batch } from '../../../ingest/read/batch.js';
import { windowV1 } from '../../../ingest/read/time-window.js';
import { makeBatch, makePageNames, registerAll } from '../../support/batches.js';

const page = makePageNames();
const at = Date.UTC(2026, 0, 31, 12);
const callers = [page.unassigned];
const withoutId = { pageId: page.pageId, at, key: undefined, name: undefined, describe: () => 'described' };

function batchOf(endpoints: readonly string[]): Batch {
  const events = endpoints.map((endpoint) => ({ endpoint, status: 200 }));
  const batch = makeBatch(events, page, windowV1(at));
  registerAll(batch, page);
  return batch;
}

/** Adds batches until one has no room. Returns how many had. */
function fill(write: Write, makeOne: (number: number) => Batch | Block, most: number): number {
  for (let added = 0; added < most; added += 1) {
    const content = makeOne(added);
    if (!fits(write, content, callers)) return added;
    addToWrite(write, content, callers, withoutId);
  }
  return most;
}

t.test('a write is bounded by rows, by events and by batches', async (t) => {
  const rows = fill(
    makeWrite(),
    (part) => batchOf(Array.from({ length: 1_000 }, (_, i) => `/${part}/${i}`)),
    100,
  );
  t.ok(rows >= 20 && rows <= 63, `${rows} batches of a thousand names`);
  const one = batchOf(['/a']);
  t.equal(
    fill(makeWrite(), () => one, 20_010),
    20_000,
  );
  const counted = new Block();
  const [source, endpoint, method] = [one.source[0], one.endpoint[0], one.method[0]];
  if (source === undefined || endpoint === undefined || !method) throw new Error('The batch has no names.');
  counted.addCounted({ source, endpoint, method, status: 200, at, count: 60_000_000, latencies: [] });
  t.equal(
    fill(makeWrite(), () => counted, 10),
    3,
    'a block has 200 million events',
  );
});

t.test('a cleared write is an empty one', async (t) => {
  const write = makeWrite();
  addToWrite(write, batchOf(['/a']), callers, withoutId);
  clearWrite(write);
  t.match([write.block.rows, write.record.events, write.blocks.size, write.entries.length], [0, 0, 0, 0]);
  t.equal(blockWithout(write, new Map()), undefined);
});

t.test('a write without all of its batches leaves nothing', async (t) => {
  const write = makeWrite();
  const place = addToWrite(write, batchOf(['/a', '/b']), callers, withoutId);
  t.equal(blockWithout(write, new Map())?.events, 2);
  t.equal(blockWithout(write, new Map([[place, 'late']])), undefined);
});
