import t from 'tap';
import { boardLimits, type ManagedBoard, starterSlugs } from '../../../contract/manage/boards.js';
import { newId } from '../../../lib/ids.js';
import { openManageClient } from '../../support/manage-client.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const clock = makeStoppedClock();
const service = await startTestService(t, { roles: withoutJobs, clock });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);
const list = '/acme/boards';

const tile = (fields: object = {}) => ({
  ...{ id: 'p95', title: 'Response times', x: 0, y: 0, width: 6, height: 4, display: 'line' },
  source: { figure: { path: 'requests', parameters: { service: '{service}' } } },
  ...fields,
});
const usual = { name: 'Checkout', variables: { service: { initial: 'shop' } }, tiles: [tile()] };
const put = (slug: string, fields: object = {}, options: object = {}) =>
  send('PUT', `${list}/${slug}`, { ...usual, ...fields }, options);
const read = async (slug: string) => (await send('GET', `${list}/${slug}`)).body as ManagedBoard;
const shareQuery = async (name: string): Promise<string> => {
  const { body } = await send('POST', '/acme/queries', { name, sql: 'SELECT 1', isShared: true });
  return String(Object(body).id);
};

t.beforeEach(async () => {
  await sql`delete from boards`;
  await sql`delete from queries`;
});

t.test('201: a board is created, with its defaults', async (t) => {
  const made = await put('checkout', { name: ' Checkout ' });
  t.equal(made.status, 201, JSON.stringify(made.body));
  t.equal(made.headers.get('location'), `/api/v1/pages${list}/checkout`);
  t.match(made.body, { slug: 'checkout', ...usual, description: '', range: '24h' });
  const again = await send('GET', `${list}/checkout`, undefined, {
    headers: { 'if-none-match': made.headers.get('etag') ?? '' },
  });
  t.equal(again.status, 304);
  t.strictSame(await read('checkout'), made.body);
  const { body } = await send('GET', list, undefined, { key: keys.read });
  t.strictSame(Object.keys(Object(body).items[0]).sort(), [
    ...['createdAt', 'description', 'name', 'slug', 'tileCount', 'updatedAt'],
  ]);
  t.match(body, { items: [{ slug: 'checkout', tileCount: 1 }] });
});

t.test('200: a board is replaced from the state that was read, and the log has what changed', async (t) => {
  const tag = (await put('a')).headers.get('etag') ?? '';
  const same = await put('a', { slug: 'a' }, { headers: { 'if-match': tag } });
  t.equal(same.status, 200);
  t.equal(same.headers.get('etag'), tag);
  clock.advance(1_000);
  const changed = await put('a', { name: 'B', variables: {}, tiles: [] }, { headers: { 'if-match': tag } });
  t.match(changed, { status: 200, body: { name: 'B', variables: {}, tiles: [] } });
  t.equal((await put('a', {}, { headers: { 'if-match': tag } })).status, 412);
  t.equal((await put('a', {}, { headers: { 'if-none-match': '*' } })).status, 412);
  t.equal((await put('none', {}, { headers: { 'if-match': tag } })).status, 412);
  const late = { headers: { 'if-match': tag } };
  t.equal((await send('DELETE', `${list}/a`, undefined, late)).status, 412);
  t.equal((await send('DELETE', `${list}/a`)).status, 204);
  t.equal((await send('DELETE', `${list}/a`)).status, 404);
  t.equal((await send('GET', `${list}/a`)).status, 404);
  const rows = await sql`
    select action, before, after from audit_log where target_type = 'board' and target_name = 'a' order by id`;
  t.match(
    [...rows],
    [
      { action: 'board.create', before: null, after: { slug: 'a', name: 'Checkout' } },
      { action: 'board.update', before: { name: 'Checkout' }, after: { name: 'B', tiles: [] } },
      { action: 'board.delete', before: { name: 'B' }, after: null },
    ],
  );
});

