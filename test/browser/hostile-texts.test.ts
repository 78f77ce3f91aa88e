import type { Page } from 'playwright-core';
import t from 'tap';
import { putObjective } from '../../control/objectives/index.js';
import { testActor } from '../support/actor.js';
import { openBrowser } from '../support/browser.js';
import { hostileSvg } from '../support/images.js';
import {
  addService,
  makeStatusSite,
  openSiteIncident,
  planMaintenance,
  postSiteUpdate,
  startStatusService,
} from '../support/status-page.js';
import { startVisit } from '../support/visit.js';

const service = await startStatusService(t);
const { sql } = service.api.stores;
const { clock } = service;
const browser = await openBrowser(t);

/** Escapes from every context that a text may be in. */
const tries = [
  `<script>alert('1')</script>`,
  `"><img src=x onerror=alert(2)>`,
  `' onmouseover='alert(3)' x='`,
  `</title></style></script><svg onload=alert(4)>`,
  `<!-- ]]> --!> {{constructor.constructor('alert(5)')()}} \${alert(5)}`,
  `&lt;img src=x onerror=alert(6)&gt; &#x3c;script&#x3e;`,
  `javascript:alert(7)`,
  `<a href="javascript:alert(8)" data-local="datetime" data-from="x" id="main">x</a>`,
  `[a](javascript:alert(14)) <javascript:alert(15)> ![a](data:text/html,<script>alert(16)</script>)`,
  `[a](https://example.com/"onmouseover="alert(17)) https://example.com/"onclick="alert(18)`,
  `![" onerror="alert(19)](https://example.com/a.png "' onload='alert(20)") \`<img src=x onerror=alert(21)>\``,
];
/** All of them at once, after a word to find the text by. */
const evil = (word: string) => `${word} ${tries.join(' ')}`;
/** For short texts. */
const short = (word: string) => `${word} ${tries[1]}`;

const site = await makeStatusSite(
  service,
  'hostile',
  { name: evil('page').slice(0, 200), languages: ['en', 'de'] },
  {
    logo: Buffer.from(hostileSvg),
    accent: '#b5123e',
    footerLinks: [{ label: short('label'), url: 'https://example.com/"><script>alert(9)</script>' }],
  },
);
await addService(service, site, {
  slug: 'api',
  name: evil('monitor').slice(0, 200),
  names: { de: evil('Dienst').slice(0, 200) },
});
await putObjective(
  { sql, clock, by: testActor },
  {
    ...{ pageId: site.page.id, slug: 'api', name: short('objective').slice(0, 100), target: 99.9 },
    ...{ window: { days: 28 }, sli: { requests: {} }, isPublic: true },
  },
);
const id = await openSiteIncident(service, site, {
  ...{ title: short('title'), summary: evil('summary'), monitorSlugs: ['api'] },
});
const over = await openSiteIncident(service, site, {
  ...{ title: short('over'), summary: `https://example.com/ ${evil('past summary')}` },
  resolvedAt: new Date(clock.now() - 60_000).toISOString(),
});
await planMaintenance(service, site, { fromHours: 1, toHours: 2, title: short('maintenance') });

