import t from 'tap';
import { type ElementCompact, xml2js } from 'xml-js';
import {
  makeIncidentKey,
  makeMonitors,
  openIncident,
  outage,
  patchIncident,
  postUpdate,
} from '../support/incidents.js';
import { makePage } from '../support/pages.js';
import { requestAt } from '../support/request-at.js';
import { startTestService } from '../support/service.js';

type JsonFeed = {
  items: { id: string; url: string; title: string; content_html: string; date_modified: string }[];
};

const api = await startTestService(t);
const { sql } = api.stores;
const origin = (slug: string) => `http://${slug}.localhost:${new URL(api.url).port}`;
const ask = (slug: string, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  requestAt(api.url, `${slug}.localhost`, path, { headers, method });

/** Parses strictly: throws for a document that is not well-formed. */
async function readXml(slug: string, path: string): Promise<ElementCompact> {
  return xml2js(String((await ask(slug, path)).body), { compact: true, alwaysArray: false });
}

async function readJson(slug: string, path = '/feed.json'): Promise<JsonFeed> {
  return JSON.parse(String((await ask(slug, path)).body));
}

const formats = [
  ['/feed.rss', 'application/rss+xml; charset=utf-8'],
  ['/feed.atom', 'application/atom+xml; charset=utf-8'],
  ['/feed.json', 'application/feed+json; charset=utf-8'],
] as const;

t.test('200: nothing is published', async (t) => {
  for (const [path, type] of formats) {
    const { status, headers, body } = await ask('other', path);
    t.equal(status, 200, path);
    t.equal(headers.get('content-type'), type);
    t.equal(headers.get('cache-control'), 'public, max-age=60');
    t.equal(headers.get('access-control-allow-origin'), '*');
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.match(headers.get('etag'), /^"[\w-]+"$/);
    t.match(String(body), 'other · Incident history');
    if (!path.endsWith('json')) t.doesNotThrow(() => xml2js(String(body)));
    const head = await ask('other', path, {}, 'HEAD');
    t.equal(head.body, '');
    t.equal(head.headers.get('etag'), headers.get('etag'));
  }
});

t.test('200: an incident in each format', async (t) => {
  const page = await makePage(sql, { slug: 'one', name: 'One' });
  const key = await makeIncidentKey(api, 'one');
  await makeMonitors(sql, page.id, ['api']);
  await sql`update monitors set name = 'Payments API' where page_id = ${page.id}`;
  const { id } = await openIncident(api, key, { monitorSlugs: ['api'] });
  await postUpdate(api, key, id, { body: 'We are looking.\nMore soon.' });
  await postUpdate(api, key, id, { body: 'A disk was full.', status: 'identified' });
  const [{ published, updated } = { published: '', updated: '' }] = await sql<
    { published: string; updated: string }[]
  >`
    select to_json(i.published_at) #>> '{}' as published,
      (select to_json(max(created_at)) #>> '{}' from incident_updates where incident_id = i.id) as updated
    from incidents i where i.id = ${id}`;
  const times = { published: new Date(published), updated: new Date(updated) };
  const url = `${origin('one')}/en/incidents/${id}`;
  const html = [
    /^<p><strong>Identified<\/strong> · <time datetime="[^"]+">[^<]+ UTC<\/time><\/p><p>A disk was full.<\/p>/,
    '<p>We are looking.<br/>More soon.</p>',
    '<strong>Incident</strong> · Began <time datetime="2026-11-20T10:00:00.000Z">20 Nov 2026, 10:00 UTC</time>',
    '<p>Connections time out.</p><p>Affects Payments API</p>',
  ];

  const { channel, _attributes: rss } = (await readXml('one', '/feed.rss'))['rss'];
  t.equal(rss.version, '2.0');
  t.equal(channel.language._text, 'en');
  t.equal(channel.description._text, 'One · Incident history');
  t.equal(channel['atom:link']._attributes.href, `${origin('one')}/feed.rss`);
  t.strictSame(channel.item.title, { _text: outage.title });
  t.equal(channel.item.link._text, url);
  t.strictSame(channel.item.guid, { _attributes: { isPermaLink: 'false' }, _text: id });
  t.equal(channel.item.pubDate._text, times.published.toUTCString());
  t.equal(channel.item.description._cdata, 'A disk was full.');
  for (const part of html) t.match(channel.item['content:encoded']._cdata, part);

  const { feed } = await readXml('one', '/feed.atom');
  t.equal(feed._attributes['xml:lang'], 'en');
  t.equal(feed.author.name._text, 'One');
  t.equal(feed.updated._text, times.updated.toISOString());
  const self = feed.link.find((link: ElementCompact) => link._attributes?.['rel'] === 'self');
  t.equal(self._attributes.href, `${origin('one')}/feed.atom`);
  t.equal(feed.entry.id._text, `urn:uuid:${id}`);
  t.strictSame(feed.entry.title, { _text: outage.title }, 'text, which is the default type of Atom');
  t.equal(feed.entry.link._attributes.href, url);
  t.equal(feed.entry.published._text, times.published.toISOString());
  t.equal(feed.entry.updated._text, times.updated.toISOString());
  for (const part of html) t.match(feed.entry.content._cdata, part);

  const json = await readJson('one');
  t.match(json, {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'One · Incident history',
    home_page_url: `${origin('one')}/en/`,
    feed_url: `${origin('one')}/feed.json`,
    language: 'en',
    authors: [{ name: 'One' }],
    items: [
      {
        ...{ id, url, title: outage.title, summary: 'A disk was full.' },
        date_published: times.published.toISOString(),
        date_modified: times.updated.toISOString(),
      },
    ],
  });
  for (const part of html) t.match(json.items[0]?.content_html, part);

  const before = await ask('one', '/feed.json');
  t.equal(
    (await ask('one', '/feed.json', { 'if-none-match': before.headers.get('etag') ?? '' })).status,
    304,
  );
  const resolvedAt = new Date().toISOString();
  await patchIncident(api, key, id, { resolvedAt });
  const after = await ask('one', '/feed.json', { 'if-none-match': before.headers.get('etag') ?? '' });
  t.equal(after.status, 200, 'a change appears at once');
  t.equal(JSON.parse(String(after.body)).items[0].date_modified, resolvedAt, 'and counts as a change');
});

