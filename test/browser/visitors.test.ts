import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { dayMs } from '../../lib/times.js';
import { openBrowser } from '../support/browser.js';
import { patchIncident } from '../support/incidents.js';
import {
  addService,
  makeStatusSite,
  openSiteIncident,
  planMaintenance,
  postSiteUpdate,
  type StatusSite,
  startStatusService,
} from '../support/status-page.js';
import { countPlans, findAxeViolations, measureOverflow, startVisit, waitInPage } from '../support/visit.js';
import { waitUntil } from '../support/wait-until.js';

const service = await startStatusService(t);
const { api, clock } = service;
const browser = await openBrowser(t);

async function makeSite(slug: string, languages = ['en']): Promise<StatusSite> {
  const site = await makeStatusSite(service, slug, { name: 'Acme', languages });
  await addService(service, site, { slug: 'api', name: 'API', downMinutes: { 3: 14 } });
  await addService(service, site, { slug: 'shop', name: 'Shop' });
  return site;
}

const backgroundOf = (page: Page) => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
const light = 'rgb(246, 246, 244)';
const dark = 'rgb(15, 17, 22)';

t.test('a page has the language of the browser, and the others at their own addresses', async (t) => {
  const site = await makeSite('languages', ['en', 'de', 'fr', 'es', 'ja']);
  const { page, troubles } = await startVisit(t, browser, site.origin, { locale: 'de-AT' });
  await page.goto('/');
  t.equal(await page.locator('h1').textContent(), 'Alle Dienste laufen');
  t.equal(await page.locator('html').getAttribute('lang'), 'de');
  const alternates = await page
    .locator('link[rel=alternate][hreflang]')
    .evaluateAll((links) =>
      links.map((link) => `${link.getAttribute('hreflang')} ${link.getAttribute('href')}`),
    );
  t.strictSame(alternates, [
    ...['en', 'de', 'fr', 'es', 'ja'].map((tag) => `${tag} ${site.origin}/${tag}/`),
    `x-default ${site.origin}/`,
  ]);
  for (const [name, tag, sentence] of [
    ['Français', 'fr', 'Tous les services fonctionnent'],
    ['Español', 'es', 'Todos los servicios funcionan'],
    ['日本語', 'ja', 'すべてのサービスが稼働しています'],
    ['English', 'en', 'All services are up'],
  ] as const) {
    await page.getByRole('link', { name }).click();
    await page.waitForURL(`**/${tag}/`);
    t.equal(await page.locator('h1').textContent(), sentence);
    t.equal(await page.locator('html').getAttribute('lang'), tag);
    await page.setViewportSize({ width: 320, height: 800 });
    t.equal(await measureOverflow(page), 0, `${tag} fits into 320 px`);
    t.ok(
      await page.locator(`.actions a[href="/${tag}/history"]`).isVisible(),
      'the way to the history stays',
    );
  }
  t.strictSame(troubles, []);
});