/** Returns the elements and attributes that the texts became. */
async function findElements(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('*')].flatMap((element) => {
    const attributes = [...element.attributes].filter(({ name, value }) =>
      name.startsWith('on') || (/^(href|src|action)$/.test(name) && /^\\s*(javascript|data):/i.test(value)));
    const isForeign = ['script', 'img', 'iframe', 'base', 'style'].includes(element.localName) &&
      !/^\\/(assets|logo)\\//.test(element.getAttribute('src') ?? '') &&
      !(element.localName === 'style' && element.parentElement === document.head && !/[<"]/.test(element.textContent));
    return attributes.length > 0 || isForeign ? [element.outerHTML.slice(0, 100)] : [];
  })`);
}

/** Points at everything, so that handlers of pointers and clicks run. */
async function provoke(page: Page): Promise<void> {
  await page.evaluate(`for (const element of document.querySelectorAll('*')) {
    for (const type of ['mouseover', 'mouseenter', 'focus']) element.dispatchEvent(new Event(type, { bubbles: true }));
  }`);
}

t.test('texts of users are text in every view', async (t) => {
  const { page, troubles } = await startVisit(t, browser, site.origin);
  const month = new Date(clock.now()).toISOString().slice(0, 7);
  for (const [path, words] of [
    ['/en/', ['page', 'label', 'monitor', 'title', 'summary', 'over', 'maintenance', 'objective']],
    ['/de/', ['Dienst']],
    [`/en/incidents/${id}`, ['page', 'title', 'summary', 'monitor']],
    [`/en/incidents/${over}`, ['over', 'past summary']],
    [`/en/history/${month}`, ['title', 'over']],
    ['/en/subscribe', ['page', 'label']],
  ] as const) {
    await page.goto(path, { waitUntil: 'networkidle' });
    const text = await page.evaluate<string>('document.body.textContent');
    for (const word of words)
      t.ok(text.includes(`${word} ${word === 'page' ? tries[0] : ''}`), `${path} ${word}`);
    await provoke(page);
    t.strictSame(await findElements(page), [], path);
    t.strictSame(troubles, [], path);
  }
});

t.test('links of texts lead elsewhere, and are marked as such', async (t) => {
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.goto(`/en/incidents/${id}`);
  const links = await page.evaluate<string[][]>(
    `[...document.querySelectorAll('.text a')].map(({ protocol, rel }) => [protocol, rel])`,
  );
  t.ok(links.length > 0);
  for (const link of links) t.strictSame(link, ['https:', 'nofollow noopener ugc']);
  await page.goto('/en/');
  for (const place of ['.event', '.past-incident']) {
    const underline = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('${place} .text a')).textDecorationColor`,
    );
    t.notMatch(underline, /^rgba\(.*, 0\)$/, `a link in ${place} can be told from the text`);
  }
  t.strictSame(troubles, []);
});

t.test('texts that arrive while a view is open are text as well', async (t) => {
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.clock.install();
  await page.goto('/en/');
  await postSiteUpdate(service, site, id, { status: 'identified', body: evil('update') });
  clock.advance(31_000);
  await page.clock.fastForward(36_000);
  await page.locator('main', { hasText: `update ${tries[0]}` }).waitFor();
  t.match(await page.locator('[data-announce]').textContent(), 'title "><img src=x');
  await provoke(page);
  t.strictSame(await findElements(page), []);
  t.strictSame(troubles, []);
});

t.test('links that passed every check run nothing', async (t) => {
  const links = [
    'javascript:alert(10)',
    ' javascript:alert(11)',
    'data:text/html,<script>alert(12)</script>',
  ];
  const footerLinks = links.map((url, index) => ({ label: `link ${index}`, url }));
  await sql`update pages set footer_links = ${sql.json(footerLinks)} where id = ${site.page.id}`;
  await t.rejects(
    sql`update page_logos set hash = ${'x" onerror="alert(13)'} where page_id = ${site.page.id}`,
    /page_logos_hash_check/,
    'the path of a logo contains only its hash',
  );
  clock.advance(31_000);
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.goto('/en/', { waitUntil: 'networkidle' });
  await page.getByText('link 1').click();
  t.equal(await page.getByText('link 2').count(), 1, 'the text is displayed');
  await provoke(page);
  t.strictSame(await findElements(page), []);
  t.strictSame(troubles, []);
});

t.test('an SVG logo that is opened by itself runs nothing', async (t) => {
  const own = await makeStatusSite(service, 'logo', {}, { logo: Buffer.from(hostileSvg) });
  const { page, troubles } = await startVisit(t, browser, own.origin);
  await page.goto('/');
  const path = await page.locator('.brand img').getAttribute('src');
  await page.goto(path ?? '/');
  t.not(await page.title(), 'run');
  t.strictSame(
    troubles.filter((trouble) => !/Content Security Policy|sandboxed/.test(trouble)),
    [],
    'nothing is loaded',
  );
});
