import fc from 'fast-check';
import t from 'tap';
import { newId, parseId } from '../../lib/ids.js';
import { propertyOf } from '../support/property.js';

/** Times of ids: few of them, so that they come again, and in any order, as in concurrent requests. */
const timesOf = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 500 });

t.test('ids sort by their times, and by the order in which they were made', (t) => {
  let start = 1_700_000_000_000;
  fc.assert(
    fc.property(timesOf, (times) => {
      // Milliseconds of its own for each run, since a count has an end.
      start += 1_000;
      const made = times.map((time, place) => ({ now: start + time, place, id: newId(start + time) }));
      const byTime = made.toSorted((a, b) => a.now - b.now || a.place - b.place);
      const byId = made.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      return byId.every(({ place }, i) => place === byTime[i]?.place);
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
  t.end();
});

t.test('ids are UUIDs of version 7 with their time, however many there are in a millisecond', (t) => {
  const now = 1_800_000_000_000;
  const ids = Array.from({ length: 10_000 }, () => newId(now));
  t.equal(new Set(ids).size, ids.length);
  for (const id of ids) {
    if (!/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)) t.fail(id);
    if (Number.parseInt(id.replace('-', '').slice(0, 12), 16) !== now) t.fail(id);
  }
  const inOrder = ids.slice(0, 2_048);
  t.strictSame(inOrder.toSorted(), inOrder);
  t.equal(parseId(ids[0] ?? ''), ids[0]);
  t.end();
});
