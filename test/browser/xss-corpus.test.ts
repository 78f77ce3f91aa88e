import type { Page } from 'playwright-core';
import t from 'tap';
import type { IncidentPreview } from '../../contract/manage/incidents/incident-preview.js';
import type { ManagedIncident } from '../../contract/manage/incidents/incidents.js';
import { systemClock } from '../../lib/clock.js';
import { openBrowser } from '../support/browser.js';
import { visitDashboard } from '../support/dashboard-visit.js';
import { makeKey, setPage } from '../support/pages.js';
import { startReceiver } from '../support/receiver.js';
import { requestAt } from '../support/request-at.js';
import { startTestService, withoutJobs } from '../support/service.js';
import { startVisit } from '../support/visit.js';
import { waitUntil } from '../support/wait-until.js';
import { xssCorpus } from '../support/xss-corpus.js';

/** Every place that shows what people write about an incident, with texts that would run a script if they could. */
t.setTimeout(400_000);

const service = await startTestService(t, {
  ...{ roles: withoutJobs, allowPrivateAddresses: true, deliveryPollMs: 20 },
});
const browser = await openBrowser(t);
const deps = { sql: service.stores.sql, clock: systemClock };
await setPage(deps, { slug: 'acme', languages: ['en', 'de'], accent: '#b5123e' });
const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
const base = '/api/v1/pages/acme';
const send = async <T>(method: string, path: string, body: unknown): Promise<T> => {
  const answer = await service.post(`${base}${path}`, body, { method, key });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as T; // The caller names the type of the route's answer.
};
const publicOrigin = service.url.replace(/\/\/[^:]+/, '//acme.localhost');

/** A title has one line. */
const titleOf = (text: string) =>
  text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300);
const groupSize = 12;
const groups = Array.from({ length: Math.ceil(xssCorpus.length / groupSize) }, (_, i) =>
  xssCorpus.slice(i * groupSize, (i + 1) * groupSize),
);

