import type { Page } from 'playwright-core';
import t from 'tap';
import { putGroup, putOrder } from '../../control/monitors/index.js';
import { testActor } from '../support/actor.js';
import { openBrowser } from '../support/browser.js';
import {
  addService,
  makeStatusSite,
  openSiteIncident,
  planMaintenance,
  postSiteUpdate,
  type StatusSite,
  startStatusService,
} from '../support/status-page.js';
import { startVisit, waitInPage } from '../support/visit.js';

const service = await startStatusService(t);
const browser = await openBrowser(t);
const bytesMax = 30_000;

/** Twenty services with ninety days that all differ, an incident and two maintenances. */
async function makeLargeSite(slug: string): Promise<StatusSite> {
  const site = await makeStatusSite(service, slug, { name: 'Acme', languages: ['en', 'de', 'fr'] });
  for (let i = 0; i < 20; i += 1) {
    await addService(service, site, {
      slug: `service-${i}`,
      name: `Service ${i}`,
      downMinutes: { [i]: 5 + i, [40 + ((i * 7) % 50)]: 3 * i + 1 },
      gaps: [20 + i, 60 + (i % 20)],
    });
  }
  const incident = await openSiteIncident(service, site, { monitorSlugs: ['service-3', 'service-4'] });
  await postSiteUpdate(service, site, incident, { status: 'identified', body: 'A disk is full.' });
  await planMaintenance(service, site, { fromHours: -1, toHours: 1 });
  await planMaintenance(service, site, { fromHours: 48, toHours: 50, title: 'New network' });
  return site;
}

const site = await makeLargeSite('large');

/** Bytes on the wire, headers included, by path. */
async function measureTransfers(page: Page, path: string): Promise<Map<string, number>> {
  const session = await page.context().newCDPSession(page);
  const paths = new Map<string, string>();
  const bytes = new Map<string, number>();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    paths.set(requestId, new URL(request.url).pathname);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.set(paths.get(requestId) ?? requestId, encodedDataLength);
  });
  await session.send('Network.enable');
  await page.goto(path, { waitUntil: 'networkidle' });
  return bytes;
}

t.test('the first load of a large page is at most 30 kB', async (t) => {
  const { page, troubles } = await startVisit(t, browser, site.origin);
  const transfers = await measureTransfers(page, '/');
  const sum = [...transfers.values()].reduce((a, b) => a + b, 0);
  t.comment([...transfers].map(([path, bytes]) => `${path} ${bytes}`).join(', '));
  t.ok(transfers.has('/') && transfers.size >= 5, 'the page, its styles and its scripts');
  t.ok(sum > 5_000 && sum <= bytesMax, `${sum} bytes`);
  t.strictSame(troubles, []);

  const again = await measureTransfers(page, '/');
  t.ok((again.get('/') ?? bytesMax) < 1_000, 'the page is not sent again');
  const kept = [...again.keys()].filter((path) => path.startsWith('/assets/'));
  t.ok(
    kept.every((path) => again.get(path) === 0),
    'styles and scripts are not requested again',
  );
});

t.test(
  'with its services in groups that have names in every language, it is at most 30 kB too',
  async (t) => {
    const grouped = await makeLargeSite('grouped');
    const deps = { sql: service.api.stores.sql, clock: service.clock, by: testActor };
    const { id: pageId } = grouped.page;
    const items = [];
    for (let i = 0; i < 10; i += 1) {
      const [group, name] = [`region-${i}`, `Region ${i}`];
      await putGroup(deps, { pageId, slug: group, name, names: { de: `Gebiet ${i}`, fr: `Zone ${i}` } });
      items.push({ group, monitors: [`service-${2 * i}`, `service-${2 * i + 1}`] });
    }
    await putOrder(deps, { pageId, items });
    const { page, troubles } = await startVisit(t, browser, grouped.origin);
    const transfers = await measureTransfers(page, '/');
    const sum = [...transfers.values()].reduce((a, b) => a + b, 0);
    t.equal(await page.getByRole('heading', { name: /^Region \d$/ }).count(), 10);
    t.ok(transfers.size >= 5 && sum > 5_000 && sum <= bytesMax, `${sum} bytes`);
    t.strictSame(troubles, []);
  },
);

for (const [device, viewport] of [
  ['a wide screen', { width: 1_200, height: 900 }],
  ['a phone', { width: 390, height: 800 }],
] as const) {
  t.test(`nothing moves on ${device} while the page loads`, async (t) => {
    const { page } = await startVisit(t, browser, site.origin, { viewport, timezoneId: 'Asia/Kathmandu' });
    // The time of the service may be half an hour ahead.
    await page.clock.setFixedTime(service.clock.now());
    await page.addInitScript(`
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });`);
    await page.goto('/', { waitUntil: 'networkidle' });
    t.match(await page.locator('.current time').first().textContent(), /GMT\+5:45$/, 'after times are local');
    // Entries are delivered with the next frame.
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    );
    const shift = await page.evaluate<number>('window.shift');
    t.ok(shift < 0.01, `${shift}`);

    await page.evaluate(`document.querySelector('main').style.marginTop = '300px'`);
    await waitInPage(page, 'window.shift > 0.01');
    t.pass('what moves would be noticed');
  });
}
