import { Script } from 'node:vm';
import t from 'tap';
import { Compile } from 'typebox/compile';
import { EmbedState } from '../../contract/public/embed.js';
import { hourMs } from '../../lib/times.js';
import { stateIcons } from '../../web/badges/state-icon.js';
import { makeIncidentKey, openIncident } from '../support/incidents.js';
import { makePage } from '../support/pages.js';
import { insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
const { sql } = api.stores;
const isState = Compile(EmbedState);
const up = { state: 'up', last_checked_at: new Date(Date.now() + hourMs) } as const;
const evil = `</script><img src=x onerror=alert(1)>"'&`;

const ask = (slug: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  requestAt(api.url, `${slug}.localhost`, path, { headers, method });

/** Fails unless the answer matches the published description. */
async function read(slug: string, query = ''): Promise<EmbedState> {
  const { status, body } = await ask(slug, `/embed.json${query}`);
  if (status !== 200 || !isState.Check(body)) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

const multilingual = await makePage(sql, { slug: 'many', name: 'Many', languages: ['de', 'en', 'pt'] });
await insertMonitor(sql, multilingual.id, up);

t.test('200 /embed.json: the state in a language of the page', async (t) => {
  const url = (language: string) => `http://many.localhost:${new URL(api.url).port}/${language}/`;
  const german = { name: 'Many', state: 'up', language: 'de', incident: null, url: url('de') };
  for (const query of ['', '?language=', '?language=xx', '?language=_%00"', '?language=de-AT', '?other=1']) {
    t.match(await read('many', query), german, query);
  }
  const english = { ...german, language: 'en', url: url('en'), sentence: 'All services are up' };
  t.strictSame(await read('many', '?language=EN-gb'), english);
  t.strictSame(
    await read('many', '?language=pt'),
    { ...english, url: url('pt') },
    'in English for a language of the page without texts',
  );
  await openIncident(api, await makeIncidentKey(api, 'many'), { title: 'Ausfall' });
  t.match(await read('many', '?language=en'), {
    state: 'incident',
    sentence: 'We are working on an incident',
    incident: 'Ausfall',
  });
});

t.test('200 /embed.json: headers', async (t) => {
  for (const method of ['GET', 'HEAD']) {
    const { headers } = await ask('acme', '/embed.json', {}, method);
    t.match(headers.get('content-type'), /^application\/json/);
    t.equal(headers.get('cache-control'), 'public, max-age=60');
    t.equal(headers.get('access-control-allow-origin'), '*');
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.match(headers.get('etag'), /^"[\w-]+"$/);
  }
});

t.test('200 /embed: HTML that any site may frame and that runs nothing', async (t) => {
  const page = await makePage(sql, { slug: 'evil', name: evil });
  await insertMonitor(sql, page.id, up);
  await openIncident(api, await makeIncidentKey(api, 'evil'), { title: evil });
  const { headers, body } = await ask('evil', '/embed?theme=dark');
  t.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  t.equal(headers.get('cache-control'), 'public, max-age=60');
  t.equal(headers.get('refresh'), '60');
  const policy = headers.get('content-security-policy') ?? '';
  t.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/=]+'; .*frame-ancestors \*$/);
  t.equal(headers.get('x-frame-options'), null);
  t.equal(headers.get('referrer-policy'), 'no-referrer');
  t.notMatch(body, /<script|<img|unsafe-inline/);
  t.match(body, 'We are working on an incident<small dir="auto">&lt;/script>');
  t.match(body, '<html lang="en" dir="ltr" data-theme="dark">');
  t.match((await ask('many', '/embed?language=de')).body, '<html lang="de" dir="ltr"><head>');
});

t.test('200 /embed.js: a classic script that needs nothing else', async (t) => {
  const { headers, body } = await ask('acme', '/embed.js');
  const script = String(body);
  t.match(headers.get('content-type'), /^text\/javascript/);
  t.equal(headers.get('cache-control'), 'public, max-age=300');
  t.equal(headers.get('access-control-allow-origin'), '*');
  t.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
  t.doesNotThrow(() => new Script(script), 'no import and no export');
  t.notMatch(
    script,
    /innerHTML|insertAdjacent|document\.write|\beval\b/,
    'and nothing that parses texts as markup',
  );
  for (const [state, { shape, glyph }] of Object.entries(stateIcons)) {
    t.ok(script.includes(shape) && script.includes(glyph), `draws ${state} as the icon of the page`);
  }
  const encoded = await ask('acme', '/embed.js', { 'accept-encoding': 'br' });
  t.equal(encoded.headers.get('content-encoding'), 'br');
  t.ok(Number(encoded.headers.get('content-length')) < 2_500, encoded.headers.get('content-length') ?? '');
});

t.test('304: the client has it already', async (t) => {
  for (const path of ['/embed.json', '/embed', '/embed.js']) {
    const etag = (await ask('acme', path)).headers.get('etag') ?? '';
    const again = await ask('acme', path, { 'if-none-match': etag });
    t.equal(again.status, 304, path);
    t.equal(again.body, '');
  }
});

t.test('400 /embed: an unknown theme', async (t) => {
  const { status, body } = await ask('acme', '/embed?theme=pink');
  t.equal(status, 400);
  t.strictSame(body, {
    error: 'Parameter "theme" must be one of auto, light, dark; it was the text "pink".',
    code: 'parameter.invalid',
  });
});

t.test('404: a host without a page', async (t) => {
  for (const path of ['/embed.json', '/embed', '/embed.js', '/embed?theme=pink']) {
    const { status, headers, body } = await ask('nobody', path);
    t.equal(status, 404, path);
    t.strictSame(body, { error: 'Not found', code: 'not_found' });
    t.equal(headers.get('access-control-allow-origin'), '*');
  }
});
