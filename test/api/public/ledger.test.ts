import t from 'tap';
import { createPublicCache } from '../../../api/public/public-cache.js';
import { ledgerVariant } from '../../../api/public/variants/ledger.js';
import { incidentLimits, type LedgerEntry } from '../../../contract/incidents.js';
import { loadLedger } from '../../../control/incidents/index.js';
import { type IncidentId, newId, type PageId } from '../../../lib/ids.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { countingSql } from '../../support/counting-sql.js';
import { makeIncidentKey, openIncident } from '../../support/incidents.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { requestAt } from '../../support/request-at.js';
import { startAnother, startTestService, withoutJobs } from '../../support/service.js';
import { silentLog } from '../../support/silent-log.js';
import { openTcpGate } from '../../support/tcp-gate.js';

const clock = makeMovingClock();
const first = await startTestService(t, { clock, roles: withoutJobs });
const { sql } = first.stores;
const gate = await openTcpGate(t, first.stores.databaseUrl);
const api = await startAnother(t, first, { clock, databaseUrl: gate.url, roles: withoutJobs });
const key = await makeIncidentKey(first);
const read = (slug = 'acme', headers: Record<string, string> = {}) =>
  requestAt(api.url, `${slug}.localhost`, `/api/public/${slug}/incidents`, { headers });

/** Adds incidents with a summary of `chars` characters, which began one hour after the other. */
async function addIncidents(
  pageId: PageId,
  count: number,
  { chars, open }: { chars: number; open: boolean },
) {
  const now = clock.now();
  const rows = Array.from({ length: count }, (_, at) => {
    const startedAt = new Date(now - (1_000 - at) * hourMs);
    return {
      ...{ id: newId<IncidentId>(now), page_id: pageId, type: 'incident' },
      ...{ title: `${at}`, summary: 'x'.repeat(chars), started_at: startedAt },
      ...{ resolved_at: open ? null : startedAt, published_at: startedAt },
    };
  });
  await sql`insert into incidents ${sql(rows)}`;
}

const textBytesOf = (incidents: readonly LedgerEntry[]): number =>
  incidents.reduce(
    (sum, { title, summary }) => sum + Object.values({ ...title, ...summary }).join('').length,
    0,
  );

t.test('50 reads at once cost the queries of one', async (t) => {
  const page = await makePage(sql, { slug: 'asked' });
  const queriesOf = async (reads: number): Promise<number> => {
    const counting = countingSql(sql);
    const cache = createPublicCache({ sql: counting.sql, clock, log: silentLog });
    const variant = ledgerVariant({ sql: counting.sql, clock });
    const found = await cache.findPage(page.hostname);
    await Promise.all(Array.from({ length: reads }, () => cache.find(found, variant)));
    await cache.find(found, variant);
    return counting.count();
  };
  t.equal(await queriesOf(50), await queriesOf(1));
});

t.test('what another instance writes shows within a minute', async (t) => {
  t.strictSame((await read()).body, { slug: 'acme', incidents: [] });
  const { id } = await openIncident(first, key);
  clock.advance(minuteMs / 2);
  t.match((await read()).body, { incidents: [{ id }] });
});

t.test('the largest ledger has every open incident, and as many others as fit', async (t) => {
  const { ledgerTextBytes, ledgerTextBytesInAll } = incidentLimits;
  const page = await makePage(sql, { slug: 'large' });
  await addIncidents(page.id, 60, { chars: 20_000, open: true });
  await addIncidents(page.id, 60, { chars: 20_000, open: false });
  const incidents = await loadLedger({ sql, clock }, page.id);
  const open = incidents.filter(({ resolvedAt }) => resolvedAt === null);
  t.equal(open.length, 60);
  const bytes = textBytesOf(incidents);
  t.ok(bytes <= ledgerTextBytes && bytes > ledgerTextBytes - 21_000, 'the limit is used', { bytes });
  const titles = incidents.filter(({ resolvedAt }) => resolvedAt !== null).map(({ title }) => title['en']);
  t.strictSame(
    titles,
    Array.from({ length: titles.length }, (_, at) => `${59 - at}`),
    'the newest, without a gap',
  );

  const languages = ['en', 'de', 'fr', 'es', 'ja'];
  await sql`update pages set languages = ${languages} where id = ${page.id}`;
  await sql`
    insert into translations (page_id, source_hash, source_language, language, source_text, text, translated_at, next_attempt_at, created_at)
    select distinct page_id, sha256(convert_to(summary, 'UTF8')), 'en', language, summary, summary, now(), now(), now()
    from incidents, unnest(${languages.slice(1)}::text[]) as other (language) where page_id = ${page.id}`;
  const inAll = await loadLedger({ sql, clock }, page.id);
  t.equal(inAll.length, 60, 'only the open ones');
  const translated = inAll.filter(({ summary }) => Object.keys(summary).length === languages.length);
  t.equal(
    translated.length,
    Math.floor(ledgerTextBytesInAll / languages.length / 20_002),
    'in all languages',
  );
  t.strictSame(translated, inAll.slice(0, translated.length), 'the newest');
});

t.test('an older ledger is served for ten minutes while PostgreSQL is unavailable', async (t) => {
  const { body, headers } = await read();
  t.not((body as { incidents: unknown[] }).incidents.length, 0);
  await gate.close();
  t.strictSame((await read()).body, body, 'while it is fresh');
  clock.advance(9 * minuteMs);
  const old = await read();
  t.strictSame([old.status, old.body], [200, body]);
  const etag = headers.get('etag') ?? '';
  t.equal((await read('acme', { 'if-none-match': etag })).status, 304);
  t.equal((await read('asked')).status, 503, 'a ledger that is not in memory');
  clock.advance(2 * minuteMs);
  t.equal((await read()).status, 503, 'after ten minutes');
  await gate.open();
});
