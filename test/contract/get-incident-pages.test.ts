import t from 'tap';
import { type IncidentId, newId } from '../../lib/ids.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { startTestService } from '../support/service.js';
import { makeStatusSite, openSiteIncident, type StatusSite } from '../support/status-page.js';

// The middle of a month, so that the months before and after it are certain.
const clock = makeMovingClock();
const start = new Date(clock.now());
clock.advance(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 15, 12) - clock.now());
const api = await startTestService(t, { clock });
const { sql } = api.stores;
const deps = { api, clock };

/** `YYYY-MM`, `months` months from now. */
function monthFromNow(months: number): string {
  const now = new Date(clock.now());
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)).toISOString().slice(0, 7);
}
const [thisMonth, lastMonth, nextMonth] = [monthFromNow(0), monthFromNow(-1), monthFromNow(1)];

const site = await makeStatusSite(deps, 'shop', { name: 'Shop', languages: ['en', 'de'] });
await insertMonitor(sql, site.page.id, { slug: 'checkout', name: 'Checkout', names: { de: 'Kasse' } });
await sql`update pages set created_at = ${new Date(`${lastMonth}-10T00:00:00Z`)}`;
const other = await makeStatusSite(deps, 'rival', { name: 'Rival', languages: ['en'] });
const open = (fields: object, at: StatusSite = site) => openSiteIncident(deps, at, fields);
const incidentId = await open({ title: 'Payments fail', monitorSlugs: ['checkout'] });
const rivalId = await open({ title: 'A secret of the rival' }, other);

const ask = (path: string, headers: Record<string, string> = {}, { page }: StatusSite = site) =>
  requestAt(api.url, page.hostname, path, { headers });
const langOf = (body: unknown) => /<html lang="([^"]*)"/.exec(String(body))?.[1];

t.test('200: an incident, in the requested language', async (t) => {
  for (const [path, accepted, language, service] of [
    [`/incidents/${incidentId}`, 'de', 'de', 'Kasse'],
    [`/incidents/${incidentId}`, 'fr', 'en', 'Checkout'],
    [`/de/incidents/${incidentId}`, 'en', 'de', 'Kasse'],
    [`/en/incidents/${incidentId}`, 'de', 'en', 'Checkout'],
  ] as const) {
    for (let i = 0; i < 2; i += 1) {
      const { status, headers, body } = await ask(path, { 'accept-language': accepted });
      t.equal(status, 200);
      t.equal(langOf(body), language, path);
      t.match(body, 'Payments fail');
      t.match(body, service);
      t.equal(headers.get('content-language'), language);
      const isNegotiated = path.startsWith('/incidents');
      t.equal(headers.get('vary'), `Accept-Encoding${isNegotiated ? ', Accept-Language' : ''}, Host`);
      t.match(headers.get('content-security-policy'), "default-src 'none'");
      t.equal(headers.get('access-control-allow-origin'), null);
      const etag = headers.get('etag') ?? '';
      t.equal((await ask(path, { 'accept-language': accepted, 'if-none-match': etag })).status, 304);
    }
  }
});

t.test('200: an update shows at once', async (t) => {
  const path = `/en/incidents/${incidentId}`;
  await ask(path);
  const sent = { body: 'A bad release was taken back.', status: 'monitoring' };
  clock.advance(1);
  await api.post(`/api/v1/incidents/${incidentId}/updates`, sent, { key: site.incidentKey });
  clock.advance(1);
  t.match((await ask(path)).body, 'A bad release was taken back.');
  clock.advance(1);
  const change = { title: 'Payments failed' };
  await api.post(`/api/v1/incidents/${incidentId}`, change, { key: site.incidentKey, method: 'PATCH' });
  clock.advance(1);
  t.match((await ask(path)).body, 'Payments failed');
});

