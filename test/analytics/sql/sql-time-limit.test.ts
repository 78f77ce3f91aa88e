import t from 'tap';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { newPageId, openTestPageSql, slowSql } from '../support.js';

const { pageSql } = await openTestPageSql(t);

t.test('a query ends at its limit of time', async (t) => {
  const answer = runPageSql(pageSql, newPageId(), { sql: slowSql, format: 'CSV' });
  await t.rejects(answer, likeServiceError('sqlTooExpensive'));
});
