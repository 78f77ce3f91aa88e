import t from 'tap';
import { openAccountBrowser } from '../../support/account-pages.js';
import { makePage } from '../../support/pages.js';
import { requestAt } from '../../support/request-at.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
await makePage(service.stores.sql, { slug: 'foreign', hostname: 'foreign.localhost' });
const browser = openAccountBrowser(service);

t.test(
  '200: the page of a shared board, for frames of any site, which are told nothing of its address',
  async (t) => {
    const { status, headers, html } = await browser.get('/boards/brd_secret?lang=de');
    t.equal(status, 200);
    const policy = headers.get('content-security-policy') ?? '';
    t.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    t.match(policy, /form-action 'none'/);
    t.match(policy, /frame-ancestors \*$/);
    t.equal(headers.get('x-frame-options'), null);
    t.equal(headers.get('referrer-policy'), 'no-referrer');
    t.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
    t.equal(headers.get('cache-control'), 'no-store');
    t.equal(headers.get('set-cookie'), null);
    t.match(html, '<html lang="de">');
    t.match(html, '"sharedBoard":{"token":"brd_secret"}');
  },
);

t.test('200: a token that would end the data of the page does not', async (t) => {
  const { html } = await browser.get(`/boards/${encodeURIComponent('</script><script>alert(1)</script>')}`);
  t.notMatch(html, '<script>alert');
});

t.test('404: not on the host of a status page', async (t) => {
  const { status } = await requestAt(service.url, 'foreign.localhost', '/boards/brd_secret');
  t.equal(status, 404);
});
