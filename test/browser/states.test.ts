import t, { type Test } from 'tap';
import { dayMs } from '../../lib/times.js';
import { openBrowser } from '../support/browser.js';
import { patchIncident } from '../support/incidents.js';
import { startAnother } from '../support/service.js';
import {
  addService,
  makeStatusSite,
  openSiteIncident,
  planMaintenance,
  postSiteUpdate,
  type StatusSite,
  startStatusService,
} from '../support/status-page.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { findAxeViolations, measureOverflow, startVisit, type Visit } from '../support/visit.js';
import { waitUntil } from '../support/wait-until.js';

const service = await startStatusService(t);
const { api, clock } = service;
const browser = await openBrowser(t);
const agoText = (days: number) => new Date(clock.now() - days * dayMs).toISOString();

async function makeSite(slug: string, services: readonly object[]): Promise<StatusSite> {
  const site = await makeStatusSite(service, slug, { name: `Acme ${slug}` });
  for (const fields of services) await addService(service, site, fields);
  return site;
}

const three = [
  { slug: 'api', name: 'API' },
  { slug: 'shop', name: 'Shop', downMinutes: { 3: 14, 40: 125 }, gaps: [10, 11] },
  { slug: 'mail', name: 'Mail', days: 30 },
];

async function open(t: Test, site: StatusSite, path = '/'): Promise<Visit> {
  const visit = await startVisit(t, browser, site.origin);
  await visit.page.goto(path);
  return visit;
}

/** Checks a page in all its looks: light and dark, narrow and wide, with everything open. */
async function checkLooks(t: Test, { page, troubles }: Visit): Promise<void> {
  await page.evaluate(`for (const element of document.querySelectorAll('details')) element.open = true`);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await findAxeViolations(page), [], `accessible, ${colorScheme}`);
  }
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 800 });
    t.equal(await measureOverflow(page), 0, `fits into ${width} px`);
  }
  t.strictSame(troubles, []);
}

const heading = ({ page }: Visit) => page.locator('h1').textContent();
const stateOf = ({ page }: Visit, slug: string) => page.locator(`#service-${slug} .state`).textContent();

t.test('all services are up', async (t) => {
  const site = await makeSite('fine', three);
  const visit = await open(t, site);
  t.equal(await heading(visit), 'All services are up');
  t.equal(await visit.page.title(), 'All services are up · Acme fine');
  t.strictSame(await visit.page.locator('.service h3').allTextContents(), ['API', 'Shop', 'Mail']);
  t.equal(await stateOf(visit, 'shop'), 'Up');
  const shop = visit.page.locator('#service-shop .days');
  t.equal(
    await shop.getAttribute('aria-label'),
    'Last 90 days: downtime on 2 days; 2 days were not measured',
  );
  await shop.focus();
  const box = await shop.boundingBox();
  if (box === null) throw new Error('The bars are shown.');
  await visit.page.mouse.move(box.x + (box.width * 86.5) / 90, box.y + 9);
  t.match(await visit.page.locator('.tip').textContent(), /14 minutes down · 0\.97% of checks failed$/);
  await visit.page.evaluate('document.activeElement.blur()');
  await visit.page.mouse.move(box.x + (box.width * 86.5) / 90, box.y + 10);
  const tip = await visit.page.locator('.tip').boundingBox();
  if (tip === null) throw new Error('The tip is shown.');
  await visit.page.mouse.move(tip.x + tip.width / 2, tip.y + tip.height / 2, { steps: 30 });
  t.ok(await visit.page.locator('.tip').isVisible(), 'the pointer can move onto it');
  await visit.page.mouse.move(5, 5);
  t.equal(await visit.page.locator('.tip').isVisible(), false);
  const chart = visit.page.locator('#service-api .response');
  t.equal(await chart.locator('.plot').isVisible(), false);
  await chart.locator('summary').click();
  await chart.locator('.plot').hover();
  t.match(await visit.page.locator('.readout').textContent(), /\d+ ms$/);
  await checkLooks(t, visit);
});

t.test('a service is down', async (t) => {
  const state_since = new Date(clock.now() - 12 * 60_000);
  const site = await makeSite('down', [
    ...three,
    { slug: 'disks', name: 'Disks', state: 'down', state_since },
  ]);
  // The time of the service may be half an hour ahead, and 12 minutes ago may be yesterday in another zone.
  const visit = await startVisit(t, browser, site.origin, { timezoneId: 'UTC' });
  await visit.page.clock.setFixedTime(clock.now());
  await visit.page.goto('/');
  t.match(await heading(visit), /^Disks is down, since \d\d:\d\d$/);
  t.equal(await visit.page.title(), 'Disks is down · Acme down');
  t.match(await visit.page.locator('.checked').textContent(), /^Last checked \d+ (seconds|minutes?) ago$/);
  await visit.page.getByRole('link', { name: 'Disks' }).click();
  await visit.page.waitForURL('**/#service-disks');
  t.ok(await visit.page.locator('#service-disks .state').isVisible());
  t.equal(await stateOf(visit, 'disks'), 'Down');
  t.equal(await stateOf(visit, 'api'), 'Up');
  await checkLooks(t, visit);
});

