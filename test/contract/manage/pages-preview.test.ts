import t from 'tap';
import { loadPageId } from '../../../control/pages/index.js';
import { systemClock } from '../../../lib/clock.js';
import { pngPixel } from '../../support/images.js';
import { insertMonitor } from '../../support/monitors.js';
import { makeKey } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { requestAt } from '../../support/request-at.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const roles = new Set([...withoutJobs].filter((role) => role === 'api'));
const service = await startTestService(t, { roles });
const { sql } = service.stores;
const { key } = await makeKey({ sql, clock: systemClock }, { slug: 'acme', scope: 'manage' });
const acme = '/api/v1/pages/acme';
const send = (body: unknown, path = `${acme}/preview`) => service.post(path, body, { method: 'POST', key });

t.test('200: the document with the changes, and nothing is stored', async (t) => {
  const counts = () => sql`select name, accent, (select count(*) from audit_log)::int as entries from pages`;
  const before = await counts();
  const changes = {
    ...{ name: 'Acme <b>Status</b>', accent: '#ffd500', historyDays: 30 },
    footerLinks: [{ label: 'Imprint', url: 'https://acme.example/imprint' }],
  };
  const { status, body } = await send(changes);
  t.equal(status, 200);
  t.match(body, { language: 'en', html: /^<!doctype html>/ });
  const { html } = body as { html: string };
  t.match(html, /Acme &lt;b>Status&lt;\/b>/);
  t.notMatch(html, /<b>Status/);
  t.match(html, 'https://acme.example/imprint');
  t.match(html, '--accent:#ffd500', 'the colour as it is in the dark');
  t.strictSame(await counts(), before);
});

t.test('200: the page itself is what is drawn without changes', async (t) => {
  const { body } = await send({});
  const shown = await requestAt(service.url, 'acme.localhost', '/');
  const { html } = body as { html: string };
  t.match(body, { contrast: null });
  const main = (text: string) => text.replace(/[\s\S]*<main/, '').replace(/<time[^>]*>[^<]*<\/time>/g, '');
  t.equal(main(html), main(String(shown.body)));
});

t.test('200: the contrast of the colour in both themes, and what the page makes of it', async (t) => {
  t.match((await send({ accent: '#ffd500' })).body, {
    contrast: {
      light: { ratio: 1.42, passes: false, shown: /^#[0-9a-f]{6}$/ },
      dark: { passes: true, shown: '#ffd500' },
    },
  });
  t.match((await send({ accent: '#1d4ed8' })).body, {
    contrast: { light: { passes: true, shown: '#1d4ed8' }, dark: { passes: false } },
  });
});

t.test('200: the logo is in the document', async (t) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'image/png' };
  const put = { method: 'PUT', headers, body: new Uint8Array(pngPixel) };
  t.equal((await fetch(`${service.url}${acme}/logo`, put)).status, 200);
  const { html } = (await send({ logoAlone: true })).body as { html: string };
  t.match(html, /<img[^>]+src="data:image\/png;base64,/);
});

t.test('400: what could not be saved', async (t) => {
  for (const [body, error] of [
    [{ accent: 'red' }, /must be like #3346d3/],
    [{ name: 'x'.repeat(201) }, /name/],
    [{ historyDays: 3 }, /historyDays/],
    [{ footerLinks: [{ label: 'x', url: 'javascript:alert(1)' }] }, /must start with https/],
    [{ language: 'fr' }, /must be one of the languages of the page: en/],
    [{ hostname: 'a.example' }, /hostname/],
  ] as const) {
    t.match(await send(body), { status: 400, body: { error } });
  }
});

t.test('403 and 404: people who may not change the page, and another page', async (t) => {
  const { headers } = await signInAs({ sql, clock: systemClock }, { slug: 'acme', role: 'responder' });
  const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
  t.equal((await fetch(`${service.url}${acme}/preview`, init)).status, 403);
  t.equal((await send({}, '/api/v1/pages/other/preview')).status, 404);
});

t.test('200: a badge as its picture is now, of the page and of a service; 400 and 404', async (t) => {
  const badge = (query: string) => service.get(`${acme}/badge${query}`, { authorization: `Bearer ${key}` });
  const pageId = await loadPageId(sql, 'acme');
  await insertMonitor(sql, { pageId, slug: 'api', url: 'http://127.0.0.1:1/' });
  const ofPage = await badge('?style=flat-square');
  t.match(ofPage, { status: 200, body: { svg: /^<svg/ } });
  const shown = await requestAt(service.url, 'acme.localhost', '/badge.svg?style=flat-square');
  t.equal((ofPage.body as { svg: string }).svg, String(shown.body));
  t.match(await badge('?service=api&metric=uptime&window=90d'), { status: 200, body: { svg: /n\/a/ } });
  t.equal((await badge('?service=none')).status, 404);
  t.equal((await badge('?style=round')).status, 400);
  t.equal((await badge('?label=a&label=b')).status, 400);
});