t.test('400: the field and the tile at fault are named', async (t) => {
  const wrong: [object, RegExp][] = [
    [{ name: ' ' }, /\/name/],
    [{ description: 'a\nb' }, /\/description/],
    [{ range: '0h' }, /\/range/],
    [{ range: '401d' }, /\/range must be at most 400 days/],
    [{ variables: { page: {} } }, /\/variables/],
    [{ variables: { service: { initial: 'a\u0000b' } } }, /\/variables/],
    [{ tiles: [tile({ width: 13 })] }, /\/tiles\/0\/width/],
    [{ tiles: [tile({ display: 'pie' })] }, /\/tiles\/0\/display/],
    [{ tiles: [tile({ source: {} })] }, /\/tiles\/0\/source/],
    [{ tiles: [tile({ source: { sql: 'SELECT 1', text: 'x' } })] }, /\/tiles\/0\/source/],
    [{ tiles: [tile({ source: { figure: { path: 'sql' } } })] }, /\/tiles\/0\/source/],
    [{ tiles: [tile({ x: 7 })] }, /\/tiles\/0: the tile "p95" ends behind the last of the 12 columns/],
    [{ tiles: [tile({ title: '\ud800' })] }, /"p95"/],
    [{ tiles: [tile(), tile({ y: 4 })] }, /\/tiles\/1: the tile "p95" has the id of \/tiles\/0/],
    [{ tiles: [tile(), tile({ id: 'b', x: 3 })] }, /the tile "b" lies over the tile "p95"/],
    [{ variables: {} }, /the tile "p95" names the variable \{service\}/],
    [{ tiles: [tile({ source: { text: 'Hello' } })] }, /the tile "p95" must have the display "text"/],
    [
      { tiles: [tile({ source: { figure: { path: 'requests', parameters: { from: 'now-1h' } } } })] },
      /"p95" gives "requests" a parameter "from", which it does not have/,
    ],
    [
      { tiles: [tile({ source: { query: newId(0) } })] },
      /"p95" names the query ".*", which the page does not/,
    ],
    [{ tiles: Array.from({ length: 41 }, (_, y) => tile({ id: `t-${y}`, y, height: 1 })) }, /\/tiles/],
    [{ slug: 'other' }, /\/slug/],
    [{ unknown: 1 }, /unknown/],
  ];
  const said: unknown[] = [];
  for (const [fields, expected] of wrong) {
    const { status, body } = await put('a', fields);
    const { error = '' } = Object(body);
    if (status !== 400 || !expected.test(error)) said.push([fields, status, error]);
  }
  t.same(said, []);
  for (const slug of ['A', 'a--b', 'a'.repeat(61)]) t.equal((await put(slug)).status, 400, slug);
});

t.test('409: a page has a hundred boards, in pages of a list', async (t) => {
  await put('first');
  await sql`
    insert into boards (id, page_id, slug, name, description, range, variables, tiles, created_at, updated_at)
    select gen_random_uuid(), page_id, 'b-' || n, 'More', '', '24h', '{}', '[]', created_at, updated_at
    from boards, generate_series(2, ${boardLimits.perPage}) n where slug = 'first'`;
  t.match(await put('one-more'), { status: 409, body: { error: /100 boards/ } });
  t.match(await send('POST', `${list}/starters`), { status: 409, body: { error: /100 boards/ } });
  t.equal((await put('first', { name: 'Changed' })).status, 200);
  const { body } = await send('GET', `${list}?limit=60`);
  const rest = (await send('GET', `${list}?limit=60&cursor=${Object(body).nextCursor}`)).body;
  t.same([Object(body).items.length, Object(rest).items.length, Object(rest).nextCursor], [60, 40, null]);
});

t.test('a query that a board shows stays until the board lets it go', async (t) => {
  const id = await shareQuery('Late orders');
  const shown = { tiles: [tile({ display: 'table', source: { query: id } })] };
  t.equal((await put('orders', shown)).status, 201);
  t.match(await send('DELETE', `/acme/queries/${id}`), {
    ...{ status: 409, body: { error: /The board "orders" shows this query/ } },
  });
  t.equal((await put('orders', { tiles: [] })).status, 200);
  t.equal((await send('DELETE', `/acme/queries/${id}`)).status, 204);
  const { body } = await send(
    ...(['POST', '/other/queries', { name: 'Theirs', sql: 'SELECT 1', isShared: true }] as const),
    { key: keys.other },
  );
  const theirs = { tiles: [tile({ display: 'table', source: { query: Object(body).id } })] };
  t.equal((await put('orders', theirs)).status, 400, 'a query of another page');
});

t.test('200: ready-made boards are added once, all or some', async (t) => {
  const some = await send('POST', `${list}/starters`, { slugs: ['databases'] });
  t.match(some, { status: 200, body: { added: [{ slug: 'databases' }], kept: [] } });
  await put('releases');
  const { status, body } = await send('POST', `${list}/starters`);
  t.equal(status, 200);
  t.strictSame(Object(body).kept, ['databases', 'releases']);
  t.equal(Object(body).added.length, starterSlugs.length - 2);
  t.match(await read('releases'), { name: 'Checkout' });
  t.equal((await send('POST', `${list}/starters`, { slugs: ['none'] })).status, 400);
  t.equal((await send('POST', `${list}/starters`, { slugs: [] })).status, 400);
  const rows = await sql`select count(*)::int as count from audit_log where action = 'board.create'
    and target_name = 'golden-signals'`;
  t.equal(rows[0]?.['count'], 1);
});

