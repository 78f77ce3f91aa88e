import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import t from 'tap';
import { pageFunctionNames } from '../../../analytics/sql/page-functions.js';
import { documentedTables, sqlTables } from '../../../contract/sql-documented.js';
import { ReadError } from '../../../web/dashboard/reads/fetch-json.js';
import { completeFrom } from '../../../web/dashboard/screens/sql/editor/complete.js';
import { dialectOf } from '../../../web/dashboard/screens/sql/editor/dialect.js';
import { faultOf } from '../../../web/dashboard/screens/sql/editor/fault.js';
import { shortType } from '../../../web/dashboard/screens/sql/editor/short-type.js';
import { pageFunctionTexts } from '../../../web/dashboard/screens/sql/page-function-texts.js';

const schema = {
  tables: sqlTables.map((name) => ({ name, ...documentedTables[name] })),
  functions: ['sum', 'toStartOfHour', ...pageFunctionNames],
};

/** Returns the completions at `|`. */
function offered(marked: string, explicit = false) {
  const at = marked.indexOf('|');
  const state = EditorState.create({ doc: marked.replace('|', '') });
  return completeFrom(schema, pageFunctionTexts.en)(new CompletionContext(state, at, explicit));
}
const labels = (marked: string) => offered(marked)?.options.map(({ label }) => label) ?? [];

t.test('columns of the tables that the statement names, with type and comment', (t) => {
  const found = offered('SELECT st| FROM requests_minute');
  t.match(
    found?.options.find(({ label }) => label === 'status'),
    { detail: 'UInt16', info: /500 and above are failures/ },
  );
  t.notOk(labels('SELECT st| FROM requests_minute').includes('last_report_at'));
  t.ok(labels('SELECT st|').includes('last_report_at'), 'all columns before a table is named');
  t.end();
});

t.test('tables, functions, words and the parameters of the range', (t) => {
  const found = labels('SELECT x|');
  for (const label of ['messages', 'sumIf', 'GROUP', '{from:DateTime}']) t.ok(found.includes(label), label);
  t.equal(offered('SELECT x|')?.options.find(({ label }) => label === 'sumIf')?.apply, 'sumIf(');
  t.ok(labels('WHERE minute >= {f|').includes('{from:DateTime}'));
  t.end();
});

t.test('each function of pages says how it is called and what it computes, in each language', (t) => {
  for (const texts of Object.values(pageFunctionTexts)) {
    t.same(Object.keys(texts).sort(), [...pageFunctionNames]);
  }
  t.match(
    offered('SELECT ap|')?.options.find(({ label }) => label === 'apdex'),
    { apply: 'apdex(', detail: 'apdex(buckets, ms)', info: /count half/ },
  );
  t.notOk(offered('SELECT s|')?.options.find(({ label }) => label === 'sum')?.detail);
  t.end();
});

t.test('functions of pages look as those of ClickHouse', (t) => {
  const { parser } = dialectOf(schema).language;
  for (const name of ['sum', ...pageFunctionNames]) {
    t.equal(parser.parse(`${name}(x)`).resolve(1).name, 'Builtin', name);
  }
  t.end();
});

t.test('behind a name and a point, the columns of that table or alias', (t) => {
  t.same(
    labels('SELECT m.| FROM messages AS m'),
    documentedTables.messages.columns.map(({ name }) => name),
  );
  t.ok(labels('SELECT reports.ca| FROM reports').includes('calls'));
  t.equal(offered('SELECT x.y| FROM messages'), null);
  t.end();
});

t.test('nothing between words, unless asked for', (t) => {
  t.equal(offered('SELECT 1 |'), null);
  t.ok(offered('SELECT 1 |', true));
  t.end();
});

t.test('the place of a fault, in the whole text', (t) => {
  const refusal = (offset: number) => new ReadError(400, 'no', { position: { offset, line: 1, column: 1 } });
  t.same(faultOf(refusal(9), "SELECT '🙂' x", 100), { index: 110, message: 'no' });
  t.equal(faultOf(new ReadError(422, 'long'), 'SELECT 1', 0), undefined);
  t.end();
});

t.test('the short name of a type', (t) => {
  t.equal(shortType('SimpleAggregateFunction(sum, Nullable(UInt64))'), 'Nullable(UInt64)');
  t.equal(shortType("DateTime('UTC')"), 'DateTime');
  t.equal(shortType('AggregateFunction(x, Array(Float32))'), 'AggregateFunction');
  t.end();
});
