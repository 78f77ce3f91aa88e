import t, { type Test } from 'tap';
import { createKey } from '../../../control/keys/index.js';
import { systemClock } from '../../../lib/clock.js';
import { dayMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { makeKey } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock, by: testActor };
const { key: manageKey } = await makeKey(deps, { slug: 'acme', scope: 'manage', name: 'ci' });
const { key: adminKey } = await createKey(deps, { pageId: null, scope: 'admin', name: 'root' });
const acme = '/api/v1/pages/acme';
const audit = `${acme}/audit`;

type Entry = {
  action: string;
  page: string | null;
  target: { id: string };
  actor: { name: string };
  at: string;
};

const get = (path: string, key = adminKey) => service.get(path, { authorization: `Bearer ${key}` });

async function actions(t: Test, path: string): Promise<string[]> {
  const { status, body } = await get(path);
  t.equal(status, 200, JSON.stringify(body));
  return (body as { items: Entry[] }).items.map(({ action }) => action);
}

for (const name of ['one', 'two']) await service.post(acme, { name }, { method: 'PATCH', key: manageKey });

t.test('200: an entry says who changed what, newest first', async (t) => {
  const { body } = await get(audit);
  const { items } = body as { items: Entry[] };
  t.match(items[0], {
    ...{ action: 'page.update', page: 'acme', before: { name: 'one' }, after: { name: 'two' } },
    actor: { type: 'key', name: 'ci' },
    target: { type: 'page', id: service.pageId, name: 'acme' },
    address: '127.0.0.1',
  });
  t.strictSame(Object.keys(items[0] ?? {}).sort(), [
    ...['action', 'actor', 'address', 'after', 'at', 'before', 'id', 'page', 'target'],
  ]);
  t.equal(items.at(-1)?.action, 'page.create');
});

t.test('filters choose by actor, action, target and time', async (t) => {
  t.strictSame(await actions(t, `${audit}?actor=ci`), ['page.update', 'page.update']);
  t.strictSame(await actions(t, `${audit}?actor=nobody`), []);
  t.strictSame(await actions(t, `${audit}?action=page.create`), ['page.create']);
  t.strictSame(await actions(t, `${audit}?target=${service.pageId}&action=page.create`), ['page.create']);
  t.strictSame(await actions(t, `${audit}?to=now-1d`), []);
  t.strictSame(await actions(t, `${audit}?from=now-1d&actor=ci`), ['page.update', 'page.update']);
  t.equal((await get(`${audit}?from=yesterday`)).status, 400);
  t.equal((await get(`${audit}?page=other`)).status, 400, 'a page has its own entries only');
});

t.test('a list goes on at its cursor, which works with its filters only', async (t) => {
  const all = await actions(t, audit);
  const first = await get(`${audit}?limit=2&from=now-1d`);
  const { items, nextCursor } = first.body as { items: Entry[]; nextCursor: string };
  const rest = await actions(t, `${audit}?from=now-1d&cursor=${nextCursor}`);
  t.strictSame([...items.map(({ action }) => action), ...rest], all);
  t.equal((await get(`${audit}?cursor=${nextCursor}`)).status, 400);
});

t.test('200: the installation has the entries of all pages and its own', async (t) => {
  const { body } = await get('/api/v1/audit');
  const { items } = body as { items: Entry[] };
  t.strictSame([...new Set(items.map(({ page }) => page))].sort(), ['acme', 'other', null].sort());
  t.strictSame(await actions(t, '/api/v1/audit?page=acme'), await actions(t, audit));
  t.strictSame(await actions(t, `/api/v1/audit?page=${service.pageId}`), await actions(t, audit));
  t.equal((await get('/api/v1/audit?page=None!')).status, 400);
});

t.test('403: keys of a page read no audit log', async (t) => {
  t.equal((await get(audit, manageKey)).status, 403);
  t.equal((await get('/api/v1/audit', manageKey)).status, 403);
  t.equal((await get('/api/v1/pages/other/audit', manageKey)).status, 404);
});

t.test('a time that many entries share bounds them exactly', async (t) => {
  const at = new Date('2026-01-01T00:00:00.000Z');
  const row = (id: string, time: number) => ({
    ...{
      id,
      at: new Date(time),
      page_id: service.otherPageId,
      actor_type: 'cli',
      actor_id: 'cli',
      actor_name: 'x',
    },
    ...{ action: 'page.update', target_type: 'page', target_id: 'x', target_name: id.slice(-1) },
  });
  const idAt = (time: number, last: number) => {
    const hex = time.toString(16).padStart(12, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-00000000000${last}`;
  };
  const time = at.getTime();
  const rows = [
    row(idAt(time - 1, 1), time - 1),
    row(idAt(time, 2), time),
    row(idAt(time + dayMs, 3), time + dayMs),
  ];
  await deps.sql`insert into audit_log ${deps.sql(rows)}`;
  const { body } = await get('/api/v1/pages/other/audit?from=2026-01-01&to=2026-01-01');
  t.strictSame(
    (body as { items: { target: { name: string } }[] }).items.map(({ target }) => target.name),
    ['2'],
  );
});
