import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import t from 'tap';
import { makeRepresentation } from '../../api/public/representation.js';
import { makeStatusView } from '../../bench/public/status-view.js';
import type { LedgerEntry } from '../../contract/incidents.js';
import { textsOf } from '../../web/texts/texts-of.js';
import { renderHistoryView } from '../../web/views/history-view.js';
import { renderIncidentView } from '../../web/views/incident-view.js';
import { renderNotFoundView } from '../../web/views/not-found-view.js';
import { renderStatusView } from '../../web/views/status-view.js';
import { renderSubscribeView } from '../../web/views/subscriptions/subscribe-view.js';
import {
  makeEntry,
  makeLargeView,
  makeMaintenance,
  makeView,
  pageAssets,
  publicView,
  readStructure,
  readText,
} from '../support/page-views.js';

const update = {
  id: 'u1',
  status: 'identified',
  body: { en: 'One\nTwo' },
  createdAt: '2026-11-21T16:00:00.000Z',
} as const;

t.test('a month of the history is grouped by day, with links to its neighbours', async (t) => {
  const incidents = [
    makeEntry({ services: ['api'] }),
    makeEntry({
      id: 'b',
      title: { en: 'Lost mail' },
      startedAt: '2026-11-03T09:00:00.000Z',
      resolvedAt: '2026-11-03T10:30:00.000Z',
    }),
  ];
  const view = {
    ...publicView(),
    month: '2026-11',
    earlier: '2026-10',
    later: '2026-12',
    ...{ page: 1, pages: 1 },
    incidents,
    serviceNames: { api: 'API' },
  };
  const html = renderHistoryView(view, pageAssets);
  t.match(
    readText(html),
    /21 November Slow logins Ongoing .* Affects API .* 3 November Lost mail Resolved .* Lasted 1 hour 30 minutes/,
  );
  t.match(html, /href="\/en\/history\/2026-10"/);
  t.match(html, /href="\/en\/history\/2026-12"/);
  t.match(html, '<link rel="canonical" href="https://status.example.com/en/history/2026-11"/>');
  t.match(html, '<a href="/de/history/2026-11" lang="de"');
  const empty = renderHistoryView(
    { ...publicView(), month: '2026-11', page: 1, pages: 1, incidents: [], serviceNames: {} },
    pageAssets,
  );
  t.match(readText(empty), 'No incidents reported in this month.');
  t.notMatch(empty, /rel="(prev|next)"/);
});

t.test('texts for which a view has no room are left out, and a link leads to all', async (t) => {
  const incident = {
    ...makeEntry({ updates: [] }),
    summary: null,
    updates: [{ ...update, body: null }],
    updateCount: 7,
  };
  const view = makeView({ incidents: [incident] });
  const html = renderStatusView(view, pageAssets);
  t.match(readText(html), /Slow logins .* Identified .* See all 7 updates/);
  t.match(html, '<a href="/en/incidents/entry-1">See all 7 updates</a>');
  t.notMatch(html, '<div class="text');
  const past = { ...incident, resolvedAt: '2026-11-21T16:20:00.000Z' };
  t.notMatch(renderStatusView(makeView({ incidents: [past] }), pageAssets), '<div class="text');
  t.notMatch(
    renderIncidentView({ ...publicView(), incident, serviceNames: {} }, pageAssets),
    '<div class="text',
  );
});

t.test('a long list of affected services is counted, except in the view of the incident', async (t) => {
  const slugs = Array.from({ length: 30 }, (_, at) => `s${at}`);
  const serviceNames = Object.fromEntries(slugs.map((slug) => [slug, slug.toUpperCase()]));
  const incident = makeEntry({ services: slugs });
  const month = { month: '2026-11', page: 1, pages: 1, incidents: [incident], serviceNames };
  t.match(readText(renderHistoryView({ ...publicView(), ...month }, pageAssets)), /S18, S19 and 10 more/);
  const html = renderIncidentView({ ...publicView(), incident, serviceNames }, pageAssets);
  t.match(readText(html), /S28,? and S29/);
});

