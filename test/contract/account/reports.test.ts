import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { openAccountBrowser } from '../../support/account-pages.js';
import { makePage } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { insertMonitor } from '../../support/points.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
await makePage(sql, { slug: 'foreign', hostname: 'foreign.localhost' });
const { headers: viewer } = await signInAs(deps, { slug: 'acme', role: 'viewer' });
const { headers: stranger } = await signInAs(deps, { slug: 'foreign', role: 'owner' });
await insertMonitor(sql, service.pageId, { name: '<b>Shop</b>' });
const browser = openAccountBrowser(service);
const path = '/manage/pages/acme/reports';
const as = ({ cookie }: { cookie: string }) => ({ cookie });

t.test('200: a page to print, with a strict policy and without a script of its own', async (t) => {
  const { status, html, headers } = await browser.get(`${path}/month`, as(viewer));
  t.equal(status, 200);
  t.match(html, 'Monthly report');
  t.match(html, '&lt;b>Shop', 'names are text');
  t.match(html, /<th scope="col">Uptime<\/th>/);
  t.match(html, /href="\/api\/v1\/pages\/acme\/reports\/month\?at=[^"]*format=csv"/);
  t.match(headers.get('content-security-policy'), /default-src 'none'.*frame-ancestors 'none'/);
  t.notMatch(headers.get('content-security-policy'), 'unsafe');
  t.equal(headers.get('cache-control'), 'no-store');
  t.notMatch(html, / style="| onclick=/);
});

t.test('200: in the languages of the service', async (t) => {
  for (const [language, label] of [
    ['de', 'Wochenbericht'],
    ['en', 'Weekly report'],
    ['es', 'Informe semanal'],
    ['fr', 'Rapport hebdomadaire'],
    ['ja', '週次レポート'],
  ] as const) {
    const { html } = await browser.get(`${path}/week?lang=${language}&at=now`, as(viewer));
    t.match(html, label);
    t.match(html, `<html lang="${language}"`);
  }
});

t.test('303: without a session, the way leads over the sign-in', async (t) => {
  const { status, headers } = await browser.get(`${path}/week?at=now-7d`);
  t.equal(status, 303);
  t.match(headers.get('location'), /^\/manage\/sign-in\?to=.*reports%2Fweek/);
});

t.test('404: people of another page, and reports of years', async (t) => {
  const foreign = await browser.get(`${path}/week`, as(stranger));
  t.equal(foreign.status, 404);
  t.notMatch(foreign.html, 'Shop');
  t.equal((await browser.get(`${path}/year`, as(viewer))).status, 404);
});

t.test('400: a time that there is not', async (t) => {
  const { status } = await browser.get(`${path}/week?at=2100-01-01`, as(viewer));
  t.equal(status, 400);
});