t.test('200: the Markdown of texts is HTML in the content, and absent from the summary', async (t) => {
  await makePage(sql, { slug: 'marks' });
  const key = await makeIncidentKey(api, 'marks');
  const summary = 'A **disk** is full ]]>\n\n- [db](https://example.com/db)\n- <script>\n\n[x](javascript:y)';
  const { id } = await openIncident(api, key, { summary });
  const html =
    '<p>A <strong>disk</strong> is full ]]></p><ul><li>' +
    '<a href="https://example.com/db" rel="nofollow noopener ugc">db</a></li><li>&lt;script></li></ul><p>[x](javascript:y)</p>';
  const line = 'A disk is full ]]> - db - <script> [x](javascript:y)';
  const { items } = await readJson('marks');
  t.match(items[0], { id, summary: line });
  t.match(items[0]?.content_html, html);
  const { channel } = (await readXml('marks', '/feed.rss'))['rss'];
  const { feed } = await readXml('marks', '/feed.atom');
  const escaped = html.replaceAll(']]>', ']]&gt;');
  t.match(channel.item['content:encoded']._cdata, escaped);
  t.match(feed.entry.content._cdata, escaped);
  const page = String((await ask('marks', '/en/', { accept: 'text/html' })).body);
  t.match(page, html, 'the same as on the page');
  const { body: ledger } = await ask('marks', '/api/public/marks/incidents');
  t.match(ledger, { incidents: [{ summary: { en: summary } }] }, 'and as it was written in JSON');
});

t.test('200: maintenance that is called off has no change in the future', async (t) => {
  await makePage(sql, { slug: 'off' });
  const key = await makeIncidentKey(api, 'off');
  const startedAt = '2126-11-21T10:00:00.000Z';
  const scheduledEndAt = '2126-11-21T12:00:00.000Z';
  const { id } = await openIncident(api, key, { type: 'maintenance', startedAt, scheduledEndAt });
  await patchIncident(api, key, id, { resolvedAt: startedAt });
  const [item] = (await readJson('off')).items;
  t.ok(Date.parse(item?.date_modified ?? '') <= Date.now());
  t.match(
    item?.content_html.replaceAll(/<\/?time[^>]*>/g, ''),
    '<strong>Maintenance</strong> · Called off · 21 Nov 2126, 10:00 UTC – 21 Nov 2126, 12:00 UTC',
  );
  const { channel } = (await readXml('off', '/feed.rss'))['rss'];
  t.ok(Date.parse(channel.lastBuildDate._text) <= Date.now());
});

