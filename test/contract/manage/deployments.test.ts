import t from 'tap';
import { type Deployment, deploymentLimits } from '../../../contract/manage/deployments.js';
import { noteSeenVersions } from '../../../control/deployments/index.js';
import { newId } from '../../../lib/ids.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const clock = makeStoppedClock();
const service = await startTestService(t, { roles: withoutJobs, clock });
const { sql } = service.stores;
const deps = { sql, clock };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const keys = await makeManageKeys(deps);
const key = bearer(keys.write);
const readKey = bearer(keys.read);
const otherKey = bearer(keys.other);
const { headers: viewer } = await signInAs(deps, { slug: 'acme', role: 'viewer' });

const list = '/api/v1/pages/acme/deployments';
type Body = Deployment & { error?: string; items: Deployment[]; nextCursor: string | null };
const send = async (method: string, path: string, headers: object, sent?: unknown) => {
  const answer = await service.post(path, sent, { ...{ method, key: null, headers: { ...headers } } });
  return { ...answer, body: answer.body as Body };
};
const announce = (fields: object, headers: object = key) =>
  send('POST', list, headers, { service: 'checkout', version: '2.4.1', ...fields });
const ask = async (query: Record<string, string> = {}, headers: object = readKey) =>
  (await send('GET', `${list}?${new URLSearchParams(query)}`, headers)).body;
const versionsOf = ({ items }: Body) => items.map(({ version }) => version);
const at = (msAgo: number) => new Date(clock.now() - msAgo).toISOString();
const seen = (version: string, name = 'checkout') =>
  inTransaction(sql, (tx) =>
    noteSeenVersions(tx, service.pageId, [{ service: name, version, environment: '' }], clock.now()),
  );

t.beforeEach(async () => {
  await sql`delete from deployments`;
});

t.test('201: a deployment is announced, with the audit row of a key', async (t) => {
  const url = 'https://ci.example.com/runs/1';
  const { status, body, headers } = await announce({ service: ' Checkout', environment: 'Production', url });
  t.equal(status, 201);
  const now = new Date(clock.now()).toISOString();
  t.strictSame(body, {
    ...{ id: body.id, service: 'checkout', version: '2.4.1', environment: 'production' },
    ...{ at: now, announcedAt: now, firstSeenAt: null, url },
  });
  t.equal(headers.get('location'), `${list}/${body.id}`);
  t.strictSame((await send('GET', `${list}/${body.id}`, viewer)).body, body);
  const rows = await sql`select action, actor_type, target_name from audit_log where target_id = ${body.id}`;
  t.strictSame(
    [...rows],
    [{ action: 'deployment.announce', actor_type: 'key', target_name: 'checkout 2.4.1' }],
  );
});

t.test('200: announcing again changes time and address; the same again writes no audit row', async (t) => {
  const { body: first } = await announce({ at: at(hourMs) });
  const again = await announce({ at: at(minuteMs), url: 'https://ci.example.com/2' });
  t.equal(again.status, 200);
  t.match(again.body, { id: first.id, at: at(minuteMs), url: 'https://ci.example.com/2' });
  await announce({ at: at(minuteMs), url: 'https://ci.example.com/2' });
  const rows = await sql`select action from audit_log where target_id = ${first.id} order by id`;
  t.strictSame(
    rows.map(({ action }) => action),
    ['deployment.announce', 'deployment.update'],
  );
  await announce({ environment: 'staging' });
  t.equal((await ask()).items.length, 2, 'another environment is another deployment');
});

t.test('two announcements at once make one deployment', async (t) => {
  const answers = await Promise.all([announce({}), announce({}), announce({})]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 200, 201]);
  t.equal((await ask()).items.length, 1);
});

t.test('a version that was announced and seen is one deployment', async (t) => {
  await announce({});
  clock.advance(2 * minuteMs);
  await seen('2.4.1');
  const [announced] = (await ask()).items;
  t.match(announced, { at: at(2 * minuteMs), announcedAt: at(2 * minuteMs), firstSeenAt: at(0) });
  await seen('2.4.2');
  clock.advance(3 * minuteMs);
  await announce({ version: '2.4.2' });
  const [first] = (await ask()).items;
  t.match(first, {
    version: '2.4.2',
    at: at(3 * minuteMs),
    announcedAt: at(0),
    firstSeenAt: at(3 * minuteMs),
  });
  clock.advance(dayMs);
  await announce({ version: '2.4.2' });
  t.match((await ask()).items[0], { at: at(0), announcedAt: at(0) }, 'a version comes again');
  await seen('2.4.2');
  t.match((await ask()).items[0], { at: at(0) });
});

