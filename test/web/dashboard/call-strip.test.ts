import t from 'tap';
import { levelsOf, pathOf, silentFrom } from '../../../web/dashboard/screens/reporters/strip.js';

t.test('a step is as full as the calls that were promised; the running one with any call', async (t) => {
  const promised = { stepSeconds: 1_800, everySeconds: 60 };
  t.same(levelsOf([30, 27, 20, 3, 0, 1], promised), [3, 3, 2, 1, 0, 3]);
  t.same(levelsOf([0, 0], promised), [0, 0]);
});

t.test('without a promise the usual number of calls counts', async (t) => {
  t.same(levelsOf([6, 6, 6, 3, 1, 0, 6], { stepSeconds: 1_800, everySeconds: null }), [3, 3, 3, 2, 1, 0, 3]);
});

t.test('silence begins behind the last call', async (t) => {
  t.equal(silentFrom([1, 0, 1, 0, 0]), 3);
  t.equal(silentFrom([0, 1]), undefined);
  t.equal(silentFrom([0, 0]), undefined);
});

t.test('cells of a level are one path', async (t) => {
  const shape = { cell: 3, gap: 1, height: 18 };
  t.equal(pathOf([3, 0, 3], 3, shape), 'M0 0h3v18h-3zM8 0h3v18h-3z');
  t.equal(pathOf([3, 0, 3], 0, shape), 'M4 8.5h3v1h-3z');
});