t.test('404: an incident that the page does not have', async (t) => {
  for (const id of [
    rivalId,
    '01890000-0000-7000-8000-000000000000',
    'x',
    '0',
    '..%2f..%2fadmin',
    `${incidentId}%00`,
    'constructor',
  ]) {
    for (const path of [`/incidents/${id}`, `/de/incidents/${id}`]) {
      const { status, headers, body } = await ask(path, { 'accept-language': 'de' });
      t.equal(status, 404, path);
      t.equal(langOf(body), 'de');
      t.notMatch(body, /secret of the rival/);
      t.equal(headers.get('access-control-allow-origin'), null);
      t.match(headers.get('content-security-policy'), "default-src 'none'");
    }
  }
  t.equal((await ask(`/incidents/${rivalId}`, {}, other)).status, 200, 'its own page has it');
  t.equal((await ask(`/de/incidents/${rivalId}`, {}, other)).status, 404, 'in each of its languages');
});

t.test('308: one form of the address of an incident', async (t) => {
  const { status, headers } = await ask(`/DE/incidents/${incidentId.toUpperCase()}/?x=1`);
  t.strictSame([status, headers.get('location')], [308, `/de/incidents/${incidentId}`]);
});

t.test('200: the incidents that began in a month, with links to the months before and after', async (t) => {
  await open({ title: 'At the first moment', startedAt: `${thisMonth}-01T00:00:00.000Z` });
  await open({ title: 'A moment before', startedAt: `${lastMonth}-28T23:59:59.999Z` });
  for (const path of [
    '/history',
    '/en/history',
    `/en/history/${thisMonth}`,
    `/history/${thisMonth}`,
    '/de/history',
  ]) {
    const { status, body } = await ask(path);
    t.equal(status, 200, path);
    t.match(body, 'At the first moment');
    t.match(body, 'Payments failed');
    t.notMatch(body, /A moment before|secret of the rival/);
    t.match(body, `/history/${lastMonth}"`);
    t.notMatch(body, `/history/${nextMonth}"`);
  }
  for (const path of [`/en/history/${lastMonth}`, `/history/${lastMonth}`]) {
    const { status, body } = await ask(path);
    t.equal(status, 200, path);
    t.match(body, 'A moment before');
    t.notMatch(body, /At the first moment/);
    t.match(body, `/history/${thisMonth}"`);
    t.notMatch(body, `/history/${monthFromNow(-2)}"`);
  }
});

t.test('404: months before the page or in the future', async (t) => {
  for (const month of [
    nextMonth,
    monthFromNow(-2),
    '1970-01',
    '9999-12',
    `${thisMonth.slice(0, 4)}-13`,
    `${thisMonth.slice(0, 4)}-00`,
    thisMonth.replace('-', ''),
    `${thisMonth}-01`,
    'x',
  ]) {
    const { status, headers, body } = await ask(`/de/history/${month}`);
    t.equal(status, 404, month);
    t.equal(langOf(body), 'de');
    t.equal(headers.get('content-language'), 'de');
  }
  await open({
    title: 'Brought along',
    startedAt: '2020-02-29T10:00:00Z',
    resolvedAt: '2020-02-29T11:00:00Z',
  });
  clock.advance(1);
  t.match((await ask('/de/history/2020-02')).body, 'Brought along');
  t.equal((await ask('/de/history/2020-01')).status, 404);
});

