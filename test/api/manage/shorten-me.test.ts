import t from 'tap';
import { shortenMe } from '../../../api/manage/me.js';
import type { Me } from '../../../contract/manage/session.js';

function adminOf(count: number, ownSlug: string): Me {
  const pages = Array.from({ length: count }, (_, i): Me['pages'][number] => {
    const slug = `page-${String(i).padStart(4, '0')}`;
    return {
      slug,
      name: slug,
      role: slug === ownSlug ? 'viewer' : null,
      permissions: [],
      alertThresholdPercent: null,
    };
  });
  return { caller: { type: 'user', id: 'ada', name: 'Ada' }, admin: true, pages };
}

t.test('a document has the open page, those with a role, and the first others', async (t) => {
  const { me, hasMorePages } = shortenMe(adminOf(5_000, 'page-4000'), 'page-4999');
  const slugs = me.pages.map(({ slug }) => slug);
  t.equal(hasMorePages, true);
  t.equal(slugs.length, 200);
  t.same(slugs.slice(0, 2), ['page-0000', 'page-0001']);
  t.same(slugs.slice(-3), ['page-0197', 'page-4000', 'page-4999']);
});

t.test('few pages stay as they are', async (t) => {
  const all = adminOf(200, 'page-0001');
  t.same(shortenMe(all, undefined), { me: all, hasMorePages: false });
});
