import t from 'tap';
import type { SharedBoard, SharedTileData } from '../../contract/public/shared-boards.js';
import { minuteMs } from '../../lib/times.js';
import { insertRequests } from '../analytics/support.js';
import { openManageClient } from '../support/manage-client.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { startTestService, withoutJobs } from '../support/service.js';

const clock = makeMovingClock();
const service = await startTestService(t, { roles: withoutJobs, clock });
const { sql, clickhouse } = service.stores;
const { send, keys } = await openManageClient(t, service);
const list = '/acme/boards';

const at = (y: number) => ({ x: 0, y, width: 12, height: 2 });
const counting = 'SELECT sum(requests) AS total FROM requests_minute WHERE minute >= {from:DateTime}';
/** Before the tests, where an assertion would end the file. */
const prepare = (method: string, path: string, body: object) =>
  service.post(`/api/v1/pages${path}`, body, { method, key: keys.write });
const made = await prepare('POST', '/acme/queries', { name: 'Count', sql: counting, isShared: true });
const board = {
  ...{ name: 'Checkout', description: 'For the kitchen', range: '1h' },
  variables: { service: { initial: 'shop' } },
  tiles: [
    {
      ...{ id: 'totals', title: 'Totals', ...at(0), display: 'number', value: 'requests' },
      source: { figure: { path: 'totals', parameters: { service: '{service}' } } },
    },
    { id: 'count', title: 'Count', ...at(2), display: 'table', source: { query: Object(made.body).id } },
    {
      id: 'rows',
      title: 'Rows',
      ...at(4),
      display: 'table',
      source: { sql: `${counting} AND status = 500` },
    },
    { id: 'note', title: 'Note', ...at(6), display: 'text', source: { text: '**Read me**' } },
    { id: 'wrong', title: 'Wrong', ...at(8), display: 'table', source: { sql: 'SELECT secret FROM keys' } },
    {
      id: 'pools',
      title: 'Pools',
      ...at(10),
      display: 'table',
      source: { figure: { path: 'database-health' } },
    },
    {
      id: 'senders',
      title: 'Senders',
      ...at(12),
      display: 'table',
      source: { figure: { path: 'reporters' } },
    },
  ],
};

type Body = SharedBoard & SharedTileData & { error?: string };
const get = async (path: string) => {
  const answer = await service.get(path);
  return { ...answer, body: answer.body as Body };
};

async function share(fields: object = {}): Promise<{ id: string; path: string }> {
  const { body } = await send('POST', `${list}/checkout/shares`, { name: 'Kitchen', ...fields });
  const { id, token } = Object(body);
  return { id, path: `/api/v1/shared-boards/${token}` };
}

const sent = clock.now() - 5 * minuteMs;
await insertRequests(clickhouse, service.pageId, [
  { service: 'shop', at: sent, requests: 90, status: 200 },
  { service: 'shop', at: sent, requests: 10, status: 500 },
  { service: 'search', at: sent, requests: 7, status: 200 },
]);
await prepare('PUT', `${list}/checkout`, board);

t.test('200: the board, without what its tiles ask', async (t) => {
  const { path } = await share();
  const { status, body, headers } = await get(path);
  t.equal(status, 200);
  t.equal(headers.get('cache-control'), 'private, no-store');
  t.match(body, {
    ...{ name: 'Checkout', description: 'For the kitchen', range: '1h', expiresAt: null },
    variables: [{ name: 'service', initial: 'shop' }],
    readAt: new Date(clock.now()).toISOString().slice(0, 10),
  });
  t.strictSame(
    body.tiles.map(({ id }) => id),
    board.tiles.map(({ id }) => id),
  );
  t.notMatch(JSON.stringify(body), /SELECT|source|query|Read me|acme/);
});

