import t from 'tap';
import { createSharedTiles } from '../../api/routes/shared-tiles.js';
import { deferred } from '../../lib/deferred.js';
import { newId, type PageId } from '../../lib/ids.js';
import { secondMs } from '../../lib/times.js';
import { likeServiceError } from '../support/like-service-error.js';
import { makeMovingClock } from '../support/moving-clock.js';

const clock = makeMovingClock();
const page = newId<PageId>(1);
const other = newId<PageId>(2);

t.test('readers of one tile share an answer while it is fresh', async (t) => {
  const tiles = createSharedTiles(clock);
  let loads = 0;
  const load = async () => Buffer.from(String(++loads));
  const first = await Promise.all([tiles.read(page, 'a', load), tiles.read(page, 'a', load)]);
  t.same(first.map(String), ['1', '1']);
  clock.advance(19 * secondMs);
  t.equal(String(await tiles.read(page, 'a', load)), '1');
  clock.advance(secondMs);
  t.equal(String(await tiles.read(page, 'a', load)), '2');
  t.equal(String(await tiles.read(page, 'b', load)), '3', 'another tile');
});

t.test('a page loads one tile at a time, and another page does not wait for it', async (t) => {
  const tiles = createSharedTiles(clock);
  const held = deferred<Buffer>();
  const begun: string[] = [];
  const load = (name: string, answer: Promise<Buffer>) => () => {
    begun.push(name);
    return answer;
  };
  const done = Promise.resolve(Buffer.from('x'));
  const first = tiles.read(page, 'a', load('a', held.promise));
  const second = tiles.read(page, 'b', load('b', done));
  await tiles.read(other, 'c', load('c', done));
  t.same(begun, ['a', 'c']);
  held.resolve(Buffer.from('y'));
  await Promise.all([first, second]);
  t.same(begun, ['a', 'c', 'b']);
});

t.test('beyond forty that wait, a tile is refused; a failure is not kept', async (t) => {
  const tiles = createSharedTiles(clock);
  const held = deferred<Buffer>();
  const reads = Array.from({ length: 41 }, (_, at) => tiles.read(page, `${at}`, () => held.promise));
  await t.rejects(
    tiles.read(page, 'more', () => held.promise),
    likeServiceError('overloaded'),
  );
  held.reject(new Error('The store is gone.'));
  const ended = await Promise.allSettled(reads);
  t.ok(ended.every(({ status }) => status === 'rejected'));
  t.equal(String(await tiles.read(page, '0', async () => Buffer.from('again'))), 'again');
});