t.test('an incident has its whole timeline, newest first', async (t) => {
  const incident = makeEntry({
    updates: [update, { ...update, id: 'u2', status: 'monitoring', body: { en: 'Three' } }],
  });
  const html = renderIncidentView({ ...publicView(), incident, serviceNames: {} }, pageAssets);
  t.match(
    readText(html),
    /Slow logins .* Logging in takes long\. Timeline Monitoring 21 Nov 2026, 16:00 UTC Three Identified .* One Two/,
  );
  t.match(html, 'One<br/>Two', 'line breaks are kept');
  t.match(html, '<meta name="description" content="Monitoring · Three"/>');
  t.match(
    html,
    '<link rel="alternate" hreflang="de" href="https://status.example.com/de/incidents/entry-1"/>',
  );
  t.match(html, '<main id="main" tabindex="-1" data-live>');
  const bare = renderIncidentView(
    { ...publicView(), incident: makeMaintenance(), serviceNames: {} },
    pageAssets,
  );
  t.match(readText(bare), /Maintenance Under way Slow logins .* No updates were posted\./);
});

t.test('an end names its start, for viewers for whom the day differs', async (t) => {
  const pageOf = (scheduledEndAt: string) =>
    renderIncidentView(
      { ...publicView(), incident: makeMaintenance({ scheduledEndAt }), serviceNames: {} },
      pageAssets,
    );
  t.match(
    pageOf('2026-11-21T18:00:00.000Z'),
    '<time datetime="2026-11-21T18:00:00.000Z" data-local="time" data-since="2026-11-21T15:30:00.000Z">18:00 UTC</time>',
  );
  t.match(
    pageOf('2026-11-22T18:00:00.000Z'),
    '<time datetime="2026-11-22T18:00:00.000Z" data-local="datetime">22 Nov 2026, 18:00 UTC</time>',
  );
});

t.test('views without a lasting address exclude search engines', async (t) => {
  const pages = [
    renderNotFoundView(publicView(), pageAssets),
    ...(['ask', 'sent', 'refused'] as const).map((form) =>
      renderSubscribeView(publicView(), { form }, pageAssets),
    ),
  ];
  for (const html of pages) {
    t.match(html, '<meta name="robots" content="noindex"/>');
    t.notMatch(html, 'rel="canonical"');
    t.equal((html.match(/<h1/g) ?? []).length, 1);
  }
});

t.test('where no email is sent, there is no field for an address in any language', (t) => {
  for (const language of ['en', 'de', 'es', 'fr', 'ja']) {
    const view = publicView({ language, sendsMail: false });
    for (const form of ['ask', 'refused'] as const) {
      const html = renderSubscribeView(view, { form }, pageAssets);
      t.notMatch(html, 'type="email"', language);
      t.match(html, 'name="url"', language);
      t.match(html, 'rss', language);
    }
    const { followText, subscribeText } = textsOf('view', language);
    const text = readText(renderStatusView({ ...makeView(), ...view }, pageAssets));
    t.match(text, followText);
    t.notMatch(text, subscribeText);
  }
  t.end();
});

t.test('the form is answered with a view', async (t) => {
  const answer = (form: 'ask' | 'sent' | 'refused', message?: string) =>
    renderSubscribeView(
      publicView({ language: 'de' }),
      { form, ...(message !== undefined && { message }) },
      pageAssets,
    );
  const form = '<form class="subscribe-form" method="post" action="/subscribe">';
  t.match(answer('ask'), form);
  t.notMatch(answer('sent'), form);
  t.match(readText(answer('sent')), 'Sehen Sie in Ihr Postfach');
  t.match(answer('refused'), form);
  t.match(answer('refused'), /<p id="answer-text" role="alert">Bitte prüfen Sie/);
  t.match(answer('refused'), 'aria-describedby="answer-text email-note"');
  t.match(readText(answer('refused', 'Zu viele <Versuche>.')), 'Zu viele <Versuche>.');
});