t.test('a month with many incidents has pages', async (t) => {
  const month = '2021-05';
  const rows = Array.from({ length: 120 }, (_, at) => {
    const startedAt = new Date(Date.UTC(2021, 4, 1, at));
    return {
      ...{ id: newId<IncidentId>(startedAt.getTime()), page_id: other.page.id, type: 'incident' },
      ...{ title: `Number ${at}.`, summary: 'Many.', started_at: startedAt, resolved_at: startedAt },
      published_at: startedAt,
    };
  });
  await sql`insert into incidents ${sql(rows)}`;
  const show = (path: string, headers = {}) => ask(path, headers, other);
  const numbersOn = (body: unknown) =>
    [...String(body).matchAll(/Number (\d+)\./g)].map(([, at]) => Number(at));
  const shown: number[] = [];
  for (const page of [1, 2, 3]) {
    const path = `/en/history/${month}?page=${page}`;
    const { status, headers, body } = await show(path);
    t.equal(status, 200);
    t.match(body, `<p aria-current="page">Page ${page} of 3</p>`);
    const query = page === 1 ? '' : `?page=${page}`;
    t.match(body, `<link rel="canonical" href="${other.origin}/en/history/${month}${query}"/>`);
    const links = [...String(body).matchAll(/rel="(next|prev)" href="([^"]*page=[^"]*|[^"]*05)"/g)];
    const to = (at: number) => `/en/history/${month}${at === 1 ? '' : `?page=${at}`}`;
    t.strictSame(
      links.map(([, rel, href]) => [rel, href]),
      [...(page < 3 ? [['next', to(page + 1)]] : []), ...(page > 1 ? [['prev', to(page - 1)]] : [])],
    );
    const again = await show(path, { 'if-none-match': headers.get('etag') ?? '' });
    t.equal(again.status, 304);
    shown.push(...numbersOn(body));
  }
  const newestFirst = Array.from({ length: 120 }, (_, at) => 119 - at);
  t.strictSame(shown, newestFirst, 'each incident is on one page');
  t.strictSame(numbersOn((await show(`/history/${month}`)).body), newestFirst.slice(0, 50), 'the first page');
  for (const page of ['0', '4', '01', '-1', '1.5', '2x', '', '101', '999999999999', '2%00']) {
    t.equal((await show(`/en/history/${month}?page=${page}`)).status, 404, page);
  }
  t.equal((await show('/en/history?page=2')).status, 404, 'this month has one page');
  const moved = await show(`/EN/history/${month}/?page=2&x=1`);
  t.strictSame([moved.status, moved.headers.get('location')], [308, `/en/history/${month}?page=2`]);
});

t.test('200: the sign-up form has its own address', async (t) => {
  for (const [path, language] of [
    ['/subscribe', 'en'],
    ['/de/subscribe', 'de'],
  ] as const) {
    const { status, body } = await ask(path);
    t.equal(status, 200);
    t.equal(langOf(body), language);
    t.match(body, '<form class="subscribe-form" method="post" action="/subscribe">');
  }
});

t.test('without a mail server, pages ask for no address, and an address is refused', async (t) => {
  for (const path of ['/', '/subscribe', '/de/', '/de/subscribe']) {
    const { body } = await ask(path);
    t.notMatch(body, 'name="email"', path);
    t.match(body, path.startsWith('/de') ? 'im Chat oder per Webhook' : 'in a chat or by webhook', path);
    t.match(body, '/feed.atom', path);
  }
  const { hostname, slug, id } = site.page;
  const form = (fields: Record<string, string>) =>
    requestAt(api.url, hostname, '/subscribe', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
  const refused = await form({ email: 'ann@example.com', language: 'de' });
  t.equal(refused.status, 409);
  t.match(refused.body, 'Diese Seite verschickt keine E-Mails.');
  t.notMatch(refused.body, 'name="email"');
  const signUp = (sent: object) =>
    requestAt(api.url, hostname, `/api/public/${slug}/subscribers`, {
      method: 'POST',
      body: JSON.stringify(sent),
    });
  t.match(await signUp({ email: 'ann@example.com' }), {
    status: 409,
    body: {
      error: 'This service sends no email; subscribe a chat, or follow a feed of the page.',
      code: 'mail.not_configured',
    },
  });
  t.equal((await signUp({ email: 'ann' })).status, 400, 'what is no address is said first');
  t.strictSame([...(await sql`select 1 from subscribers where page_id = ${id}`)], []);
  t.equal((await form({ kind: 'slack', url: 'https://hooks.slack.com/services/T0/B0/X' })).status, 200);
  const chat = { kind: 'discord', url: 'https://discord.com/api/webhooks/1/x' };
  t.match(await signUp({ chat }), { status: 202, body: { accepted: true } });
});