t.test('304: the client has it already', async (t) => {
  for (const [path] of formats) {
    const etag = (await ask('acme', path)).headers.get('etag') ?? '';
    const again = await ask('acme', path, { 'if-none-match': etag });
    t.equal(again.status, 304, path);
    t.equal(again.body, '');
    t.equal(again.headers.get('etag'), etag);
  }
});

t.test(
  '200: each language of the page has an address; the address without one has the default language',
  async (t) => {
    const page = await makePage(sql, { slug: 'lang', languages: ['de', 'ja', 'pt-BR'] });
    const { id } = await openIncident(api, await makeIncidentKey(api, 'lang'), { title: 'Ausfall' });
    await sql`
    update translations set text = '障害', translated_at = now()
    where page_id = ${page.id} and source_hash = sha256(convert_to('Ausfall', 'UTF8')) and language = 'ja'`;
    const titles = async (path: string) =>
      (await readJson('lang', path)).items.map(({ title, url }) => [title, url]);
    t.strictSame(await titles('/feed.json'), [['Ausfall', `${origin('lang')}/de/incidents/${id}`]]);
    t.strictSame(await titles('/ja/feed.json'), [['障害', `${origin('lang')}/ja/incidents/${id}`]]);
    t.strictSame(
      await titles('/pt-BR/feed.json'),
      [['Ausfall', `${origin('lang')}/pt-BR/incidents/${id}`]],
      'the default language without a translation',
    );
    t.equal((await readXml('lang', '/ja/feed.rss'))['rss'].channel.language._text, 'ja');
    const { feed } = await readXml('lang', '/ja/feed.atom');
    t.equal(feed._attributes['xml:lang'], 'ja');
    t.ok(
      feed.link.some(
        (link: ElementCompact) => link._attributes?.['href'] === `${origin('lang')}/ja/feed.atom`,
      ),
    );
  },
);

t.test('200: maintenance has its window, and the 50 published last come first', async (t) => {
  const page = await makePage(sql, { slug: 'many' });
  await sql`
    insert into incidents (id, page_id, type, title, summary, started_at, published_at)
    select gen_random_uuid(), ${page.id}, 'incident', 'Number ' || n, 'x', now(), now() - n * interval '1 hour'
    from generate_series(1, 60) n`;
  await openIncident(api, await makeIncidentKey(api, 'many'), {
    ...{ type: 'maintenance', startedAt: '2199-01-01T22:00:00Z', scheduledEndAt: '2199-01-02T01:00:00Z' },
    title: 'New disks',
  });
  const { items } = await readJson('many');
  t.equal(items.length, 50);
  t.strictSame(
    items.slice(0, 3).map(({ title }) => title),
    ['New disks', 'Number 1', 'Number 2'],
  );
  t.match(
    items[0]?.content_html,
    /<strong>Maintenance<\/strong> · <time[^>]*>1 Jan 2199, 22:00 UTC<\/time> – <time[^>]*>2 Jan 2199, 01:00 UTC</,
  );
});

