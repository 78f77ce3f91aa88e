import t from 'tap';
import { looksLimits } from '../../../contract/public/status-page.js';
import { appendUpdate, createIncident } from '../../../control/incidents/index.js';
import { brandOf, findPage } from '../../../control/pages/index.js';
import { systemClock } from '../../../lib/clock.js';
import { type IncidentId, type PageId, parseId } from '../../../lib/ids.js';
import { testActor } from '../../support/actor.js';
import { hostileSvg, pngPixel } from '../../support/images.js';
import { makeMonitors } from '../../support/incidents.js';
import { makePage, setPage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const deps = { sql, clock: systemClock, by: testActor };

t.test('a change affects the named settings of one page only', async (t) => {
  const before = await makePage(sql, { slug: 'acme' });
  const other = await makePage(sql, { slug: 'other' });
  const after = await setPage(deps, {
    slug: 'acme',
    databaseHealthEnabled: true,
    capabilities: { 'internal-analytics': false },
  });
  t.strictSame(after, {
    ...before,
    databaseHealthEnabled: true,
    capabilities: ['incident-writes', 'database-health'],
  });
  t.strictSame(await findPage({ sql }, { slug: 'acme' }), after);
  t.strictSame(await findPage({ sql }, { slug: 'other' }), other);

  const back = await setPage(deps, {
    slug: 'acme',
    monitoringPaused: true,
    historyDays: 30,
    capabilities: { 'internal-analytics': true },
  });
  t.strictSame(back, { ...before, databaseHealthEnabled: true, monitoringPaused: true, historyDays: 30 });
  t.match(await setPage(deps, { slug: 'acme', monitoringPaused: false }), { monitoringPaused: false });
});

t.test('an unknown page and a history out of range are refused', async (t) => {
  const page = await makePage(sql, { slug: 'bounds' });
  await t.rejects(setPage(deps, { slug: 'none', monitoringPaused: true }), {
    name: 'ServiceError',
    message: 'There is no page with the slug "none".',
  });
  await t.rejects(setPage(deps, { slug: 'bounds', monitoringPaused: true, historyDays: 91 }), {
    name: 'ServiceError',
  });
  t.strictSame(await findPage({ sql }, { slug: 'bounds' }), page);
});

t.test('looks are set, passed to the views, and removed', async (t) => {
  const plain = await makePage(sql, { slug: 'looks', name: 'Looks' });
  const brand = {
    slug: 'looks',
    name: 'Looks',
    origin: 'https://looks.example.com',
    languages: ['en'],
    defaultLanguage: 'en',
    footerLinks: [],
    timeZone: 'UTC',
  };
  t.strictSame(brandOf(plain, 'https://looks.example.com'), brand);
  const set = await setPage(deps, {
    slug: 'looks',
    name: 'Looks Ltd',
    accent: '#3346D3',
    footerLinks: [
      { label: ' Imprint ', url: 'HTTPS://Example.com/a b' },
      { label: '<b>', url: 'mailto:help@example.com' },
    ],
    logo: pngPixel,
  });
  t.strictSame(brandOf(set, 'https://looks.example.com'), {
    ...brand,
    name: 'Looks Ltd',
    accent: '#3346d3',
    logoPath: `/logo/${set.logoHash}`,
    footerLinks: [
      { label: 'Imprint', url: 'https://example.com/a%20b' },
      { label: '<b>', url: 'mailto:help@example.com' },
    ],
  });
  t.match(set.logoHash, /^[0-9a-f]{32}$/);
  const alone = await setPage(deps, { slug: 'looks', logoAlone: true });
  t.match(brandOf(alone, 'https://looks.example.com'), { logoAlone: true, name: 'Looks Ltd' });
  await setPage(deps, { slug: 'looks', logoAlone: false });
  t.strictSame(
    await setPage(deps, { slug: 'looks', historyDays: 90 }),
    set,
    'settings that are not named stay',
  );
  const other = await setPage(deps, { slug: 'looks', logo: Buffer.from(hostileSvg) });
  t.not(other.logoHash, set.logoHash);
  const bare = await setPage(deps, { slug: 'looks', accent: null, footerLinks: [], logo: null });
  t.strictSame(bare, { ...plain, name: 'Looks Ltd' });
  const nameless = brandOf({ ...bare, logoAlone: true }, 'https://looks.example.com');
  t.notOk(nameless.logoAlone, 'without a logo the name is shown');
});

t.test('the addresses of owners are stored in one form, each once, and removed', async (t) => {
  const { slug } = await makePage(sql, { slug: 'owned' });
  const { slug: strange } = await makePage(sql, { slug: 'strange', ownerEmails: ['eve@example.com'] });
  const ownerEmails = [' Ann@Example.com', 'bob@bücher.example', 'ann@example.com'];
  const set = await setPage(deps, { slug, ownerEmails });
  t.strictSame(set.ownerEmails, ['ann@example.com', 'bob@xn--bcher-kva.example']);
  t.strictSame((await setPage(deps, { slug, name: 'Owned' })).ownerEmails, set.ownerEmails, 'others stay');
  t.strictSame((await setPage(deps, { slug, ownerEmails: [] })).ownerEmails, []);
  t.strictSame((await setPage(deps, { slug: strange })).ownerEmails, ['eve@example.com'], 'of another page');
  t.notOk('ownerEmails' in brandOf(set, 'https://owned.example.com'), 'no view has them');
});

t.test('invalid looks are refused, and nothing is changed', async (t) => {
  const page = await setPage(deps, { slug: (await makePage(sql, { slug: 'refused' })).slug, logo: pngPixel });
  const link = (url: string, label = 'Label') => ({ footerLinks: [{ label, url }] });
  const cases: [object, RegExp][] = [
    [{ name: '' }, /1 to 200 characters/],
    [{ accent: '#33f' }, /must be like #3346d3, not "#33f"/],
    [{ accent: 'red;}' }, /must be like/],
    [link('javascript:alert(1)'), /not with "javascript:"/],
    [link('JavaScript\n:alert(1)'), /not with "javascript:"|is not a URL/],
    [link('data:text/html,x'), /not with "data:"/],
    [link('//example.com'), /is not a URL/],
    [link('https://me:secret@example.com'), /user name or password/],
    [link(`https://example.com/${'a'.repeat(looksLimits.footerUrlChars)}`), /longer than 500/],
    [link('https://example.com', ' '), /1 to 60 characters/],
    [link('https://example.com', 'a\nb'), /one line of text/],
    [link('https://example.com', 'x'.repeat(61)), /1 to 60 characters/],
    [
      { footerLinks: Array(9).fill(link('https://example.com').footerLinks[0]) },
      /at most 8 footer links, not 9/,
    ],
    [{ ownerEmails: ['ann'] }, /"ann" is not an email address/],
    [
      { ownerEmails: [1, 2, 3, 4, 5, 6].map((n) => `${n}@example.com`) },
      /at most 5 email addresses of owners, not 6/,
    ],
    [{ logo: Buffer.alloc(0) }, /must be a PNG/],
    [{ logo: Buffer.from('<html><svg></svg></html>') }, /must be a PNG/],
    [{ logo: Buffer.from('<!-- <svg> ') }, /must be a PNG/],
    [{ logo: Buffer.concat([pngPixel, Buffer.alloc(looksLimits.logoBytes)]) }, /larger than 100 KiB/],
    [{ languages: ['de', 'fr'] }, /"en" must be one of the page's languages: de, fr/],
    [{ languages: ['en', 'nope nope'] }, /not a language tag/],
  ];
  for (const [change, message] of cases) {
    const attempt = setPage(deps, { slug: 'refused', historyDays: 7, ...change });
    await t.rejects(
      attempt,
      { name: 'ServiceError', kind: 'invalidBody', message },
      JSON.stringify(change).slice(0, 80),
    );
  }
  t.strictSame(await findPage({ sql }, { slug: 'refused' }), page);
});

t.test('the bytes of an image decide its type', async (t) => {
  await makePage(sql, { slug: 'images' });
  const typeOf = async (...parts: (string | number[])[]) => {
    const bytes = parts.map((part) => Buffer.from(part as string, 'latin1'));
    await setPage(deps, { slug: 'images', logo: Buffer.concat(bytes) });
    const [row] = await sql<{ type: string }[]>`
      select media_type as type from page_logos l join pages p on p.id = l.page_id where p.slug = 'images'`;
    return row?.type;
  };
  const doctype = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [ <!ENTITY a "b"> ]>';
  t.equal(await typeOf([0xff, 0xd8, 0xff, 0xe0], 'JFIF'), 'image/jpeg');
  t.equal(await typeOf('GIF89a', [1, 0, 1, 0]), 'image/gif');
  t.equal(await typeOf('RIFF', [1, 2, 3, 4], 'WEBPVP8 '), 'image/webp');
  t.equal(await typeOf('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml');
  const before = [[0xef, 0xbb, 0xbf], '<?xml version="1.0"?>\n<!-- a --><!-- b > -->\n'];
  t.equal(await typeOf(...before, doctype, '<!-- c -->\n<svg\n>'), 'image/svg+xml');
});

t.test('texts are translated into an added language, and their own language stays the default', async (t) => {
  const page = await makePage(sql, { slug: 'spoken', languages: ['en', 'fr'] });
  const wantedIn = async (language: string) => {
    const rows = await sql<{ text: string }[]>`
      select s.text from translations t join translation_sources s on (s.page_id, s.hash) = (t.page_id, t.source_hash)
      where t.page_id = ${page.id} and language = ${language} order by 1`;
    return rows.map(({ text }) => text);
  };
  const first = await setPage(deps, { slug: 'spoken', languages: ['fr', 'EN'], defaultLanguage: 'fr' });
  t.match(
    first,
    { languages: ['fr', 'en'], defaultLanguage: 'fr' },
    'the default can change while there are no texts',
  );
  const incidentId = parseId<IncidentId>((await createIncident(deps, incidentOf(page.id))).id);
  if (incidentId === undefined) throw new Error('The incident has no id.');
  const input = { body: 'Update', status: 'identified' as const, notify: false };
  await appendUpdate(deps, { pageId: page.id, incidentId, input });
  t.strictSame(await wantedIn('de'), []);
  const set = await setPage(deps, { slug: 'spoken', languages: ['de', 'fr', 'en'] });
  t.match(set, { languages: ['de', 'fr', 'en'], defaultLanguage: 'fr' });
  t.strictSame(await wantedIn('de'), ['Summary', 'Title', 'Update']);
  t.strictSame(await wantedIn('en'), ['Summary', 'Title', 'Update']);
  t.strictSame(await wantedIn('fr'), []);
  await t.rejects(setPage(deps, { slug: 'spoken', defaultLanguage: 'de' }), {
    name: 'ServiceError',
    message: /are in fr; another default language/,
  });
  const watched = await makePage(sql, { slug: 'watched', languages: ['en', 'fr'] });
  await makeMonitors(sql, watched.id, ['api']);
  await t.rejects(setPage(deps, { slug: 'watched', defaultLanguage: 'fr' }), {
    name: 'ServiceError',
    kind: 'conflict',
  });
  const grouped = await makePage(sql, { slug: 'grouped', languages: ['en', 'fr'] });
  await sql`
    insert into monitor_groups (id, page_id, slug, name, position, created_at)
    values (gen_random_uuid(), ${grouped.id}, 'shop', 'Shop', 0, now())`;
  await t.rejects(setPage(deps, { slug: 'grouped', defaultLanguage: 'fr' }), {
    name: 'ServiceError',
    kind: 'conflict',
  });
});

function incidentOf(pageId: PageId) {
  return {
    pageId,
    input: {
      type: 'incident' as const,
      title: 'Title',
      summary: 'Summary',
      monitorSlugs: [],
      startedAt: new Date(),
      resolvedAt: null,
      scheduledEndAt: null,
    },
  };
}
