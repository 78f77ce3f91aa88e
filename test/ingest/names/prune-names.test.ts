import t from 'tap';
import { limits } from '../../../contract/limits.js';
import { createPage } from '../../../control/pages/index.js';
import { pruneNames } from '../../../ingest/names/prune-names.js';
import { testActor } from '../../support/actor.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';

const now = Date.parse('2026-01-20T12:00:00Z');
const clock = { now: () => now };

t.test('unused names of a crowded page are deleted, all others are kept', async (t) => {
  const stores = await openStores(t);
  const { sql, clickhouse } = stores;
  const crowded = await createPage(
    { sql, clock, by: testActor },
    { slug: 'crowded', hostname: 'crowded.test' },
  );
  const calm = await createPage({ sql, clock, by: testActor }, { slug: 'calm', hostname: 'calm.test' });
  const many = limits.endpointsPerPage / 2 + 1;
  for (const [page, count] of [
    [crowded, many],
    [calm, 10],
  ] as const) {
    await sql`
      INSERT INTO endpoints SELECT ${page.id}, '/' || n, ${new Date(now - 20 * 86_400_000)} FROM generate_series(1, ${count}::int) AS n`;
    await sql`
      INSERT INTO sources (page_id, kind, source, first_seen_at)
      VALUES (${page.id}, 'service', 'old', '2025-01-01'), (${page.id}, 'service', 'new', ${new Date(now - 1000)}),
             (${page.id}, 'service', 'used', '2025-01-01'), (${page.id}, 'reporter', 'old', '2025-01-01')`;
    await sql`INSERT INTO page_name_counts VALUES (${page.id}, ${count}, 4)`;
  }
  await clickhouse.command({
    query: `INSERT INTO requests_hour (page_id, kind, service, endpoint, method, status, hour, requests)
      VALUES ({crowded:UUID}, 'service', 'used', '/7', 'GET', 200, now(), 1), ({calm:UUID}, 'service', 'old', '/8', 'GET', 200, now(), 1)`,
    query_params: { crowded: crowded.id, calm: calm.id },
  });

  await pruneNames({ ...stores, clickhouseOf: () => clickhouse, clock, log: silentLog });

  t.same(await sql`SELECT endpoint FROM endpoints WHERE page_id = ${crowded.id}`, [{ endpoint: '/7' }]);
  t.same(await sql`SELECT kind, source FROM sources WHERE page_id = ${crowded.id} ORDER BY kind, source`, [
    { kind: 'reporter', source: 'old' },
    { kind: 'service', source: 'new' },
    { kind: 'service', source: 'used' },
  ]);
  t.same(await sql`SELECT endpoints, sources FROM page_name_counts WHERE page_id = ${crowded.id}`, [
    { endpoints: 1, sources: 3 },
  ]);
  t.equal((await sql`SELECT 1 FROM endpoints WHERE page_id = ${calm.id}`).length, 10);
  t.equal((await sql`SELECT 1 FROM sources WHERE page_id = ${calm.id}`).length, 4);
});
