import fc from 'fast-check';
import t from 'tap';
import { type Column, filterRows, groupRows, sortRows } from '../../../web/dashboard/kit/table/column.js';
import { toCsv } from '../../../web/dashboard/kit/table/to-csv.js';
import { readSorting } from '../../../web/dashboard/kit/table/use-kept-view.js';
import { propertyOf } from '../../support/property.js';

type Row = { name: string; count: number | null };
const columns: Column<Row>[] = [
  { key: 'name', title: 'Name', value: ({ name }) => name },
  { key: 'count', title: 'Count', isFigure: true, value: ({ count }) => count },
  { key: 'line', title: 'Line', isPicture: true, value: () => null },
];
const row = fc.record({ name: fc.string(), count: fc.option(fc.integer()) });

t.test('rows are sorted by a column, both ways, with those without a value last', async () => {
  fc.assert(
    fc.property(fc.array(row), fc.boolean(), (rows, isDescending) => {
      const sorted = sortRows(rows, columns, { key: 'count', isDescending }).map(({ count }) => count);
      const values = sorted.filter((count) => count !== null);
      const isOrdered = values.every((value, i) => {
        const next = values[i + 1];
        return next === undefined || (isDescending ? value >= next : value <= next);
      });
      return (
        isOrdered &&
        sorted.slice(values.length).every((count) => count === null) &&
        sorted.length === rows.length
      );
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('a group stands behind its head, where its first row would stand', (t) => {
  const headOf = (key: string) => (key.includes('-') ? key.replace(/-.*/, '') : undefined);
  const grouped = (...rows: string[]) => {
    const { rows: ordered, inner } = groupRows(rows, (key) => key, headOf);
    return { ordered: ordered.join(' '), inner: [...inner].join(' ') };
  };
  t.strictSame(
    [
      grouped('a-2', 'b', 'c', 'a-1', 'a'),
      grouped('b-1', 'a', 'a-1', 'c-2', 'c-1'),
      grouped('a', 'b'),
      grouped(),
    ],
    [
      { ordered: 'a a-2 a-1 b c', inner: 'a-2 a-1' },
      { ordered: 'b-1 a a-1 c-2 c-1', inner: 'a-1' },
      { ordered: 'a b', inner: '' },
      { ordered: '', inner: '' },
    ],
    'one whose head is filtered out stands for itself',
  );
  t.end();
});

t.test('sorting keeps the order of equal rows and does not change the given ones', async (t) => {
  const rows = ['b', 'a', 'c'].map((name) => ({ name, count: 1 }));
  t.same(sortRows(rows, columns, { key: 'count', isDescending: true }), rows);
  t.same(
    sortRows(rows, columns, { key: 'name', isDescending: false }).map(({ name }) => name),
    ['a', 'b', 'c'],
  );
  t.same(
    rows.map(({ name }) => name),
    ['b', 'a', 'c'],
  );
  t.same(sortRows(rows, columns, { key: 'unknown', isDescending: true }), rows);
});

t.test('a filter wants every word, in any case, in texts and not in figures', async (t) => {
  const rows = [
    { name: 'GET /cart', count: 17 },
    { name: 'POST /cart/items', count: 2 },
  ];
  const found = (filter: string) => filterRows(rows, columns, filter).map(({ name }) => name);
  t.same(found(''), ['GET /cart', 'POST /cart/items']);
  t.same(found('  CART post '), ['POST /cart/items']);
  t.same(found('17'), []);
});

t.test('a file has titles, figures as they are, and no formula', async (t) => {
  const rows = [
    { name: 'plain', count: 1.5 },
    { name: 'a "b", c\nd', count: null },
    { name: '=cmd()', count: -3 },
  ];
  t.equal(toCsv(rows, columns), 'Name,Count\r\nplain,1.5\r\n"a ""b"", c\nd",\r\n\'=cmd(),-3\r\n');
});

t.test('a column that sorts by a rank is filtered and written by its text', async (t) => {
  const names = ['down', 'up'];
  const state: Column<{ rank: number }> = {
    key: 'state',
    title: 'State',
    isFigure: true,
    value: ({ rank }) => rank,
    text: ({ rank }) => names[rank] ?? '',
  };
  const rows = [{ rank: 1 }, { rank: 0 }];
  t.same(sortRows(rows, [state], { key: 'state', isDescending: false }), [{ rank: 0 }, { rank: 1 }]);
  t.same(filterRows(rows, [state], 'DOWN'), [{ rank: 0 }]);
  t.same(filterRows(rows, [state], '1'), []);
  t.equal(toCsv(rows, [state]), 'State\r\nup\r\ndown\r\n');
});

t.test('the address has the order as a column, with a minus for the other direction', async (t) => {
  t.same(readSorting('count', columns), { key: 'count', isDescending: false });
  t.same(readSorting('-count', columns), { key: 'count', isDescending: true });
  for (const text of [undefined, '', '-', 'unknown', '--count'])
    t.equal(readSorting(text, columns), undefined);
});