t.test('200: a tile of each kind says when it was read', async (t) => {
  const { path } = await share();
  const tile = async (id: string, query = '') => {
    const answer = await get(`${path}/tiles/${id}${query}`);
    t.equal(answer.status, 200, `${id} ${JSON.stringify(answer.body)}`);
    t.equal(answer.headers.get('cache-control'), 'private, no-store', id);
    t.match(answer.body, { id, readAt: /^\d{4}-.*Z$/ });
    return answer.body;
  };
  t.match(await tile('totals'), {
    kind: 'figure',
    path: 'totals',
    data: { now: { requests: 100, errors: 10 } },
  });
  t.match(await tile('totals', '?service=search'), { data: { now: { requests: 7 } } });
  t.match(await tile('totals', '?service='), { data: { now: { requests: 107 } } }, 'an empty choice is none');
  t.match(await tile('totals', '?from=now-1h&to=now-30m'), { data: { now: { requests: 0 } } });
  const count = await tile('count');
  t.match(count, { kind: 'sql', path: null, data: { rows: 1, meta: [{ name: 'total' }] } });
  t.equal(Number(Object(count.data).data[0].total), 107);
  t.equal(Number(Object((await tile('rows')).data).data[0].total), 10);
  t.match(await tile('note'), { kind: 'text', data: '**Read me**' });
  t.match(await tile('senders'), { kind: 'figure', path: 'reporters' }, 'a read without a range');
});

t.test('400, 403 and 404 of a tile', async (t) => {
  const { path } = await share();
  const status = async (rest: string) => (await get(`${path}/tiles/${rest}`)).status;
  t.equal(await status('totals?endpoint=/pay'), 400, 'a variable that the board does not have');
  t.equal(await status('totals?page=other'), 400);
  t.equal(await status('totals?from=yesterday'), 400);
  t.equal(await status(`totals?service=${'x'.repeat(301)}`), 400);
  const { status: refused, body } = await get(`${path}/tiles/wrong`);
  t.equal(refused, 400);
  t.match(body.error, /^The statement of this tile was refused\./);
  t.notMatch(JSON.stringify(body), 'secret', 'it quotes nothing of the statement');
  t.equal(await status('pools'), 404, 'database health is off');
  t.equal(await status('none'), 404);
  await sql`update accounts set internal_analytics = false`;
  t.equal(await status('totals'), 403);
  t.equal(await status('count'), 403);
  await sql`update accounts set internal_analytics = true`;
});

t.test('404: a wrong, an expired and a deleted link say the same', async (t) => {
  const expired = await share({ expiresAt: new Date(clock.now() + minuteMs).toISOString() });
  t.match((await get(expired.path)).body, { expiresAt: /Z$/ });
  const deleted = await share();
  await send('DELETE', `${list}/checkout/shares/${deleted.id}`);
  clock.advance(2 * minuteMs);
  const paths = [
    expired.path,
    deleted.path,
    `/api/v1/shared-boards/brd_${'0'.repeat(43)}`,
    '/api/v1/shared-boards/%00',
  ];
  const answers = await Promise.all(paths.flatMap((path) => [get(path), get(`${path}/tiles/totals`)]));
  t.strictSame(
    new Set(answers.map(({ status, body }) => `${status} ${body.error}`)),
    new Set(['404 Not found']),
  );
});

t.test('a link shows nothing of another page, and goes with its board and its page', async (t) => {
  const other = { ...board, tiles: board.tiles.slice(0, 1) };
  t.equal((await send('PUT', '/other/boards/checkout', other, { key: keys.other })).status, 201);
  const theirs = await send('POST', '/other/boards/checkout/shares', { name: 'x' }, { key: keys.other });
  const path = `/api/v1/shared-boards/${Object(theirs.body).token}`;
  t.match((await get(`${path}/tiles/totals`)).body, { data: { now: { requests: 0 } } });
  await sql`update pages set deleted_at = now() where slug = 'other'`;
  t.equal((await get(path)).status, 404);
  const own = await share();
  t.equal((await send('DELETE', `${list}/checkout`)).status, 204);
  t.equal((await get(own.path)).status, 404);
});

t.test('429: a link is asked 600 times a minute, and another one is not held up', async (t) => {
  clock.advance(2 * minuteMs);
  await send('PUT', `${list}/checkout`, board);
  const [busy, other] = [await share(), await share()];
  const statuses: number[] = [];
  for (let asked = 0; asked < 601; asked += 1) statuses.push((await get(busy.path)).status);
  t.strictSame(new Set(statuses.slice(0, 600)), new Set([200]));
  t.equal(statuses.at(-1), 429);
  t.equal((await get(other.path)).status, 200);
});
