import t from 'tap';
import { findPage, loadPage, loadPageId } from '../../../control/pages/index.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const acme = await makePage(sql, { slug: 'acme', hostname: 'status.acme.example' });
await makePage(sql, { slug: 'other' });

t.test('a page is found by its slug and by its host name in any case', async (t) => {
  t.strictSame(await findPage({ sql }, { slug: 'acme' }), acme);
  t.strictSame(await findPage({ sql }, { hostname: 'Status.Acme.Example' }), acme);
  t.equal(await findPage({ sql }, { slug: 'status.acme.example' }), undefined);
  t.equal(await findPage({ sql }, { hostname: 'acme' }), undefined);
});

t.test('a page is loaded by its slug, and a slug that no page has is refused', async (t) => {
  t.strictSame(await loadPage(sql, 'acme'), acme);
  t.equal(await loadPageId(sql, 'acme'), acme.id);
  const refused = { kind: 'notFound', message: 'There is no page with the slug "none".' };
  await t.rejects(loadPage(sql, 'none'), refused);
  await t.rejects(loadPageId(sql, 'none'), refused);
});