t.test('an incident continues, and another one is over', async (t) => {
  const site = await makeSite('incident', three);
  const id = await openSiteIncident(service, site, { monitorSlugs: ['api'] });
  await postSiteUpdate(service, site, id, { status: 'identified', body: 'A disk is full.\nWe add one.' });
  const over = await openSiteIncident(service, site, {
    ...{ title: 'Slow mail', startedAt: agoText(3), resolvedAt: agoText(2.9) },
  });
  const visit = await open(t, site);
  t.equal(await heading(visit), 'We are working on an incident');
  const card = visit.page.locator(`#incident-${id}`);
  t.equal(await card.locator('.state').textContent(), 'Identified');
  t.match(await card.textContent(), /Affects API/);
  t.equal(await card.locator('.text').first().textContent(), 'Connections time out.', 'the summary stays');
  t.match(await card.locator('.update .text').first().innerHTML(), /A disk is full\.<br>\s*We add one\./);
  t.ok(await visit.page.getByRole('link', { name: 'Slow mail' }).isVisible(), 'the past incident');
  await checkLooks(t, visit);

  t.comment('its own page');
  await visit.page.locator(`#incident-${id} h3 a`).click();
  await visit.page.waitForURL(`**/en/incidents/${id}`);
  t.equal(await heading(visit), 'Database outage');
  await checkLooks(t, visit);
  await visit.page.goto(`/incidents/${over}`);
  t.match(await visit.page.locator('main').textContent(), /Lasted 2 hours/);

  t.comment('the history');
  await visit.page.goto('/en/');
  await visit.page.getByRole('link', { name: 'See the whole history' }).click();
  await visit.page.waitForURL('**/en/history');
  t.ok(await visit.page.getByRole('link', { name: 'Database outage', exact: true }).isVisible());
  await checkLooks(t, visit);
});

t.test('maintenance is running, and more is planned', async (t) => {
  const site = await makeSite('maintenance', [
    { slug: 'api', name: 'API', state: 'down' },
    ...three.slice(1),
  ]);
  await planMaintenance(service, site, { fromHours: -1, toHours: 1, monitorSlugs: ['api'] });
  await planMaintenance(service, site, { fromHours: 24, toHours: 26, title: 'New network' });
  const visit = await open(t, site);
  t.equal(await heading(visit), 'Maintenance is under way');
  t.equal(await stateOf(visit, 'api'), 'Maintenance', 'planned maintenance is no outage');
  t.match(await visit.page.locator('.current').textContent(), /New disks.*Under way/);
  t.match(await visit.page.locator('.planned').textContent(), /New network.*Planned/);
  await checkLooks(t, visit);
});

t.test('monitoring is paused', async (t) => {
  const site = await makeStatusSite(service, 'paused', {}, { monitoringPaused: true });
  for (const fields of three) await addService(service, site, fields);
  const visit = await open(t, site);
  t.equal(await heading(visit), 'Monitoring is paused');
  t.equal(await stateOf(visit, 'api'), 'Paused');
  await checkLooks(t, visit);
});

t.test('the page is empty', async (t) => {
  const site = await makeSite('empty', []);
  const visit = await open(t, site);
  t.equal(await heading(visit), 'Nothing is monitored yet');
  t.match(await visit.page.locator('main').textContent(), /Services will appear here/);
  await checkLooks(t, visit);
  await visit.page.goto('/history');
  t.match(await visit.page.locator('main').textContent(), /No incidents reported in this month/);
  await checkLooks(t, visit);
});

t.test('nothing is known yet', async (t) => {
  const visit = await open(t, await makeSite('waiting', [{ slug: 'api', name: 'API', days: 0 }]));
  t.equal(await heading(visit), 'Nothing is known yet');
  t.equal(await stateOf(visit, 'api'), 'Not known yet');
  await checkLooks(t, visit);
});

t.test('the last checks are long ago', async (t) => {
  const last_checked_at = new Date(clock.now() - dayMs);
  const visit = await open(t, await makeSite('stale', [{ slug: 'api', name: 'API', last_checked_at }]));
  t.equal(await heading(visit), 'There are no recent measurements');
  await checkLooks(t, visit);
});

t.test('an address has nothing', async (t) => {
  const visit = await open(
    t,
    await makeSite('nowhere', []),
    '/en/incidents/01a1ff09-8a22-7585-98f6-222ce87cdd99',
  );
  t.equal(await heading(visit), 'There is nothing at this address');
  // The browser writes the status of the document to the console.
  t.equal(visit.troubles.length, 1);
  t.match(visit.troubles.pop(), /status of 404/);
  await checkLooks(t, visit);
});

t.test('the page cannot be loaded', async (t) => {
  const gate = await openTcpGate(t, api.stores.databaseUrl);
  const cutOff = await startAnother(t, api, { databaseUrl: gate.url });
  const { page } = await makeSite('cut-off', []);
  await gate.close();
  const visit = await startVisit(t, browser, cutOff.url.replace('127.0.0.1', page.hostname));
  await visit.page.goto('/en/history?x=1');
  t.equal(await heading(visit), 'The status page cannot be shown right now');
  t.equal(visit.troubles.length, 1);
  t.match(visit.troubles.pop(), /status of 503/);
  await checkLooks(t, visit);
  await gate.open();
  await waitUntil('trying again leads to the page', async () => {
    await Promise.all([
      visit.page.waitForEvent('load'),
      visit.page.getByRole('link', { name: 'Try again' }).click(),
    ]);
    return (await heading(visit)) === 'Incident history';
  });
  t.match(visit.page.url(), /\/en\/history\?x=1$/);
});

t.test('what is over leaves the page after two weeks', async (t) => {
  const site = await makeSite('over', three);
  const id = await openSiteIncident(service, site, { startedAt: agoText(20) });
  const resolved = await patchIncident(api, site.incidentKey, id, { resolvedAt: agoText(19.9) });
  t.equal(resolved.status, 200);
  const visit = await open(t, site);
  t.equal(await heading(visit), 'All services are up');
  t.match(await visit.page.locator('main').textContent(), /No incidents reported in the last 14 days/);
  t.equal(await visit.page.getByText('Database outage').count(), 0);
});
