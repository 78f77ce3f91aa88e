import { readFile } from 'node:fs/promises';
import t from 'tap';
import { errorRegistry, kindOfCode, specificCodes } from '../../contract/errors.js';

const text = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8');

type Documented = { code: string; status: number; message: string };

/** The rows of all tables with this many columns, without back-ticks. */
function rowsOf(columns: number): string[][] {
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const cells = rows.map((row) => row.split('|').slice(1, -1));
  return cells.filter(({ length }) => length === columns).map((row) => row.map((cell) => cell.trim()));
}

const plain = (cell = '') => cell.replaceAll('`', '');

t.test(
  'docs/errors.md lists exactly the errors of the registry, with their cause and their remedy',
  async (t) => {
    const documented = rowsOf(5).map(
      ([code, status, message = '']): Documented => ({
        ...{ code: plain(code), status: Number(status), message: message.replace(/ ¹$/, '') },
      }),
    );
    const byCode = (one: Documented, other: Documented) => (one.code < other.code ? -1 : 1);
    const registered = Object.values(errorRegistry).map(({ ...error }): Documented => error);
    t.strictSame(documented.sort(byCode), registered.sort(byCode));
    const unexplained = rowsOf(5).filter((row) => row.slice(3).some(({ length }) => length <= 10));
    t.strictSame(unexplained, []);
  },
);

t.test('and the codes that say more than their kind', async (t) => {
  const documented = rowsOf(3).map(([code, kind]) => [plain(code), plain(kind)]);
  const registered = Object.entries(specificCodes).map(([code, kind]) => [code, errorRegistry[kind].code]);
  t.strictSame(documented, registered.sort());
});

t.test('every code is in snake case, belongs to one kind, and leads to it', async (t) => {
  const codes = Object.values(errorRegistry).map(({ code }) => code);
  const all = [...codes, ...Object.keys(specificCodes)];
  t.strictSame(
    all.filter((code) => !/^[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)?$/.test(code)),
    [],
  );
  t.equal(new Set(all).size, all.length);
  t.strictSame(codes.map(kindOfCode), Object.keys(errorRegistry));
  t.strictSame(Object.keys(specificCodes).map(kindOfCode), Object.values(specificCodes));
  t.equal(kindOfCode('of.another_version'), undefined);
});

t.test('every message is one short line, and every status is an error status', async (t) => {
  for (const [name, { status, message }] of Object.entries(errorRegistry)) {
    t.ok(status >= 400 && status <= 599, name);
    t.notMatch(message, /\n|undefined|\[object/, name);
    t.ok(message.length <= 120, name);
  }
});
