import t from 'tap';
import { diffFields } from '../../../web/dashboard/screens/audit/diff.js';

t.test('values stand side by side, and what stayed is left out', async (t) => {
  t.strictSame(diffFields({ name: 'a', paused: false, kept: 1 }, { name: 'b', paused: true, kept: 1 }), [
    { field: 'name', kind: 'value', before: 'a', after: 'b' },
    { field: 'paused', kind: 'value', before: 'false', after: 'true' },
  ]);
});

t.test('what is made or deleted has one side alone', async (t) => {
  t.strictSame(diffFields(null, { name: 'a', note: '' }), [
    { field: 'name', kind: 'value', before: null, after: 'a' },
    { field: 'note', kind: 'value', before: null, after: null },
  ]);
  t.strictSame(diffFields({ name: 'a' }, null), [{ field: 'name', kind: 'value', before: 'a', after: null }]);
});

t.test('records within records become fields of their own', async (t) => {
  const [diff] = diffFields({ texts: { de: { title: 'x' } } }, { texts: { de: { title: 'y' } } });
  t.strictSame(diff, { field: 'texts.de.title', kind: 'value', before: 'x', after: 'y' });
});

t.test('lists say what was added and removed, or that only the order changed', async (t) => {
  const [list] = diffFields({ tags: ['a', 'b'] }, { tags: ['b', 'c'] });
  t.match(list, {
    kind: 'list',
    pieces: [
      { kind: 'removed', text: 'a' },
      { kind: 'same', text: 'b' },
      { kind: 'added', text: 'c' },
    ],
  });
  const [order] = diffFields({ tags: ['a', 'b'] }, { tags: ['b', 'a'] });
  t.match(order, {
    pieces: [
      { kind: 'removed', text: 'a' },
      { kind: 'same', text: 'b' },
      { kind: 'added', text: 'a' },
    ],
  });
});

t.test('long texts are compared line by line', async (t) => {
  const [diff] = diffFields({ body: 'one\ntwo\nthree' }, { body: 'one\n2\nthree\nfour' });
  t.match(diff, {
    kind: 'lines',
    pieces: [
      { kind: 'same', text: 'one' },
      { kind: 'removed', text: 'two' },
      { kind: 'added', text: '2' },
      { kind: 'same', text: 'three' },
      { kind: 'added', text: 'four' },
    ],
  });
  const many = Array.from({ length: 500 }, (_, i) => `line ${i}`).join('\n');
  const [whole] = diffFields({ body: many }, { body: `${many}\nlast` });
  t.equal(whole?.kind === 'lines' ? whole.pieces.length : 0, 1001, 'a very long text is not compared');
});