t.test('a page in a right-to-left language is mirrored', async (t) => {
  const site = await makeSite('mirrored', ['en', 'ar']);
  await openSiteIncident(service, site);
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.goto('/ar/');
  t.equal(await page.locator('html').getAttribute('dir'), 'rtl');
  const [name, state] = [page.locator('#service-api h3'), page.locator('#service-api .state')];
  const [nameBox, stateBox] = [await name.boundingBox(), await state.boundingBox()];
  t.ok(nameBox && stateBox && nameBox.x > stateBox.x, 'names are on the right');
  const styleOf = (selector: string, name: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${name}`);
  t.equal(await styleOf('.current .text', 'textAlign'), 'right', 'even for a text without a translation');
  t.equal(
    await styleOf('.current time', 'unicodeBidi'),
    'isolate',
    'a time among English words stays in one piece',
  );
  t.strictSame(await findAxeViolations(page), []);
  await page.setViewportSize({ width: 320, height: 800 });
  t.equal(await measureOverflow(page), 0);
  t.strictSame(troubles, []);
});

t.test('without scripts the page is complete', async (t) => {
  const site = await makeSite('plain');
  const id = await openSiteIncident(service, site);
  await postSiteUpdate(service, site, id, { status: 'identified', body: 'A disk is full.' });
  await planMaintenance(service, site, { fromHours: 24, toHours: 26 });
  const { page } = await startVisit(t, browser, site.origin, { javaScriptEnabled: false });
  await page.goto('/');
  const times = await page.locator('time[data-local]').allTextContents();
  t.ok(times.length >= 4, 'begin, update, both ends of the maintenance');
  for (const time of times) t.match(time, /\d\d:\d\d.* UTC$/);
  t.equal(await page.locator('[data-theme-switch]').isVisible(), false, 'nothing that needs scripts');
  t.equal(await page.locator('#service-api .days path.down-2').count(), 1, 'days');
  t.match(await page.locator('#service-api').textContent(), /14 minutes down/);
  await page.locator('#service-api summary').click();
  t.ok(await page.locator('#service-api .plot').isVisible(), 'the chart opens');
  t.ok(await page.locator('form input[type=email]').isVisible());
  await page.getByRole('link', { name: 'See the whole history' }).click();
  await page.waitForURL('**/history');
  t.match(await page.locator('h1').textContent(), /Incident history/);
  await page.getByRole('link', { name: 'Database outage', exact: true }).click();
  await page.waitForURL(`**/incidents/${id}`);
  t.match(await page.locator('main').textContent(), /A disk is full/);
});

t.test('with scripts times are in the zone of the viewer', async (t) => {
  const site = await makeSite('zones');
  await openSiteIncident(service, site);
  const { page } = await startVisit(t, browser, site.origin, { timezoneId: 'Asia/Tokyo' });
  await page.goto('/');
  const time = page.locator('.current time').first();
  await waitInPage(page, `document.querySelector('.current time').title !== ''`);
  t.match(await time.textContent(), /GMT\+9$/);
  t.match(await time.getAttribute('title'), /UTC$/);
});

type Stop = { name: string; isSeen: boolean };

/** The focused element, and whether its focus is visible. */
const describeFocus = `(() => {
  const { activeElement: element } = document;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { width, height, right, bottom } = element.getBoundingClientRect();
  const name = element.getAttribute('aria-label') ?? element.id ?? '';
  return {
    name: element.localName + ' ' + (element.textContent.trim() || name || element.type || element.className),
    isSeen: outlineStyle !== 'none' && outlineWidth !== '0px' && width > 0 && height > 0 && right > 0 && bottom > 0,
  };
})()`;

t.test('everything can be reached by keys', async (t) => {
  const site = await makeSite('keys');
  const id = await openSiteIncident(service, site);
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.goto('/');
  const stops: Stop[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate<Stop>(describeFocus);
    if (stop.name.startsWith('body') || stops.length > 60) break;
    stops.push(stop);
  }
  t.strictSame(
    stops.filter(({ isSeen }) => !isSeen),
    [],
    'the focus is visible',
  );
  const names = stops.map(({ name }) => name);
  t.equal(names[0], 'a Skip to the status');
  const inOrder = [/^a Acme/, /^a Incident history/, /^button Theme/, /^a Database outage/];
  const later = [/^summary Response time/, /^a See the whole/, /^input/, /^button Subscribe/, /^a RSS/];
  const places = [...inOrder, ...later].map((form) => names.findIndex((name) => form.test(name)));
  t.notOk(places.includes(-1), `nothing is left out: ${names.join(', ')}`);
  t.strictSame(
    places,
    places.toSorted((a, b) => a - b),
    'in reading order',
  );

  t.comment('the skip link');
  await page.goto('/');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  t.equal(await page.evaluate('document.activeElement.id'), 'main');
  await page.keyboard.press('Tab');
  t.equal(
    await page.evaluate('document.activeElement.textContent'),
    'Database outage',
    'the header is skipped',
  );

  t.comment('the theme');
  await page.locator('[data-theme-switch]').focus();
  await page.keyboard.press('Enter');
  t.equal(await page.locator('html').getAttribute('data-theme'), 'light');
  await page.keyboard.press('Space');
  t.equal(await page.locator('html').getAttribute('data-theme'), 'dark');

  t.comment('days');
  await page.locator('#service-api .days').focus();
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowLeft');
  t.match(await page.locator('.tip').textContent(), /14 minutes down/);
  t.match(
    await page.locator('[data-announce]').textContent(),
    /14 minutes down/,
    'announced to screen readers',
  );
  await page.keyboard.press('Escape');
  t.equal(await page.locator('.tip').isVisible(), false);

  t.comment('the chart');
  await page.locator('#service-api summary').focus();
  await page.keyboard.press('Enter');
  for (let i = 0; i < 5; i += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Home');
  t.match(await page.locator('.readout').textContent(), / \d+ ms$/, 'behind the links to four ranges');
  t.match(await page.locator('[data-announce]').textContent(), /: Average \d+ ms, 95th percentile \d+ ms$/);

  t.comment('an incident');
  await page.locator(`#incident-${id} a`).first().focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/incidents/${id}`);
  t.strictSame(troubles, []);
});

t.test('the system gives the theme until the visitor chooses one', async (t) => {
  const site = await makeSite('themes');
  const { page, troubles } = await startVisit(t, browser, site.origin, { colorScheme: 'dark' });
  await page.goto('/');
  t.equal(await backgroundOf(page), dark);
  await page.locator('[data-theme-switch]').click();
  t.equal(await backgroundOf(page), light);
  t.match(await page.locator('[data-theme-switch]').getAttribute('aria-label'), /light/);
  t.strictSame(await findAxeViolations(page), []);
  await page.reload();
  t.equal(await backgroundOf(page), light, 'remembered');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('[data-theme-switch]').click();
  t.equal(await backgroundOf(page), dark);
  t.strictSame(await findAxeViolations(page), []);
  await page.locator('[data-theme-switch]').click();
  t.equal(await backgroundOf(page), light, 'the system again');
  t.strictSame(troubles, []);
});

t.test('visitors who prefer less motion get none', async (t) => {
  const site = await makeSite('still');
  const { page } = await startVisit(t, browser, site.origin);
  await page.goto('/');
  const moving = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll('*')].filter((element) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
      return /[1-9]/.test(transitionDuration) || animationName !== 'none' || scrollBehavior !== 'auto';
    }).map(({ localName }) => localName)`);
  for (const [reducedMotion, isMoving] of [
    ['no-preference', true],
    ['reduce', false],
  ] as const) {
    await page.emulateMedia({ reducedMotion });
    t.equal((await moving()).length > 0, isMoving, `${reducedMotion}: ${await moving()}`);
  }
});

t.test('a printed page is light and has nothing to click', async (t) => {
  const site = await makeSite('paper');
  const { page } = await startVisit(t, browser, site.origin, { colorScheme: 'dark' });
  await page.goto('/');
  await page.emulateMedia({ media: 'print' });
  t.equal(await page.evaluate('getComputedStyle(document.querySelector("h1")).color'), 'rgb(25, 27, 32)');
  t.ok(await page.locator('#service-api .days').isVisible());
  for (const part of ['form', '[data-theme-switch]', '.actions']) {
    t.equal(await page.locator(part).isVisible(), false, part);
  }
  const pdf = await page.pdf({ format: 'A4' });
  t.equal(pdf.subarray(0, 5).toString(), '%PDF-');
});

/** Moves both clocks: half a minute for the service, which caches views that long, and for the browser until it asks. */
async function passTime(page: Page, plans: { soFar(): Promise<number> }): Promise<void> {
  clock.advance(31_000);
  const before = await plans.soFar();
  await page.clock.fastForward(36_000);
  await waitUntil('the page has dealt with the answer', async () => (await plans.soFar()) > before);
}

t.test('an open page shows and announces what happens', async (t) => {
  const site = await makeSite('live');
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.clock.install();
  const plans = await countPlans(page);
  await page.goto('/');
  const said = page.locator('[data-announce]');
  await page.locator('#email').fill('ann@example.com');
  await passTime(page, plans);
  t.equal(await said.textContent(), '', 'nothing happened');

  const id = await openSiteIncident(service, site, { monitorSlugs: ['api'] });
  await passTime(page, plans);
  await page.locator(`#incident-${id}`).waitFor();
  t.equal(await page.locator('h1').textContent(), 'We are working on an incident');
  t.equal(await page.title(), 'We are working on an incident · Acme');
  t.equal(
    await said.textContent(),
    'The status has changed: We are working on an incident. Database outage: Ongoing. Connections time out.',
  );
  t.equal(await page.locator('#email').inputValue(), 'ann@example.com', 'the input stays');
  t.match(
    await page.locator(`#incident-${id} time`).first().textContent(),
    / CES?T$/,
    'in the zone of the viewer',
  );

  await postSiteUpdate(service, site, id, { status: 'identified', body: 'A disk is full.' });
  await passTime(page, plans);
  await page.locator(`#incident-${id}`).getByText('A disk is full.').waitFor();
  t.equal(await said.textContent(), 'Database outage: Identified. A disk is full.');

  const resolvedAt = new Date(clock.now()).toISOString();
  const resolved = await patchIncident(api, site.incidentKey, id, { resolvedAt });
  t.equal(resolved.status, 200);
  await passTime(page, plans);
  await page.locator('h1', { hasText: 'All services are up' }).waitFor();
  t.equal(
    await said.textContent(),
    'The status has changed: All services are up. Database outage: Resolved. A disk is full.',
  );
  t.strictSame(await findAxeViolations(page), []);
  t.strictSame(troubles, []);
});

