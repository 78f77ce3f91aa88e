import t from 'tap';
import { listOr, nearestNames } from '../../../lib/mistakes/nearest.js';

const known = ['create', 'set', 'list', 'show', 'history-days', 'hostname'];

t.test('the nearest names are those with few other letters, or that begin with the text', (t) => {
  const cases: [given: string, near: string[]][] = [
    ['craete', ['create']],
    ['lits', ['list']],
    ['Shwo', ['show']],
    ['host', ['hostname']],
    ['histroy-day', ['history-days']],
    ['hi', ['history-days']],
    ['sett', ['set']],
    ['delete', []],
    ['', []],
    ['x'.repeat(1_000_000), []],
  ];
  for (const [given, near] of cases) t.strictSame(nearestNames(given, known), near, given.slice(0, 20));
  t.strictSame(
    nearestNames('ax', ['ay', 'bx', 'ax1', 'az']),
    ['ax1', 'ay', 'bx'],
    'at most three, best first',
  );
  t.strictSame(nearestNames('a', ['b', 'a'], 1), ['a'], 'the name itself is nearest');
  t.end();
});

t.test('words are listed as a choice', (t) => {
  t.strictSame([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listOr), ['', 'a', 'a or b', 'a, b or c']);
  t.end();
});
