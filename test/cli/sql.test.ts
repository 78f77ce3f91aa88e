import t from 'tap';
import { pointAt } from '../../cli/sql.js';
import { positionAt } from '../../lib/mistakes/text-position.js';
import { environmentFor } from '../support/cli-environment.js';
import { makePage } from '../support/pages.js';
import { runInProcess } from '../support/run-heartline.js';
import { openStores } from '../support/stores.js';

const stores = await openStores(t);
await makePage(stores.sql);
const env = environmentFor(stores);
const run = (...args: string[]) => runInProcess(['sql', ...args], env);

t.test('the tables of a page are shown', async (t) => {
  const { code, stdout } = await run('SHOW TABLES', '--page', 'acme', '--format', 'TSV');
  t.equal(code, 0);
  t.match(stdout, /^requests_minute\tOne row per service/);
  t.match((await run('DESC messages', '--page', 'acme')).stdout, /┃ .*name .*┃ .*type .*┃ .*comment /);
});

t.test('CSV has a header, with and without a page', async (t) => {
  const select = ['SELECT 1 AS one, 2 AS two', '--format', 'CSV'];
  for (const page of [[], ['--page', 'acme']]) {
    t.same(await run(...select, ...page), { code: 0, stdout: '"one","two"\n1,2\n', stderr: '' });
  }
});

t.test('--from and --to are the parameters, with and without a page', async (t) => {
  const select = [
    'SELECT {from:DateTime} AS a, {to:DateTime} AS b',
    '--format',
    'TSV',
    '--from',
    '2026-01-31',
  ];
  for (const page of [[], ['--page', 'acme']]) {
    const { stdout } = await run(...select, '--to', '2026-01-31', ...page);
    t.equal(stdout, '2026-01-31 00:00:00\t2026-02-01 00:00:00\n');
  }
  t.match(
    (await run(...select, '--page', 'acme')).stderr,
    /The parameter to has no value \(line 1, column 30\)/,
  );
  t.match((await run(...select, '--to', 'soon')).stderr, /"to" must be a time with a zone/);
});

t.test('a caret stands below the fault', async (t) => {
  t.same(await run('SELECT 1,\n\tendpont\nFROM messages', '--page', 'acme'), {
    code: 1,
    stdout: '',
    stderr:
      'heartline: Unknown column `endpont` (line 2, column 2). Did you mean endpoint?\n  \tendpont\n  \t^\n',
  });
});

t.test('a long line is shown around the fault', (t) => {
  const sql = `SELECT ${'1, '.repeat(100)}x y z, ${'1, '.repeat(100)}`;
  const [line = '', caret = ''] = pointAt(sql, positionAt(sql, sql.indexOf('x'))).split('\n');
  t.equal(line.charAt(caret.length - 1), 'x');
  t.ok(line.length <= 122);
  t.end();
});
