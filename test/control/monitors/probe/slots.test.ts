import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { createSlots } from '../../../../control/monitors/probe/slots.js';
import { deferred } from '../../../../lib/deferred.js';
import type { PageId } from '../../../../lib/ids.js';

const [loud, quiet] = ['loud', 'quiet'] as PageId[];
if (loud === undefined || quiet === undefined) throw new Error('There are two pages.');

t.test('no more than the bound runs, and no more than its share of one page', async (t) => {
  const slots = createSlots({ max: 3, perPage: 2 });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (pageId: PageId, name: string): void =>
    slots.run(pageId, () => {
      started.push(name);
      const work = deferred<void>();
      ends.set(name, work.resolve);
      return work.promise;
    });
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await nextTurn();
  };
  for (const name of ['a', 'b', 'c', 'd']) run(loud, name);
  t.same(started, ['a', 'b'], 'a page has its share');
  for (const name of ['x', 'y']) run(quiet, name);
  t.same(started, ['a', 'b', 'x'], 'and another one what is left');
  await end('x');
  t.same(started, ['a', 'b', 'x', 'y'], 'whose turn comes before that of a page that is full');
  await end('a');
  t.same(started.at(-1), 'c');
  slots.clear();
  await end('b');
  t.equal(started.length, 5, 'what was forgotten does not start');
});