/** Returns the elements and attributes that the texts became, in a document and in the frames of previews. */
const findElements = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const roots = [document, ...[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument)];
    const own = /^\\/(assets|logo|manage)\\//;
    return roots.filter(Boolean).flatMap((root) => [...root.querySelectorAll('*')]).flatMap((element) => {
      const attributes = [...element.attributes].filter(({ name, value }) => name.startsWith('on') ||
        name === 'srcdoc' || name === 'background' ||
        (/(^|:)(href|src|action|formaction|data)$/.test(name) && /^[\\s\\x00-\\x20]*(javascript|data|vbscript|file):/i.test(value)));
      const isStyle = element.localName === 'style' && element.parentElement.localName === 'head' &&
        !/[<"]/.test(element.textContent);
      const isData = element.localName === 'script' && element.type === 'application/json';
      const isForeign = !isStyle && !isData && !own.test(element.getAttribute('src') ?? '') &&
        ['script', 'img', 'iframe', 'base', 'style', 'object', 'embed', 'xss', 'marquee', 'math'].includes(element.localName);
      const isRefresh = element.localName === 'meta' && element.httpEquiv !== '';
      return attributes.length > 0 || isForeign || isRefresh ? [element.outerHTML.slice(0, 200)] : [];
    });
  })()`);

/** Points at everything, so that handlers of pointers and of the focus run. */
const provoke = (page: Page): Promise<void> =>
  page.evaluate(`for (const element of document.querySelectorAll('body, body *')) {
    for (const type of ['mouseover', 'mouseenter', 'pointerenter', 'focus']) {
      element.dispatchEvent(new Event(type));
    }
  }`);

/** A place without any policy, where whatever can run does. */
async function openBareHost() {
  const origin = 'http://bare.localhost';
  const visit = await startVisit(t, browser, origin);
  let html = '';
  await visit.context.route(`${origin}/**`, (route) =>
    new URL(route.request().url()).pathname === '/'
      ? route.fulfill({ contentType: 'text/html; charset=utf-8', body: html })
      : route.fulfill({ contentType: 'text/plain', body: '' }),
  );
  return {
    ...visit,
    async draw(document: string): Promise<void> {
      html = document;
      await visit.page.goto('/');
      await provoke(visit.page);
    },
  };
}

/** Scripts and styles of the page are not what is tried here. */
const withoutAssets = (html: string) =>
  html.replaceAll(/<script[^>]* src="\/assets\/[^>]*><\/script>|<link rel="stylesheet"[^>]*>/g, '');

t.test('each text alone is text on the page and in the email, where no policy would stop it', async (t) => {
  const { page, troubles, draw } = await openBareHost();
  await draw('<img src=x onerror=alert(1)>');
  t.match(troubles, ['dialog: 1'], 'a script that gets through would be noticed');
  t.equal((await findElements(page)).length, 1);
  troubles.length = 0;
  for (const text of xssCorpus) {
    const preview = await send<IncidentPreview>('POST', '/incidents/preview', {
      ...{
        language: 'de',
        title: titleOf(text),
        summary: text,
        update: { status: 'identified', body: text },
      },
      texts: { de: { title: titleOf(text), body: `${text} ` } },
    });
    for (const html of [withoutAssets(preview.page.html), preview.mail.html]) {
      await draw(html);
      t.strictSame(await findElements(page), [], text);
    }
    t.notMatch(preview.mail.subject, /[\r\n]/, 'a header is one line');
    t.strictSame(troubles.splice(0), [], text);
  }
});

const receiver = await startReceiver(t);
await send('POST', '/webhooks', { url: `${receiver.url}/hook` });
const ids: string[] = [];
for (const [i, group] of groups.entries()) {
  const title = titleOf(group[i % group.length] ?? '');
  const summary = group.join('\n\n');
  const { id } = await send<ManagedIncident>('POST', '/incidents', {
    ...{ title, summary, startedAt: new Date(Date.now() - (i + 1) * 60_000).toISOString() },
    texts: { de: { title: `${titleOf(title).slice(0, 290)} de`, summary: `${summary} de` } },
  });
  await send('POST', `/incidents/${id}/updates`, { body: `update ${summary}`, status: 'identified' });
  ids.push(id);
}

t.test('published texts are text in every public view', async (t) => {
  const { page, troubles } = await startVisit(t, browser, publicOrigin);
  const month = new Date().toISOString().slice(0, 7);
  const paths = ['/en/', '/de/', `/en/history/${month}`, ...ids.map((id) => `/de/incidents/${id}`)];
  for (const path of paths) {
    await page.goto(path, { waitUntil: 'networkidle' });
    await provoke(page);
    t.strictSame(await findElements(page), [], path);
    t.strictSame(troubles.splice(0), [], path);
  }
});

t.test('feeds are well-formed, and what they hold runs nothing', async (t) => {
  const { page, troubles, draw } = await openBareHost();
  const contents: string[] = [];
  for (const format of ['rss', 'atom']) {
    const { body } = await requestAt(service.url, 'acme.localhost', `/en/feed.${format}`);
    await draw('');
    const parsed = await page.evaluate<{ error: number; texts: string[] }>(`(() => {
      const feed = new DOMParser().parseFromString(${JSON.stringify(body)}, 'application/xml');
      const held = feed.querySelectorAll('description, content, summary, encoded');
      return { error: feed.querySelectorAll('parsererror').length, texts: [...held].map((one) => one.textContent) };
    })()`);
    t.equal(parsed.error, 0, `${format} is well-formed`);
    t.ok(parsed.texts.length >= groups.length, `${format} has the incidents`);
    contents.push(...parsed.texts);
  }
  const { body } = await requestAt(service.url, 'acme.localhost', '/en/feed.json');
  const feed = typeof body === 'string' ? JSON.parse(body) : body;
  contents.push(...feed.items.map((item: { content_html: string }) => item.content_html));
  for (const html of contents) {
    await draw(html);
    t.strictSame(await findElements(page), [], html.slice(0, 80));
  }
  t.strictSame(troubles, []);
});

t.test('webhooks carry the texts as they were written, as JSON', async (t) => {
  await waitUntil('all deliveries are there', async () => receiver.received.length >= 2 * groups.length);
  const texts = JSON.stringify(receiver.received.map(({ body }) => JSON.parse(body)));
  for (const text of xssCorpus) t.ok(texts.includes(JSON.stringify(text.trim()).slice(1, -1)), text);
  for (const { headers } of receiver.received) t.match(headers['content-type'], /^application\/json/);
});

t.test('the dashboard and its previews show the texts', async (t) => {
  const [first = []] = groups;
  for (const [i, group] of groups.entries()) {
    await send('PUT', `/templates/hostile-${i}`, {
      ...{
        name: titleOf(group[0] ?? '').slice(0, 100),
        title: titleOf(group[1] ?? ''),
        summary: group.join('\n\n'),
      },
      updates: [{ status: 'identified', body: first.join('\n\n') }],
      texts: { de: { title: titleOf(group[2] ?? ''), summary: group.join('\n\n') } },
    });
  }
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'owner' } });
  const { page, troubles } = visit;
  const screen = '/manage/pages/acme';
  const paths = [
    screen,
    `${screen}/incidents`,
    `${screen}/audit`,
    `${screen}/incidents?view=templates`,
    ...ids.map((id) => `${screen}/incidents?incident=${id}`),
    ...groups.map((_, i) => `${screen}/incidents?view=templates&template=hostile-${i}`),
  ];
  for (const path of paths) {
    await page.goto(path, { waitUntil: 'networkidle' });
    await provoke(page);
    t.strictSame(await findElements(page), [], path);
    t.strictSame(troubles.splice(0), [], path);
  }
  for (const kind of ['Email', 'Plain text', 'Page']) {
    await page.getByRole('group', { name: 'Show it as' }).getByText(kind, { exact: true }).click();
    await page.locator('.preview-view[aria-busy="false"]').waitFor();
    t.strictSame(await findElements(page), [], kind);
    t.strictSame(troubles.splice(0), [], kind);
  }
});
