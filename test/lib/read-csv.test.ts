import t from 'tap';
import { readCsv } from '../../lib/csv/read-csv.js';

const cellsOf = (text: string) => [...readCsv(text)].map(({ cells }) => cells);

t.test('cells in quotes, line ends of every kind, and the lines where rows begin', async (t) => {
  const text = 'a,b\r\n"1,""2""",x\n\n"two\nlines",y\rlast,';
  t.same(
    [...readCsv(text)],
    [
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1,"2"', 'x'] },
      { line: 4, cells: ['two\nlines', 'y'] },
      { line: 6, cells: ['last', ''] },
    ],
  );
  t.same(cellsOf(''), []);
  t.same(cellsOf(',,\n \n'), [], 'rows of nothing');
});

t.test('the first line says what parts the cells', async (t) => {
  t.same(cellsOf('a;b,c\n1;2'), [['a;b', 'c'], ['1;2']]);
  t.same(cellsOf('a;b;c,d\n1;2'), [
    ['a', 'b', 'c,d'],
    ['1', '2'],
  ]);
  t.same(cellsOf('a\tb\n1\t2'), [
    ['a', 'b'],
    ['1', '2'],
  ]);
});

t.test('a mark at the begin of a file is no part of its first cell', async (t) => {
  t.same(cellsOf('\uFEFF"email",b\n1,2'), [
    ['email', 'b'],
    ['1', '2'],
  ]);
});

t.test('a formula is a text again, and other apostrophes stay', async (t) => {
  t.same(cellsOf("'=1,'+49,'-x,'@y,'quoted',o'neil"), [['=1', '+49', '-x', '@y', "'quoted'", "o'neil"]]);
});

// Work that grew with the square of a file's length would take hours for these, and the time limit of the test ends it.
t.test('hostile files are read in one pass', async (t) => {
  for (const text of [`"${'a'.repeat(2e6)}`, '"'.repeat(2e6), ','.repeat(2e6), '\n'.repeat(2e6)]) {
    let cellsMax = 0;
    for (const { cells } of readCsv(text)) cellsMax = Math.max(cellsMax, cells.length);
    t.ok(cellsMax <= 100);
  }
});