t.test('texts from others are escaped', async (t) => {
  const hostile = `"'><img src=x onerror=alert(1)><script>alert(2)</script></title><!-- &quot; {time} $& `;
  const pagesOf = (text: string): string[] => {
    const view = makeView();
    const entries: LedgerEntry[] = [
      makeEntry({ services: ['service-1'], updates: [{ ...update, body: { en: text } }] }),
      makeMaintenance(),
      makeMaintenance({ id: 'c', maintenanceState: 'scheduled' }),
      makeEntry({ id: 'd', resolvedAt: '2026-11-21T16:00:00.000Z' }),
    ].map((entry) => ({ ...entry, title: { en: text }, summary: { en: text } }));
    const brand = {
      ...view.brand,
      name: text,
      footerLinks: [{ label: text, url: `https://example.com/${text}` }],
    };
    const services = view.summary.services.map((service) => ({
      ...service,
      name: text,
      names: { en: text },
    }));
    const of = { brand, language: 'en', now: view.now, sendsMail: true };
    const serviceNames = { 'service-1': text };
    const [incident] = entries;
    if (incident === undefined) throw new Error('There is no incident.');
    return [
      renderStatusView(
        { ...view, brand, incidents: entries, summary: { ...view.summary, services } },
        pageAssets,
      ),
      renderHistoryView(
        { ...of, month: '2026-11', page: 1, pages: 2, incidents: entries, serviceNames },
        pageAssets,
      ),
      renderIncidentView({ ...of, incident, serviceNames }, pageAssets),
      renderNotFoundView(of, pageAssets),
      renderSubscribeView(of, { form: 'refused', message: text }, pageAssets),
    ];
  };
  const harmless = pagesOf('Plain words');
  for (const [at, html] of pagesOf(hostile).entries()) {
    t.strictSame(
      readStructure(html),
      readStructure(harmless[at] ?? ''),
      `page ${at}: the same tags and attributes`,
    );
    t.notMatch(html, /<img|<script>|<!--/);
    t.match(html, '&lt;script>alert(2)');
  }
});

t.test('an address that is not on the web is no link', async (t) => {
  const view = makeView();
  const urls = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    '//example.com',
    'https://example.com/ok',
  ];
  const footerLinks = urls.map((url, at) => ({ label: `Link ${at}`, url }));
  const html = renderStatusView({ ...view, brand: { ...view.brand, footerLinks } }, pageAssets);
  t.notMatch(html, /javascript:|data:text/);
  t.match(html, '<a href="https://example.com/ok" rel="noopener nofollow" dir="auto">Link 4</a>');
  t.equal((html.match(/rel="noopener nofollow"/g) ?? []).length, 1);
});

t.test('the logo has its space before it is loaded', async (t) => {
  const view = makeView();
  const html = renderStatusView({ ...view, brand: { ...view.brand, logoPath: '/logo?v=1' } }, pageAssets);
  t.match(html, '<img src="/logo?v=1" alt width="160" height="40"/>');
});

t.test('a logo that stands alone is described by the name', async (t) => {
  const view = makeView();
  const brand = { ...view.brand, logoPath: '/logo/1', logoAlone: true };
  const html = renderStatusView({ ...view, brand }, pageAssets);
  t.match(html, '<img src="/logo/1" alt="Acme Cloud" width="160" height="40"/></a>');
  t.match(html, '<title>All services are up · Acme Cloud</title>');
});

