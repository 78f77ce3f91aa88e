import t from 'tap';
import { monitorGroupsMax } from '../../../contract/manage/monitor-groups.js';
import { systemClock } from '../../../lib/clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { type Answer, startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
const { write: key, read: readKey, other: otherKey } = await makeManageKeys(deps);
const { headers: responder } = await signInAs(deps, { slug: 'acme', role: 'responder' });
await sql`update pages set languages = '{en,de}' where slug = 'acme'`;

const page = '/api/v1/pages/acme';
type Sent = { key?: string | null; headers?: object };
const send = (method: string, path: string, body?: unknown, sent: Sent = {}): Promise<Answer> =>
  service.post(path.startsWith('/') ? path : `${page}/${path}`, body, {
    ...{ method, key: sent.key === undefined ? key : sent.key, headers: { ...sent.headers } },
  });
const putGroup = (slug: string, body: object, sent?: Sent) => send('PUT', `groups/${slug}`, body, sent);
const putMonitor = async (slug: string, fields: object = {}) =>
  send('PUT', `monitors/${slug}`, { type: 'http', name: slug, url: 'https://example.com/', ...fields });
const orderOf = async () => (await send('GET', 'monitor-order')).body as { items: unknown };
const rowsOf = async (type: string) => [
  ...(await sql`select action, before, after from audit_log where target_type = ${type} order by at, id`),
];

t.test('201, 200: a group is created behind the others, and gets other names', async (t) => {
  const created = await putGroup('shop', { name: 'Shop', names: { de: 'Laden' } });
  t.match(created, { status: 201, body: { slug: 'shop', names: { de: 'Laden' }, position: 0 } });
  t.equal(created.headers.get('location'), `${page}/groups/shop`);
  t.match(await putGroup('internal', { name: 'Internal' }), { status: 201, body: { position: 1 } });
  t.match(await putGroup('shop', { name: 'Web shop', names: null }), {
    ...{ status: 200, body: { name: 'Web shop', names: {}, position: 0 } },
  });
  t.equal((await putGroup('shop', { name: 'Web shop' })).status, 200);
  const { body: all } = await send('GET', 'groups');
  t.match(all, { items: [{ slug: 'shop' }, { slug: 'internal' }], nextCursor: null });
  const { body: first } = await send('GET', 'groups?limit=1');
  t.match(first, { items: [{ slug: 'shop' }], nextCursor: String });
  const { body: second } = await send('GET', `groups?limit=1&cursor=${Object(first).nextCursor}`);
  t.match(second, { items: [{ slug: 'internal' }], nextCursor: null });
  t.equal(Object(second).items.length, 1);
  t.equal((await send('GET', 'groups?limit=0')).status, 400);
  const shown = await send('GET', 'groups/shop', undefined, { key: readKey });
  t.match(shown, { status: 200, body: { name: 'Web shop' } });
  t.match(await rowsOf('group'), [
    { action: 'group.create', before: null, after: { name: 'Shop', names: { de: 'Laden' } } },
    { action: 'group.create', after: { slug: 'internal' } },
    {
      ...{ action: 'group.update', before: { name: 'Shop', names: { de: 'Laden' } } },
      after: { name: 'Web shop', names: {} },
    },
  ]);
  t.equal((await rowsOf('group')).length, 3);
});

