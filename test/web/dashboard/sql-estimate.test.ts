import t from 'tap';
import type { SqlEstimate } from '../../../contract/analytics/sql.js';
import { ReadError } from '../../../web/dashboard/reads/fetch-json.js';
import { estimateLater, estimateWaitMs, isQuery } from '../../../web/dashboard/screens/sql/estimate.js';

const estimate: SqlEstimate = { tables: [{ name: 'messages', rows: 7 }], rows: 7, bytes: 900 };

/** An editor whose timer runs by hand, and a service that answers by hand. */
function open() {
  let timer: { ms: number; call(): void } | undefined;
  const asked: { sql: string; signal: AbortSignal; answer(outcome: SqlEstimate | Error): void }[] = [];
  const shown: SqlEstimate[] = [];
  return {
    ...{ asked, shown },
    waitMs: () => timer?.ms,
    write: (sql: string) =>
      estimateLater(sql, {
        after(ms, call) {
          timer = { ms, call };
          return () => {
            timer = undefined;
          };
        },
        ask: (text, signal) =>
          new Promise((resolve, reject) => {
            const answer = (outcome: SqlEstimate | Error) =>
              outcome instanceof Error ? reject(outcome) : resolve(outcome);
            asked.push({ sql: text, signal, answer });
          }),
        show: (found) => shown.push(found),
      }),
    pass() {
      timer?.call();
      timer = undefined;
    },
    settle: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
}

t.test('the service is asked once the text has stood for a while', async (t) => {
  const editor = open();
  const end = editor.write('SELECT 1');
  t.equal(editor.waitMs(), estimateWaitMs);
  end();
  t.equal(editor.waitMs(), undefined, 'another key begins the wait anew');
  editor.write('SELECT 12');
  editor.pass();
  t.same(
    editor.asked.map(({ sql }) => sql),
    ['SELECT 12'],
  );
  editor.asked[0]?.answer(estimate);
  await editor.settle();
  t.same(editor.shown, [estimate]);
});

t.test('a change ends the request, and its answer is not shown any more', async (t) => {
  const editor = open();
  const end = editor.write('SELECT 1');
  editor.pass();
  end();
  t.equal(editor.asked[0]?.signal.aborted, true);
  editor.asked[0]?.answer(estimate);
  await editor.settle();
  t.same(editor.shown, []);
});

t.test(
  'nothing is shown of a text that does not parse, and nobody is asked where that is plain',
  async (t) => {
    const editor = open();
    editor.write('SELECT nonsense FROM');
    editor.pass();
    editor.asked[0]?.answer(new ReadError(400, 'Syntax error.'));
    await editor.settle();
    for (const text of ['', 'SHOW TABLES', 'SELECT count(']) editor.write(text);
    t.same([editor.asked.length, editor.shown, editor.waitMs()], [1, [], undefined]);
  },
);

t.test('a query begins as one, and closes what it opens', (t) => {
  const queries = [
    'SELECT 1',
    '  with a as (select 1) select * from a',
    '(SELECT 1) UNION ALL (SELECT 2)',
    "-- it's a note (\nSELECT 1",
    `/* " */ SELECT ')', 'it''s', '\\'', "("`,
    'SELECT `(`',
  ];
  const others = [
    'SELEC',
    'DESCRIBE messages',
    'SELECT (1',
    'SELECT 1)',
    'SELECT )(',
    "SELECT 'open",
    'SELECT `x',
  ];
  t.strictSame([...queries, ...others].filter(isQuery), queries);
  t.end();
});
