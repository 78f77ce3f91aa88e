import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, visitDashboard } from '../../support/dashboard-visit.js';
import { makeMonitors } from '../../support/incidents.js';
import { requestAt } from '../../support/request-at.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const browser = await openBrowser(t);
const responder = { browser, service, as: { slug: 'acme', role: 'responder' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const incidents = '/manage/pages/acme/incidents';
await sql`update pages set languages = '{en,de}' where id = ${service.pageId}`;
await makeMonitors(sql, service.pageId, ['api', 'web']);

const statesOf = async () => {
  const { body } = await requestAt(service.url, 'acme.localhost', '/api/public/acme/status');
  const { services } = body as { services: { slug: string; state: string }[] };
  return Object.fromEntries(services.map(({ slug, state }) => [slug, state]));
};

t.test('an incident says how bad it is, for each monitor too', async (t) => {
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  await page.goto(`${incidents}?new=incident`);
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Orders are slow');
  await page.getByRole('textbox', { name: 'What people should know' }).fill('Some take a minute.');
  t.equal(await page.getByLabel('State of web').count(), 0, 'the monitor is not affected yet');
  await page.getByRole('checkbox', { name: 'web' }).check();
  await page.getByRole('checkbox', { name: 'api' }).check();
  await page.getByLabel('Impact').selectOption('Minor: services are degraded');
  await page.getByLabel('State of web').selectOption('down');
  await checkScreen(t, visit, 'the impact');
  await page.getByRole('button', { name: /^Publish/ }).click();
  await page.waitForURL(/incident=[0-9a-f-]{36}/);
  await page.getByText('Minor: services are degraded').waitFor();
  await page.getByText('web: down').waitFor();
  t.strictSame(await statesOf(), { api: 'degraded', web: 'major_outage' });
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Impact').selectOption('Major: services are partly down');
  await page.getByLabel('State of web').selectOption('As the impact says: partly down');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Major: services are partly down').waitFor();
  t.strictSame(await statesOf(), { api: 'partial_outage', web: 'partial_outage' });
});

t.test('what was learned: written, corrected, deleted and brought back', async (t) => {
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  const { page: other } = await visitDashboard(t, viewer);
  const answer = await page.request.post('/api/v1/pages/acme/incidents', {
    headers: { 'sec-fetch-site': 'same-origin' },
    data: {
      ...{ title: 'Disk full', summary: 'Orders fail.' },
      startedAt: new Date(Date.now() - 60_000).toISOString(),
      resolvedAt: new Date(Date.now() - 1_000).toISOString(),
    },
  });
  const { id } = (await answer.json()) as { id: string };
  const published = async () => {
    const { body } = await requestAt(service.url, 'acme.localhost', `/en/incidents/${id}`, {
      headers: { accept: 'text/html' },
    });
    return String(body);
  };
  await page.goto(`${incidents}?incident=${id}`);
  const panel = page.getByRole('region', { name: 'Postmortem' });
  await panel.getByText('None yet.').waitFor();
  await panel.getByRole('button', { name: 'Write a postmortem' }).click();
  await panel.getByRole('button', { name: 'Publish the postmortem' }).waitFor();
  await panel
    .getByRole('textbox', { name: 'What happened, and what you learned' })
    .fill('Nothing watched the **disk**.');
  await panel.getByRole('textbox', { name: /^The same in German/ }).fill('Niemand sah nach der Platte.');
  await page.reload();
  const text = panel.getByRole('textbox', { name: 'What happened, and what you learned' });
  t.equal(await text.inputValue(), 'Nothing watched the **disk**.', 'a reload keeps the draft');
  await checkScreen(t, visit, 'a postmortem that is being written');
  await panel.getByRole('button', { name: 'Publish the postmortem' }).click();
  await panel.getByRole('button', { name: 'Edit the postmortem' }).waitFor();
  t.match(await published(), 'Nothing watched the <strong>disk</strong>');
  await other.goto(`${incidents}?incident=${id}`);
  const seen = other.getByRole('region', { name: 'Postmortem' });
  await seen.getByText('Nothing watched the').waitFor();
  t.equal(await seen.getByRole('button', { name: 'Delete' }).getAttribute('aria-disabled'), 'true');
  await panel.getByRole('button', { name: 'Edit the postmortem' }).click();
  await panel
    .getByRole('textbox', { name: 'What happened, and what you learned' })
    .fill('Now something does.');
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('Now something does.').waitFor();
  await panel.getByRole('button', { name: 'Delete' }).click();
  await panel.getByText('None yet.').waitFor();
  t.notMatch(await published(), /something does/);
  await page.getByRole('button', { name: 'Undo' }).click();
  await panel.getByText('Now something does.').waitFor();
  t.match(await published(), /something does/);
});
