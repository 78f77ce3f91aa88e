import t from 'tap';
import { createIncident, parseNewIncident } from '../../../control/incidents/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { outage } from '../../support/incidents.js';
import { insertMonitor } from '../../support/monitors.js';
import { makePage } from '../../support/pages.js';
import { giveRole } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitInPage } from '../../support/visit.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const deps = { sql: service.stores.sql, clock: systemClock };
const owner = { browser, service, as: { slug: 'acme', role: 'owner' } } as const;

t.test('somebody with one page goes on to it', async (t) => {
  const visit = await visitDashboard(t, owner);
  await visit.page.goto('/manage');
  await waitInPage(visit.page, `location.pathname === '/manage/pages/acme'`);
  await visit.page.goto('/manage?all=yes');
  await visit.page.getByText('Owner', { exact: true }).waitFor();
  await checkScreen(t, visit, 'one page');
});

t.test(
  'all pages with the role, the way in and the public page; without its address when that fails',
  async (t) => {
    const visit = await visitDashboard(t, { browser, service, as: 'admin' });
    const { page } = visit;
    for (const slug of ['six', 'seven', 'eight']) await makePage(service.stores.sql, { slug });
    const { id } = await makePage(service.stores.sql, { slug: 'five' });
    for (const slug of ['a', 'b']) await insertMonitor(service.stores.sql, { pageId: id, slug });
    await service.stores.sql`
      update monitors set state = case slug when 'a' then 'down' else 'up' end, state_since = now()
      where page_id = ${id}`;
    const input = parseNewIncident({ ...outage, monitorSlugs: [] });
    await createIncident({ ...deps, by: testActor }, { pageId: id, input });
    await page.goto('/manage');
    await page.getByRole('link', { name: /the public page of acme/ }).waitFor();
    t.equal(await page.getByText('Admin', { exact: true }).count(), 6);
    const down = page.getByRole('listitem').filter({ hasText: 'five' });
    await down.getByText('1 of 2 down').waitFor();
    await down.getByText('1 open incident').waitFor();
    await page.getByText('nothing known yet').first().waitFor();
    await checkScreen(t, visit, 'pages');
    await page.getByRole('searchbox', { name: 'Find a page' }).fill('nothing');
    await page.getByText('No page has this name.').waitFor();
    await page.getByRole('searchbox', { name: 'Find a page' }).fill('SEV');
    const mend = await failReads(visit, /api\/v1\/pages\?/);
    await page.reload();
    await page.getByRole('link', { name: 'acme', exact: true }).click();
    await waitInPage(page, `location.pathname === '/manage/pages/acme'`);
    await mend();
    t.strictSame(visit.troubles, []);
  },
);

t.test('somebody without a page reads what to do', async (t) => {
  const visit = await visitDashboard(t, owner);
  await service.stores
    .sql`delete from page_roles where user_id = (select id from users where email = ${visit.email})`;
  await visit.page.goto('/manage');
  await visit.page.getByText('You have no page yet').waitFor();
  await checkScreen(t, visit, 'no page');
  const [user] = await service.stores.sql`select id from users where email = ${visit.email}`;
  await giveRole(deps, { userId: user?.['id'], slug: 'acme', role: 'viewer' });
  await visit.page.reload();
  await waitInPage(visit.page, `location.pathname === '/manage/pages/acme'`);
});
