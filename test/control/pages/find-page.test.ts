import t from 'tap';
import { findPage } from '../../../control/pages/find-page.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

t.test('a page is found by its slug and by its host name in any case', async (t) => {
  const { sql } = await openTestPostgres(t);
  const acme = await makePage(sql, { slug: 'acme', hostname: 'status.acme.example' });
  await makePage(sql, { slug: 'other' });
  t.strictSame(await findPage({ sql }, { slug: 'acme' }), acme);
  t.strictSame(await findPage({ sql }, { hostname: 'Status.Acme.Example' }), acme);
  t.equal(await findPage({ sql }, { slug: 'status.acme.example' }), undefined);
  t.equal(await findPage({ sql }, { hostname: 'acme' }), undefined);
});
