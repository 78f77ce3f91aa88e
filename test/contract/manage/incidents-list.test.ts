import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { inThirdTier } from '../../support/tiers.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
const { read: key, other: otherKey } = await makeManageKeys(deps);

type List = {
  items: { id: string; title: string; type: string; startedAt: string }[];
  nextCursor: string | null;
};

const list = async (query = '') => {
  const { status, body } = await service.get(`/api/v1/pages/acme/incidents${query}`, {
    authorization: `Bearer ${key}`,
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body as List;
};
const titles = async (query: string) => (await list(query)).items.map(({ title }) => title);

async function insert(title: string, startedAt: string, fields: { type?: string; resolvedAt?: string } = {}) {
  const { type = 'incident', resolvedAt = null } = fields;
  await sql`
    insert into incidents (id, page_id, type, title, summary, started_at, resolved_at, announced_state, published_at)
    values (gen_random_uuid(), ${service.pageId}, ${type}, ${title}, 'Text.', ${startedAt}, ${resolvedAt},
      ${type === 'maintenance' ? 'scheduled' : null}, now())`;
}

await insert('open', '2026-03-01T00:00:00Z');
await insert('over', '2026-02-01T00:00:00Z', { resolvedAt: '2026-02-02T00:00:00Z' });
await insert('planned', '2099-01-01T00:00:00Z', { type: 'maintenance' });
await insert('done', '2026-01-01T00:00:00Z', { type: 'maintenance', resolvedAt: '2026-01-01T01:00:00Z' });

t.test('200: the latest start comes first, without the texts', async (t) => {
  t.same(await titles(''), ['planned', 'open', 'over', 'done']);
  const [first] = (await list()).items;
  t.match(first, { state: 'scheduled', maintenanceState: 'scheduled', author: null, updateCount: 0 });
  t.notOk(Object.hasOwn(first ?? {}, 'summary'));
});

t.test('200: filters', async (t) => {
  t.same(await titles('?state=open'), ['open']);
  t.same(await titles('?state=resolved'), ['over', 'done']);
  t.same(await titles('?state=scheduled'), ['planned']);
  t.same(await titles('?type=maintenance'), ['planned', 'done']);
  t.same(await titles('?type=maintenance&state=resolved'), ['done']);
  t.same(await titles('?from=2026-02-01&to=2026-03-01'), ['over']);
  t.same(await titles('?from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:01Z'), ['open', 'over']);
});

t.test('400: bad parameters are named', async (t) => {
  for (const query of [
    'state=closed',
    'type=x',
    'from=yesterday',
    'to=2026-13-01',
    'limit=0',
    'page=2',
    'cursor=x',
  ]) {
    const { status, body } = await service.get(`/api/v1/pages/acme/incidents?${query}`, {
      authorization: `Bearer ${key}`,
    });
    t.equal(status, 400, query);
    t.match(body, { error: new RegExp(query.split('=')[0] ?? '') });
  }
});

t.test('a cursor works for its own list alone', async (t) => {
  const { nextCursor } = await list('?limit=1');
  t.same(await titles(`?limit=2&cursor=${nextCursor}`), ['open', 'over']);
  const status = async (query: string, slug = 'acme', by = key) =>
    (await service.get(`/api/v1/pages/${slug}/incidents?${query}`, { authorization: `Bearer ${by}` })).status;
  t.equal(await status(`state=open&cursor=${nextCursor}`), 400);
  t.equal(await status(`cursor=${nextCursor}`, 'other', otherKey), 400);
});

t.test('a page of 100,000 incidents is listed in milliseconds, from any place', inThirdTier, async (t) => {
  // Many begin at one time, as times are chosen by their writers.
  await sql`
    insert into incidents (id, page_id, type, title, summary, started_at, resolved_at, published_at)
    select gen_random_uuid(), ${service.pageId}, 'incident', 'Filled', 'Text.', at, at, at
    from (select timestamptz '2020-01-01' + n / 1000 * interval '1 hour' as at from generate_series(1, 100000) n) s`;
  await sql`analyze incidents`;
  const seen = new Set<string>();
  let cursor: string | null = null;
  for (let i = 0; i < 20; i += 1) {
    const part: List = await list(`?to=2020-01-02&limit=200${cursor === null ? '' : `&cursor=${cursor}`}`);
    for (const { id } of part.items) seen.add(id);
    cursor = part.nextCursor;
  }
  t.equal(seen.size, 4_000, 'no incident is missing or twice there');
  for (const query of ['', '?state=open', '?state=resolved', '?state=scheduled', '?type=maintenance']) {
    // The least of several: other processes take the processor at times, and reading all rows takes far longer each time.
    let msMin = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 10; i += 1) {
      const startedAt = performance.now();
      await list(query);
      msMin = Math.min(msMin, performance.now() - startedAt);
    }
    t.ok(msMin < 60, `${msMin} ms for ${query}`);
  }
  t.same(await titles('?state=open'), ['open']);
  t.same(await titles('?type=maintenance'), ['planned', 'done']);
});