t.test('201, 200, 204: a link is made, listed and deleted, and its token is nowhere', async (t) => {
  await put('checkout');
  const shares = `${list}/checkout/shares`;
  const expiresAt = new Date(clock.now() + 60_000).toISOString();
  const made = await send('POST', shares, { name: 'Kitchen', expiresAt });
  t.match(made, { status: 201, body: { name: 'Kitchen', expiresAt, createdBy: { type: 'key' } } });
  t.equal(made.headers.get('cache-control'), 'no-store');
  t.equal(made.headers.get('location'), null, 'no address shows a link alone');
  t.equal(made.headers.get('etag'), null);
  const { id, token, url } = Object(made.body);
  t.match(token, /^brd_[0-9A-Za-z]{43}$/);
  t.ok(url.endsWith(`/boards/${token}`), url);
  const { token: _, url: __, ...shown } = Object(made.body);
  t.strictSame((await send('GET', shares, undefined, { key: keys.read })).body, { items: [shown] });
  const kept =
    await sql`select s::text as text from board_shares s union all select a::text from audit_log a`;
  t.notMatch(JSON.stringify(kept), token);
  t.equal((await send('DELETE', `${shares}/${id}`)).status, 204);
  t.equal((await send('DELETE', `${shares}/${id}`)).status, 404);
  t.equal((await send('DELETE', `${shares}/no-id`)).status, 404);
  const rows = await sql`
    select action, before, after from audit_log where action in ('board.share', 'board.unshare') order by id`;
  t.match(
    [...rows],
    [
      { action: 'board.share', before: null, after: { link: 'Kitchen', expiresAt } },
      { action: 'board.unshare', before: { link: 'Kitchen' }, after: null },
    ],
  );
});

t.test('400, 404 and 409 of links', async (t) => {
  await put('checkout');
  const shares = `${list}/checkout/shares`;
  t.equal((await send('POST', shares, {})).status, 400);
  const wrong: [object, string][] = [
    [{ name: 'a\nb' }, '/name'],
    [{ name: '\ud800' }, '/name'],
    [{ name: 'Late', expiresAt: new Date(clock.now()).toISOString() }, '/expiresAt'],
    [{ name: 'Never', expiresAt: 'tomorrow' }, '/expiresAt'],
    [{ name: 'Never', expiresAt: '2028-12-31T23:59:60Z' }, '/expiresAt'],
  ];
  for (const [body, field] of wrong) {
    t.match(await send('POST', shares, body), { status: 400, body: { field } }, JSON.stringify(body));
  }
  t.equal((await send('POST', `${list}/none/shares`, { name: 'x' })).status, 404);
  t.equal((await send('GET', `${list}/none/shares`)).status, 404);
  for (let n = 0; n < boardLimits.sharesPerBoard; n += 1) await send('POST', shares, { name: `Screen ${n}` });
  t.match(await send('POST', shares, { name: 'One more' }), { status: 409, body: { error: /20 links/ } });
});

t.test('401, 403 and 404: only those who may, and only on their page', async (t) => {
  await put('a');
  const { id } = Object((await send('POST', `${list}/a/shares`, { name: 'x' })).body);
  const changes: [string, string, object?][] = [
    ['PUT', `${list}/a`, usual],
    ['DELETE', `${list}/a`],
    ['POST', `${list}/starters`, {}],
    ['POST', `${list}/a/shares`, { name: 'y' }],
    ['DELETE', `${list}/a/shares/${id}`],
  ];
  const reads: [string, string][] = [
    ['GET', list],
    ['GET', `${list}/a`],
    ['GET', `${list}/a/shares`],
  ];
  for (const [method, path, body] of changes) {
    t.equal((await send(method, path, body, { key: keys.read })).status, 403, `${method} ${path}`);
  }
  for (const [method, path, body] of [...changes, ...reads]) {
    t.equal((await send(method, path, body, { key: keys.other })).status, 404, `${method} ${path}`);
    t.equal((await send(method, path, body, { key: null })).status, 401, `${method} ${path}`);
  }
  for (const [method, path] of reads) {
    t.equal((await send(method, path, undefined, { key: keys.read })).status, 200, `${method} ${path}`);
  }
  t.equal((await send('GET', '/other/boards/a', undefined, { key: keys.other })).status, 404);
  t.match(await read('a'), usual);
});
