import fc from 'fast-check';
import t from 'tap';
import { checkSql } from '../../../analytics/sql/check-sql.js';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { errorRegistry } from '../../../contract/errors.js';
import { ServiceError } from '../../../lib/service-error.js';
import { propertyOf } from '../../support/property.js';
import { newPageId, openTestPageSql } from '../support.js';

const words =
  'SELECT FROM WHERE GROUP BY ORDER LIMIT WITH AS UNION ALL ( ) , ; . * 1 0x \' " ` -- /* */ \n \0 $$ { } [ ] -> :: IN file numbers requests_minute service count() CASE WHEN END APPLY SETTINGS FORMAT x'.split(
    ' ',
  );
const sqlLike = fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((parts) => parts.join(' '));
const anySql = fc.oneof(
  sqlLike,
  fc.string({ unit: 'binary' }),
  fc.string(),
  sqlLike.map((text) => `SELECT ${text}`),
);

t.test('any text is answered, or refused as an error of the caller', async (t) => {
  const { pageSql } = await openTestPageSql(t);
  const page = newPageId();
  await fc.assert(
    fc.asyncProperty(anySql, async (sql) => {
      try {
        await runPageSql(pageSql, page, { sql, format: 'JSON' });
      } catch (error) {
        if (!(error instanceof ServiceError) || errorRegistry[error.kind].status >= 500) throw error;
      }
    }),
    propertyOf(t, { few: 80, many: 2_000 }),
  );
});

t.test('any lines are a tree, or refused', (t) => {
  const kinds = [
    'SelectWithUnionQuery',
    'ExpressionList',
    'SelectQuery',
    'Function file',
    'Literal 1',
    'Identifier x',
    'Set',
    '',
  ];
  const line = fc
    .tuple(fc.nat(5), fc.oneof(fc.constantFrom(...kinds), fc.string()), fc.option(fc.nat(3)))
    .map(
      ([depth, text, children]) =>
        `${' '.repeat(depth)}${text}${children === null ? '' : ` (children ${children})`}`,
    );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      try {
        checkSql(lines, { database: 'heartline' });
        // Whatever passes has no line of a function that is not on the list.
        if (lines.some((text) => /^ *Function file( \(|$)/.test(text))) throw new Error('passed');
      } catch (error) {
        if (!(error instanceof ServiceError) || errorRegistry[error.kind].status !== 400) throw error;
      }
    }),
    propertyOf(t, { few: 1_000, many: 20_000 }),
  );
  t.end();
});