t.test('a monitor goes to the end of its group, and leaves it again', async (t) => {
  t.match(await putMonitor('web', { group: 'shop' }), { status: 201, body: { group: 'shop' } });
  t.match(await putMonitor('mail'), { status: 201, body: { group: null } });
  t.match(await putMonitor('cart', { group: 'shop' }), { status: 201, body: { group: 'shop' } });
  t.match(await putMonitor('ledger', { group: 'internal' }), { status: 201 });
  t.strictSame((await orderOf()).items, [
    { group: null, monitors: ['mail'] },
    { group: 'shop', monitors: ['web', 'cart'] },
    { group: 'internal', monitors: ['ledger'] },
  ]);
  const { body } = await send('GET', 'monitors');
  t.match(body, { items: [{ slug: 'mail' }, { slug: 'web' }, { slug: 'cart' }, { slug: 'ledger' }] });
  t.match(await send('PATCH', 'monitors/mail', { name: 'Mail' }), { body: { group: null } });
  t.match(await send('PATCH', 'monitors/mail', { group: 'internal' }), { body: { group: 'internal' } });
  t.match(await send('PATCH', 'monitors/mail', { name: 'E-mail' }), { body: { group: 'internal' } });
  t.match(await putMonitor('mail'), { status: 200, body: { group: null } });
  const rows = await sql`
    select before, after from audit_log where target_name = 'mail' and action = 'monitor.update' order by at, id`;
  t.match(rows[1], { before: { group: null }, after: { group: 'internal' } });
});

t.test('200: an order is put, its tag holds, and the same again writes no row', async (t) => {
  const shown = await send('GET', 'monitor-order');
  const tag = shown.headers.get('etag') ?? '';
  const ifMatch = { headers: { 'if-match': tag } };
  const items = [
    { group: 'internal', monitors: ['cart', 'ledger'] },
    { group: 'shop', monitors: ['web', 'mail'] },
  ];
  const changed = await send('PUT', 'monitor-order', { items }, ifMatch);
  t.match(changed, { status: 200, body: { items: [{ group: null, monitors: [] }, ...items] } });
  t.strictSame((await orderOf()).items, [{ group: null, monitors: [] }, ...items]);
  t.match((await send('GET', 'groups')).body, { items: [{ slug: 'internal' }, { slug: 'shop' }] });
  t.equal((await send('PUT', 'monitor-order', { items }, ifMatch)).status, 412);
  t.equal((await send('PUT', 'monitor-order', { items })).status, 200);
  const again = await send('GET', 'monitor-order', undefined, {
    headers: { 'if-none-match': changed.headers.get('etag') },
  });
  t.equal(again.status, 304);
  const [row, ...others] = (await rowsOf('page')).filter(({ action }) => action === 'page.order');
  t.match(row, { action: 'page.order', after: { order: [{ group: null }, ...items] } });
  t.same(others, []);
});

t.test('204: a deleted group leaves its monitors', async (t) => {
  t.equal((await send('DELETE', 'groups/internal')).status, 204);
  t.strictSame((await orderOf()).items, [
    { group: null, monitors: ['cart', 'ledger'] },
    { group: 'shop', monitors: ['web', 'mail'] },
  ]);
  t.match((await send('GET', 'groups/shop')).body, { position: 0 });
  t.match((await rowsOf('group')).at(-1), { action: 'group.delete', after: null });
  t.equal((await send('DELETE', 'groups/internal')).status, 404);
});

t.test('400: a query parameter for a route that takes none', async (t) => {
  t.match(await send('GET', 'monitor-order?limit=1'), {
    ...{ status: 400, body: { error: 'There is no parameter "limit"; this route takes none.' } },
  });
});

