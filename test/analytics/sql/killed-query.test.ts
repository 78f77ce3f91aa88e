import t from 'tap';
import { runPageSql } from '../../../analytics/sql/run-sql.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { newPageId, openTestPageSql } from '../support.js';
import { runElsewhere } from './run-elsewhere.js';

const { clickhouse, pageSql } = await openTestPageSql(t);
/** Inside this call, which takes 5 s, the server does not notice that the query was killed. */
const deaf = 'SELECT hasAny(range(90000), range(1000000, 1090000))';

t.test('while a killed query of a page runs on, the SQL of the page is refused everywhere', async (t) => {
  const page = newPageId();
  const query = runElsewhere(clickhouse, page, deaf);
  await query.running();
  await query.kill();
  const run = (pageId: typeof page) => runPageSql(pageSql, pageId, { sql: 'SELECT 1', format: 'TSV' });
  await t.rejects(
    run(page),
    likeServiceError('rateLimited', { retryAfterSeconds: 30, message: /has not ended yet; retry later/ }),
  );
  t.equal((await run(newPageId())).toString(), '1\n', 'other pages are served');
  await query.ended;
  t.equal((await run(page)).toString(), '1\n', 'the page is served again');
});
