import t from 'tap';
import { createKey } from '../../control/keys/index.js';
import { deletePage } from '../../control/pages/index.js';
import { hourMs } from '../../lib/times.js';
import { removePages } from '../../service/jobs/remove-pages.js';
import type { Sql } from '../../sql/open-postgres.js';
import { testActor } from '../support/actor.js';
import { makeIncidentKey, openIncident } from '../support/incidents.js';
import { insertMonitor } from '../support/monitors.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { countRequests, select } from '../support/rollups.js';
import { startTestService, withoutJobs } from '../support/service.js';
import { silentLog } from '../support/silent-log.js';
import { waitUntil } from '../support/wait-until.js';
import { makeWebhook } from '../support/webhooks.js';

const clock = makeMovingClock();
const api = await startTestService(t, { clock, roles: withoutJobs });
const { sql, clickhouse } = api.stores;
const deps = { sql, clickhouse, clock, log: silentLog, by: testActor };

/** Tables that have rows of a page, with how many. */
async function countRows(pageId: string): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind = 'r' and a.attname = 'page_id'`;
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await sql`select count(*)::integer as count from ${sql(name)} where page_id = ${pageId}`;
      return [name, Number(row?.['count'])] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const countParts = async (table: string) => Number((await sql`select 1 from ${sql(table)}`).length);

/** Gives a page rows of many kinds. */
async function fill(slug: string, key: string, pageId: typeof api.pageId): Promise<void> {
  const events = [{ service: 'shop', endpoint: '/', status: 500, message: 'Full.' }, { nonsense: true }];
  t.equal((await api.post('/api/v1/events', events, { key })).status, 202);
  await insertMonitor(sql, { pageId, slug: `monitor-of-${slug}` });
  await makeWebhook(deps, 'https://hooks.example.com/', slug);
  await openIncident(api, await makeIncidentKey(api, slug));
  await sql`
    insert into subscribers (id, page_id, email, language, requested_at, created_at)
    values (gen_random_uuid(), ${pageId}, 'a@example.com', 'en', now(), now())`;
}

t.test('every row of a deleted page goes, and none of another page', async (t) => {
  await fill('acme', api.ingestKey, api.pageId);
  await fill('other', api.otherIngestKey, api.otherPageId);
  await sql`insert into delivery_queues (store, page_id, next_attempt_at) values (${api.pageId}, ${api.pageId}, now())`;
  await sql`
    insert into delivery_batches (store, token, body, rows, events, created_at)
    values (${api.pageId}, gen_random_uuid(), '\\x00', 1, 7, now())`;
  await api.settle();
  await api.get('/api/v1/analytics/reporters');
  await waitUntil('both pages have what was rejected', async () => {
    const [row] = await sql`select count(distinct page_id)::integer as count from rejection_messages`;
    return row?.['count'] === 2;
  });
  await waitUntil('both pages have events', async () => {
    const counts = await Promise.all(
      [api.pageId, api.otherPageId].map((id) => countRequests(clickhouse, id)),
    );
    return counts.every((count) => count > 0);
  });
  const before = await countRows(api.otherPageId);
  t.ok(Object.keys(await countRows(api.pageId)).length > 10);
  await deletePage(deps, api.pageId);
  await removePages(deps);
  t.strictSame(Object.keys(await countRows(api.pageId)).sort(), ['audit_log', 'keys']);
  t.equal(await countParts('delivery_batches'), 0);
  t.equal(await countParts('incident_monitors'), 0);
  t.strictSame(await countRows(api.otherPageId), before);
  await waitUntil('ClickHouse has no row of the page', async () => {
    const tables = await select<{ table: string }>(
      clickhouse,
      `SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'page_id'
        AND table IN (SELECT name FROM system.tables WHERE engine LIKE '%MergeTree')`,
    );
    const found = await Promise.all(
      tables.map(({ table }) =>
        select(clickhouse, `SELECT 1 FROM ${table} WHERE page_id = '${api.pageId}' LIMIT 1`),
      ),
    );
    return tables.length > 5 && found.every((rows) => rows.length === 0);
  });
  t.not(await countRequests(clickhouse, api.otherPageId), 0);
  const [page] = await sql`select name, slug, owner_emails from pages where id = ${api.pageId}`;
  t.match(page, { name: 'Deleted page', slug: /^deleted-[0-9a-f]{32}$/, owner_emails: [] });
});

t.test('what arrives late goes an hour after the deletion, and then the job rests', async (t) => {
  const insertLate = () => sql`
    insert into suppressions (page_id, email, reason, created_at)
    values (${api.pageId}, 'late@example.com', 'bounced', now()) on conflict do nothing`;
  const hasLate = async () => 'suppressions' in (await countRows(api.pageId));
  await insertLate();
  clock.advance(hourMs / 2);
  await removePages(deps);
  t.ok(await hasLate());
  clock.advance(hourMs / 2);
  await removePages(deps);
  t.notOk(await hasLate());
  await insertLate();
  clock.advance(hourMs);
  await removePages(deps);
  t.ok(await hasLate(), 'the page is not looked at any more');
});

t.test('a run that is cut off is made up for by the next', async (t) => {
  await createKey(deps, { pageId: api.otherPageId, scope: 'read' });
  await deletePage(deps, api.otherPageId);
  let left = 5;
  const cutOff = new Proxy(sql, {
    apply(target, self, args) {
      const [first] = args;
      if (String((first as { raw?: string[] }).raw?.[0]).startsWith('delete from') && --left < 0) {
        throw new Error('The process has crashed.');
      }
      return Reflect.apply(target, self, args);
    },
  }) as Sql;
  await t.rejects(removePages({ ...deps, sql: cutOff }), { message: /1 of 1 deleted pages/ });
  t.ok(Object.keys(await countRows(api.otherPageId)).length > 2);
  await removePages(deps);
  t.strictSame(Object.keys(await countRows(api.otherPageId)).sort(), ['audit_log', 'keys']);
});
