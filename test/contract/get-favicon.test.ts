import t from 'tap';
import { xml2js } from 'xml-js';
import { hourMs } from '../../lib/times.js';
import { type IconState, stateIcons } from '../../web/badges/state-icon.js';
import { makeIncidentKey, openIncident } from '../support/incidents.js';
import { makePage } from '../support/pages.js';
import { insertMonitor, type MonitorFields } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
const { sql } = api.stores;
const now = Date.now();
const up = { state: 'up', last_checked_at: new Date(now + hourMs) } as const;
const down = { ...up, state: 'down' } as const;

const ask = (host: string, headers: Record<string, string> = {}, method = 'GET') =>
  requestAt(api.url, host, '/favicon.svg', { headers, method });

/** The state that an icon shows, by its outline. */
async function readState(slug: string): Promise<string> {
  const { body } = await ask(`${slug}.localhost`);
  const { svg } = xml2js(String(body), { compact: true }) as {
    svg: { path: { _attributes: { d: string } }[] };
  };
  const outline = svg.path[0]?._attributes.d;
  const states = Object.keys(stateIcons) as IconState[];
  return states.find((state) => stateIcons[state].shape === outline) ?? 'product';
}

let pages = 0;
async function makeOwnPage(...monitors: MonitorFields[]): Promise<string> {
  pages += 1;
  const page = await makePage(sql, { slug: `page-${pages}` });
  for (const [at, monitor] of monitors.entries())
    await insertMonitor(sql, page.id, { slug: `s${at}`, ...monitor });
  return page.slug;
}

t.test('200: the state of the page on the host', async (t) => {
  t.equal(await readState(await makeOwnPage(up, up)), 'up');
  t.equal(await readState(await makeOwnPage(up, down)), 'trouble');
  t.equal(await readState(await makeOwnPage()), 'unknown');
  t.equal(await readState(await makeOwnPage({ ...up, paused_at: new Date(now) })), 'unknown');
  const slug = await makeOwnPage(up);
  t.equal(await readState(slug), 'up');
  const key = await makeIncidentKey(api, slug);
  await openIncident(api, key, {
    ...{ type: 'maintenance', startedAt: new Date(now - hourMs).toISOString() },
    scheduledEndAt: new Date(now + hourMs).toISOString(),
  });
  t.equal(await readState(slug), 'maintenance');
  await openIncident(api, key);
  t.equal(await readState(slug), 'trouble');
  t.equal(await readState(await makeOwnPage(up)), 'up', 'another page has its own');
});

t.test('200: headers; nothing that the policy forbids', async (t) => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers, body } = await ask('acme.localhost', {}, method);
    t.equal(status, 200);
    t.equal(headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    t.equal(headers.get('cache-control'), 'public, max-age=60');
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
    t.match(headers.get('etag'), /^"[\w-]+"$/);
    t.notMatch(body, /<style|style=|<script/);
  }
});

t.test('304: the client has it already', async (t) => {
  const etag = (await ask('acme.localhost')).headers.get('etag') ?? '';
  t.equal((await ask('acme.localhost', { 'if-none-match': etag })).status, 304);
  const slug = await makeOwnPage(down);
  t.equal(
    (await ask(`${slug}.localhost`, { 'if-none-match': etag })).status,
    200,
    'another state has another icon',
  );
});

t.test('200: an icon of the product where there is no page', async (t) => {
  for (const host of ['nobody.localhost', '127.0.0.1', 'x'.repeat(300)]) {
    const { status, body } = await ask(host);
    t.equal(status, 200, host);
    t.match(body, /^<svg /);
  }
  t.equal(await readState('nobody'), 'product');
});
