import t from 'tap';
import {
  addRan,
  historyLimits,
  type Ran,
  readHistory,
  writeHistory,
} from '../../../web/dashboard/screens/sql/history.js';

const ran = (sql: string, at = 0): Ran => ({ sql, at, ms: 12, rows: 3 });

t.test('the newest first, and a statement once', (t) => {
  const history = ['SELECT 1', 'SELECT 2', '  SELECT 1\n'].reduce<readonly Ran[]>(
    (before, sql, at) => addRan(before, ran(sql, at)),
    [],
  );
  t.strictSame(history, [ran('SELECT 1', 2), ran('SELECT 2', 1)]);
  t.end();
});

t.test('at most 100 statements, and no more characters than a browser has room for', (t) => {
  const many = Array.from({ length: 130 }, (_, i) => `SELECT ${i}`);
  const history = many.reduce<readonly Ran[]>((before, sql) => addRan(before, ran(sql)), []);
  t.equal(history.length, historyLimits.statements);
  t.equal(history[0]?.sql, 'SELECT 129');
  const long = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(historyLimits.chars / 4));
  const kept = long.reduce<readonly Ran[]>((before, sql) => addRan(before, ran(sql)), []);
  t.equal(kept.length, 4, 'the oldest leaves');
  t.end();
});

t.test('what is kept is read again; anything else is nothing', (t) => {
  const history = [ran('SELECT 1', 5), { ...ran('SELECT 2'), ms: null }];
  t.strictSame(readHistory(writeHistory(history)), history);
  t.equal(writeHistory([]), undefined);
  const others = [
    undefined,
    '',
    '{',
    '7',
    'null',
    '[]',
    '{"version":2,"ran":[{"sql":"SELECT 1","at":1,"ms":1,"rows":1}]}',
    '{"version":1,"ran":7}',
    '{"version":1,"ran":[null,7,{"sql":1,"at":1,"ms":1,"rows":1},{"sql":"SELECT 1","at":1,"ms":"1","rows":1}]}',
  ];
  t.strictSame(
    others.map(readHistory),
    others.map(() => []),
  );
  t.end();
});