t.test('400: names, languages, and orders that lack or repeat something', async (t) => {
  const shop = { group: 'shop', monitors: ['web', 'mail'] };
  const free = { group: null, monitors: ['cart', 'ledger'] };
  for (const [path, body, error] of [
    ['groups/No', { name: 'x' }, /slug/],
    ['groups/x', { name: '' }, /^\/name must have at least 1 character/],
    ['groups/x', { name: 'x', names: { fr: 'y' } }, /not a language of the page/],
    ['groups/x', { name: 'x', position: 1 }, 'There is no field /position here.'],
    [
      'groups/x',
      { nmae: 'x' },
      '/name is missing; send it. There is no field /nmae here. Did you mean /name?',
    ],
    ['monitor-order', { items: [free] }, 'The group "shop" is missing.'],
    ['monitor-order', { items: [shop] }, 'The monitor "cart" is missing.'],
    ['monitor-order', { items: [shop, free] }, 'The monitors without a group come first.'],
    ['monitor-order', { items: [free, shop, free] }, 'The monitors without a group come first.'],
    ['monitor-order', { items: [free, shop, shop] }, 'The group "shop" is there twice.'],
    ['monitor-order', { items: [free, free, shop] }, /without a group|there twice/],
    ['monitor-order', { items: [free, { ...shop, group: 'none' }] }, /no group with the slug "none"/],
    ['monitor-order', { items: [free, { ...shop, monitors: ['x'] }] }, /no monitor with the slug "x"/],
    ['monitors/web', { type: 'http', name: 'x', url: 'https://a.example', group: 'none' }, /no group/],
  ] as const) {
    const answer = await send('PUT', path, body);
    t.equal(answer.status, 400, JSON.stringify(body));
    t.match(answer.body, { error });
  }
  t.equal((await send('PATCH', 'monitors/web', { group: 'none' })).status, 400);
});

t.test('401, 403: without a key, and for those who may not change the page', async (t) => {
  t.equal((await send('GET', 'groups', undefined, { key: null })).status, 401);
  const { body } = await send('GET', 'monitor-order');
  for (const sent of [{ key: readKey }, { key: null, headers: responder }]) {
    t.equal((await putGroup('x', { name: 'x' }, sent)).status, 403);
    t.equal((await send('DELETE', 'groups/shop', undefined, sent)).status, 403);
    t.equal((await send('PUT', 'monitor-order', body, sent)).status, 403);
    t.equal((await send('GET', 'monitor-order', undefined, sent)).status, 200);
  }
});

t.test('404: another page learns and changes nothing', async (t) => {
  const sent = { key: otherKey };
  const { body } = await send('GET', 'monitor-order');
  const reads = ['groups', 'groups/shop', 'monitor-order'];
  for (const path of reads) t.equal((await send('GET', path, undefined, sent)).status, 404, path);
  t.equal((await putGroup('x', { name: 'x' }, sent)).status, 404);
  t.equal((await send('DELETE', 'groups/shop', undefined, sent)).status, 404);
  t.equal((await send('PUT', 'monitor-order', body, sent)).status, 404);
  const other = '/api/v1/pages/other';
  t.equal((await send('GET', `${other}/groups/shop`, undefined, sent)).status, 404);
  t.match(await send('PUT', `${other}/monitor-order`, { items: [{ group: 'shop', monitors: [] }] }, sent), {
    ...{ status: 400, body: { error: 'The page has no group with the slug "shop".' } },
  });
});

t.test('409: as many groups as there may be', async (t) => {
  await sql`
    insert into monitor_groups (id, page_id, slug, name, position, created_at)
    select gen_random_uuid(), ${service.otherPageId}, 'g-' || n, 'G', n, now()
    from generate_series(1, ${monitorGroupsMax}::integer) as n`;
  t.match(await send('PUT', '/api/v1/pages/other/groups/x', { name: 'x' }, { key: otherKey }), {
    ...{ status: 409, body: { error: 'The page has 100 groups, which is the most; delete one first.' } },
  });
});

t.test('412: a group that somebody else has changed keeps what it has', async (t) => {
  const tag = (await send('GET', 'groups/shop')).headers.get('etag') ?? '';
  const sent = { headers: { 'if-match': tag } };
  t.equal((await putGroup('shop', { name: 'Shop' }, sent)).status, 200);
  t.equal((await putGroup('shop', { name: 'Store' }, sent)).status, 412);
  t.equal((await putGroup('none', { name: 'x' }, sent)).status, 412);
  const isNew = { headers: { 'if-none-match': '*' } };
  t.equal((await putGroup('shop', { name: 'Store' }, isNew)).status, 412);
  t.equal((await send('DELETE', 'groups/shop', undefined, sent)).status, 412);
});
