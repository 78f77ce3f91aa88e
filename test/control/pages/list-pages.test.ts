import t from 'tap';
import { listPages } from '../../../control/pages/index.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

t.test('a list has all pages, ordered by slug', async (t) => {
  const { sql } = await openTestPostgres(t);
  t.same(await listPages({ sql }), []);
  const second = await makePage(sql, { slug: 'beta' });
  const first = await makePage(sql, { slug: 'alpha' });
  t.strictSame(await listPages({ sql }), [first, second]);
});