t.test('the form to sign up and the view for a missing address are in every language', async (t) => {
  const view = publicView({ language: 'de' });
  const switchOf = (html: string) => /<ul class="languages">.*?<\/ul>/.exec(html)?.[0] ?? '';
  for (const form of ['ask', 'refused'] as const) {
    const html = renderSubscribeView(view, { form }, pageAssets);
    t.match(switchOf(html), '<a href="/en/subscribe" lang="en" hreflang="en">English</a>');
    t.match(
      switchOf(html),
      '<a href="/de/subscribe" lang="de" hreflang="de" aria-current="true">Deutsch</a>',
    );
    t.match(html, '<meta name="robots" content="noindex"/>');
  }
  for (const html of [
    renderSubscribeView(view, { form: 'sent' }, pageAssets),
    renderNotFoundView(view, pageAssets),
  ]) {
    t.match(switchOf(html), '<a href="/en/" lang="en" hreflang="en">English</a>');
  }
});

t.test('a month is a calendar, whose days lead to what began on them', async (t) => {
  const makeMonth = (fields: object = {}) => ({
    ...{ ...publicView(), month: '2026-11', page: 1, pages: 1, serviceNames: {} },
    incidents: [
      makeEntry({
        ...{ id: 'long', title: { en: 'Long <outage>' } },
        ...{ startedAt: '2026-11-03T22:00:00.000Z', resolvedAt: '2026-11-06T00:00:00.000Z' },
      }),
      makeMaintenance({
        id: 'work',
        startedAt: '2026-11-12T10:00:00.000Z',
        resolvedAt: '2026-11-12T11:00:00.000Z',
      }),
    ],
    ...fields,
  });
  const html = renderHistoryView(makeMonth(), pageAssets);
  const [table = ''] = /<table class="calendar".*?<\/table>/.exec(html) ?? [];
  const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
    readText(row).trim().split(/\s+/),
  );
  t.strictSame(rows[0], ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']);
  t.equal(rows.length, 7, 'November 2026 begins on a Sunday');
  const marked = [
    ...table.matchAll(/<a class="(\w+)" href="#([\w-]+)" title="[^"]*"><time datetime="([\d-]+)"/g),
  ];
  t.strictSame(
    marked.map(([, kind, target, day]) => `${day} ${kind} ${target}`),
    [
      '2026-11-03 incident day-2026-11-03',
      '2026-11-04 incident day-2026-11-03',
      '2026-11-05 incident day-2026-11-03',
      '2026-11-12 maintenance day-2026-11-12',
    ],
  );
  for (const [, , target] of marked) t.match(html, `id="${target}"`);
  t.match(table, 'Long &lt;outage>');
  t.notMatch(
    renderHistoryView(makeMonth({ pages: 2 }), pageAssets),
    'class="calendar"',
    'a part of a month is none',
  );
});

t.test('a view loads nothing from other hosts, and has no inline style or script', async (t) => {
  const html = renderStatusView(makeStatusView(), pageAssets);
  for (const [, address] of html.matchAll(/\s(?:src|action)="([^"]*)"/g)) t.match(address, /^\/[^/]/);
  for (const [link] of html.matchAll(/<link rel="(?:stylesheet|icon)[^>]*>/g)) t.match(link, /href="\/[^/]/);
  t.notMatch(html, /\sstyle=|\son\w+=|<script>/);
  t.strictSame(html.match(/<style>/g), ['<style>'], 'except the accent, which the policy names by its hash');
});

t.test('twenty services of ninety days stay within their bytes', async (t) => {
  const html = brotliCompressSync(renderStatusView(makeStatusView(20, 90), pageAssets)).length;
  const styles = ['colours', 'page'].map((name) =>
    readFileSync(new URL(`../../../web/static/${name}.css`, import.meta.url)),
  );
  const css = brotliCompressSync(Buffer.concat(styles)).length;
  t.ok(html <= 16_000, `HTML: ${html}`);
  t.ok(css <= 6_500, `CSS: ${css}`);
});

t.test('a hundred services in groups stay within their bytes', async (t) => {
  for (const mood of ['good', 'mixed', 'bad'] as const) {
    const html = renderStatusView(makeLargeView(100, mood), pageAssets);
    const { br } = await makeRepresentation(html, { contentType: 'text/html', cacheControl: 'no-store' });
    t.ok(br.bytes.length <= 45_000, `${mood}: ${br.bytes.length}`);
  }
});