t.test('lists are newest first, by service, environment and time, and go on at their cursor', async (t) => {
  await announce({ version: '1', at: at(3 * dayMs) });
  await announce({ version: '2', at: at(2 * dayMs), environment: 'production' });
  await announce({ version: '3', at: at(dayMs), service: 'cart' });
  await announce({ version: '4', at: at(dayMs) });
  t.strictSame(versionsOf(await ask()).sort(), ['1', '2', '3', '4']);
  t.strictSame(versionsOf(await ask({ service: 'Checkout' })), ['4', '2', '1']);
  t.strictSame(versionsOf(await ask({ environment: 'Production' })), ['2']);
  t.strictSame(versionsOf(await ask({ from: at(2 * dayMs), to: at(dayMs) })), ['2']);
  t.strictSame(versionsOf(await ask({ service: 'nobody' })), []);
  const first = await ask({ limit: '3' });
  const second = await ask({ limit: '3', cursor: first.nextCursor ?? '' });
  t.strictSame([...versionsOf(first), ...versionsOf(second)].sort(), ['1', '2', '3', '4']);
  t.equal(second.nextCursor, null);
  const cursor = first.nextCursor ?? '';
  t.equal((await send('GET', `${list}?service=cart&cursor=${cursor}`, readKey)).status, 400);
});

t.test('204: a deployment is deleted, unless it has changed', async (t) => {
  const { body, headers } = await announce({});
  const tag = headers.get('etag') ?? '';
  await announce({ url: 'https://ci.example.com/3' });
  const path = `${list}/${body.id}`;
  t.equal((await send('DELETE', path, { ...key, 'if-match': tag })).status, 412);
  t.equal((await send('DELETE', path, key)).status, 204);
  t.equal((await send('DELETE', path, key)).status, 404);
  t.equal((await send('GET', path, key)).status, 404);
});

t.test('400: what is no announcement', async (t) => {
  const wrong = [
    ...[{ service: ' ' }, { version: '' }, { version: 'a\nb' }, { version: 'x'.repeat(101) }],
    ...[
      { at: 'yesterday' },
      { at: at(-2 * hourMs) },
      { at: at(401 * dayMs) },
      { url: 'javascript:alert(1)' },
    ],
    ...[{ environment: 'a\tb' }, { pageId: 'x' }, { service: 1 }],
  ];
  for (const fields of wrong) t.equal((await announce(fields)).status, 400, JSON.stringify(fields));
  t.equal((await send('GET', `${list}?from=never`, readKey)).status, 400);
  t.equal((await send('GET', `${list}?page=1`, readKey)).status, 400);
  t.equal((await ask()).items.length, 0);
});

t.test('403: a key that reads, and a viewer, announce and delete nothing', async (t) => {
  const { body } = await announce({});
  for (const reader of [readKey, viewer]) {
    t.equal((await announce({ version: '3' }, reader)).status, 403);
    t.equal((await send('DELETE', `${list}/${body.id}`, reader)).status, 403);
  }
  t.strictSame(versionsOf(await ask()), ['2.4.1']);
});

t.test("another page's key has no access", async (t) => {
  const { body } = await announce({});
  t.equal((await announce({ version: '3' }, otherKey)).status, 404);
  t.equal((await send('GET', list, otherKey)).status, 404);
  const elsewhere = `/api/v1/pages/other/deployments/${body.id}`;
  t.equal((await send('GET', elsewhere, otherKey)).status, 404);
  t.equal((await send('DELETE', elsewhere, otherKey)).status, 404);
  t.strictSame(versionsOf(await ask()), ['2.4.1']);
});

t.test('the oldest deployments of a page make room', async (t) => {
  const rows = Array.from({ length: deploymentLimits.perPage }, (_, i) => ({
    ...{ id: newId(i), page_id: service.pageId, service: 'checkout', version: `v${i}`, environment: '' },
    ...{ at: new Date(clock.now() - (i + 1) * minuteMs), first_seen_at: new Date(clock.now()) },
  }));
  for (let from = 0; from < rows.length; from += 5_000)
    await sql`insert into deployments ${sql(rows.slice(from, from + 5_000))}`;
  await announce({ version: 'new' });
  const [count] = await sql<{ count: number }[]>`select count(*)::integer as count from deployments`;
  t.equal(count?.count, deploymentLimits.perPage);
  t.strictSame(versionsOf(await ask({ limit: '2' })), ['new', 'v0']);
});