t.test('texts from others are escaped', async (t) => {
  const name = `Evil & "Co" <b> &amp; &lt;`;
  const page = await makePage(sql, { slug: 'evil', name });
  const evil = `]]><script>alert(1)</script>]]>&amp;&amp;amp;"'<img src=x onerror=alert(1)><title><![CDATA[`;
  const key = await makeIncidentKey(api, 'evil');
  const controls = '\u0001\u000b\u001b\ufffe';
  const { id } = await openIncident(api, key, { title: evil, summary: evil });
  await makeMonitors(sql, page.id, ['api']);
  await sql`update monitors set name = ${`a${controls}b ${evil}`} where page_id = ${page.id}`;
  await sql`insert into incident_monitors (incident_id, monitor_id, place) select ${id}, id, 0 from monitors where page_id = ${page.id}`;
  for (const [path] of formats.slice(0, 2)) {
    const { body } = await ask('evil', path);
    t.notMatch(String(body), /[^\P{Cc}\n]|[\ufffe\uffff]/u, `${path} can be in XML`);
    const document = xml2js(String(body), { compact: true }) as ElementCompact;
    const entry = document['feed']?.entry ?? document['rss'].channel.item;
    t.strictSame(entry.title, { _text: evil }, 'a reader that parses the title once has what was written');
    t.notMatch(body, /<(script|img)/, 'and no markup');
    t.match(entry.content?._cdata ?? entry['content:encoded']._cdata, 'Affects ab ]]');
    t.equal((document['feed'] ?? document['rss'].channel).title._text, `${name} · Incident history`);
    t.equal((document['feed']?.author ?? { name: { _text: name } }).name._text, name);
  }
  const [item] = (await readJson('evil')).items;
  t.equal(item?.title, evil);
  t.notMatch(item?.content_html, /<(script|img)/);
});

t.test('404: a host without a page, a language that the page does not have, another page', async (t) => {
  await openIncident(api, await makeIncidentKey(api), { title: 'Of acme alone' });
  for (const [path] of formats) {
    const cases: [host: string, path: string][] = [
      ['nobody', path],
      ['nobody', `/en${path}`],
      ['acme', `/fr${path}`],
      ['acme', `/acme${path}`],
    ];
    for (const [slug, path] of cases) {
      const { status, headers, body } = await ask(slug, path);
      t.equal(status, 404, `${slug} ${path}`);
      t.strictSame(body, { error: 'Not found', code: 'not_found' });
      t.equal(headers.get('access-control-allow-origin'), '*');
    }
    t.match(String((await ask('acme', path)).body), 'Of acme alone');
    t.notMatch(String((await ask('other', path)).body), 'Of acme alone');
  }
});

t.test('405: any other method', async (t) => {
  t.equal((await ask('acme', '/feed.rss', {}, 'POST')).status, 405);
});

t.test('200: with per=update, each update is an entry, with its own id and time', async (t) => {
  await makePage(sql, { slug: 'each', name: 'Each', languages: ['en', 'de'] });
  const key = await makeIncidentKey(api, 'each');
  const { id } = await openIncident(api, key);
  type Item = { guid: { _text: string }; title: { _text: string }; pubDate: { _text: string } };
  const read = async (path = '/feed.rss?per=update'): Promise<Item[]> =>
    [(await readXml('each', path))['rss'].channel.item].flat();
  const [begin] = await read();
  t.equal(begin?.guid._text, id, 'the first entry has the id of the incident');
  await postUpdate(api, key, id, { body: 'The gateway is slow.', status: 'identified' });
  await patchIncident(api, key, id, { resolvedAt: new Date().toISOString() });
  const rows = await sql<{ id: string; at: Date }[]>`
    select id, created_at as at from incident_updates where incident_id = ${id}`;
  const items = await read();
  t.strictSame(
    items.map(({ guid, title }) => [guid._text, title._text]).sort(),
    [
      [id, `${outage.title} · Incident`],
      [`${id}#resolved`, `${outage.title} · Resolved`],
      [rows[0]?.id, `${outage.title} · Identified`],
    ].sort(),
  );
  const update = items.find(({ guid }) => guid._text === rows[0]?.id);
  t.equal(update?.pubDate._text, rows[0]?.at.toUTCString());
  t.strictSame(
    items.find(({ guid }) => guid._text === id),
    begin,
    'an entry stays as it was',
  );
  t.match((await read('/de/feed.rss?per=update'))[0]?.title._text, /Behoben/);
  for (const format of ['atom', 'json']) {
    const { status, body } = await ask('each', `/feed.${format}?per=update`);
    t.match([status, body], [200, rows[0]?.id], format);
  }
  t.equal((await read('/feed.rss?utm_source=x')).length, 1, 'without it, an incident is an entry');
});

t.test('400: another value of per', async (t) => {
  for (const path of ['/feed.rss?per=day', '/en/feed.atom?per=']) {
    const { status, body } = await ask('other', path);
    t.match([status, body], [400, { error: /"per"/ }], path);
  }
});