t.test('an open view of an incident shows and announces its updates', async (t) => {
  const site = await makeSite('live-incident');
  const id = await openSiteIncident(service, site);
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.clock.install();
  const plans = await countPlans(page);
  await page.goto(`/en/incidents/${id}`);
  await postSiteUpdate(service, site, id, { status: 'monitoring', body: 'The disk is replaced.' });
  await passTime(page, plans);
  await page.getByText('The disk is replaced.', { exact: true }).waitFor();
  t.equal(
    await page.locator('[data-announce]').textContent(),
    'Database outage: Monitoring. The disk is replaced.',
  );
  t.strictSame(troubles, []);
});

t.test('an open page continues after an outage of the service', async (t) => {
  const site = await makeSite('away');
  const { page, context } = await startVisit(t, browser, site.origin);
  await page.clock.install();
  await page.goto('/');
  await context.setOffline(true);
  await page.clock.fastForward(36_000);
  await openSiteIncident(service, site);
  clock.advance(31_000);
  await context.setOffline(false);
  await waitUntil('the page catches up', async () => {
    await page.clock.runFor(1_000);
    return (await page.locator('h1').textContent()) === 'We are working on an incident';
  });
});

t.test('a visitor goes through the months of the history', async (t: Test) => {
  const site = await makeSite('months');
  const startedAt = new Date(clock.now() - 40 * dayMs);
  const resolvedAt = new Date(clock.now() - 39 * dayMs);
  await openSiteIncident(service, site, { title: 'Slow mail', startedAt, resolvedAt });
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.goto('/en/history');
  for (let i = 0; i < 3 && (await page.getByText('Slow mail').count()) === 0; i += 1) {
    const before = page.url();
    await page.locator('a[rel=prev]').click();
    await page.waitForURL(({ href }) => href !== before);
  }
  t.match(new URL(page.url()).pathname, `/en/history/${startedAt.toISOString().slice(0, 7)}`);
  t.ok(await page.getByRole('link', { name: 'Slow mail', exact: true }).isVisible());
  await page.locator('a[rel=next]').click();
  t.match(await page.locator('main').textContent(), /Incident history/);
  t.strictSame(troubles, []);
});
