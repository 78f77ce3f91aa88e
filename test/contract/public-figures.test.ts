import t from 'tap';
import { Compile } from 'typebox/compile';
import { PublicStatus } from '../../contract/public/status.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { insertRequests } from '../analytics/support.js';
import { makeManageKeys, makePage, setPage } from '../support/pages.js';
import { requestAt } from '../support/request-at.js';
import { startTestService, withoutJobs } from '../support/service.js';

const now = Math.floor(Date.now() / dayMs) * dayMs - 12 * hourMs + 20 * 60_000;
const clock = { now: () => now };
const api = await startTestService(t, { clock, roles: withoutJobs });
const { sql, clickhouse } = api.stores;
const isStatus = Compile(PublicStatus);
const { write, read, other } = await makeManageKeys({ sql, clock });
const acme = '/api/v1/pages/acme';

const figure = {
  ...{ title: 'Checkout', service: 'secret-service', endpoint: '/hidden/:id', window: '24h' },
  shows: ['p95', 'requests', 'successRate'],
};
const change = (figures: unknown, { key = write, ifMatch }: { key?: string; ifMatch?: string } = {}) =>
  api.post(
    acme,
    { figures },
    { method: 'PATCH', key, headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } },
  );
const statusOf = async (slug = 'acme'): Promise<PublicStatus> => {
  const { status, body } = await requestAt(api.url, `${slug}.localhost`, `/api/public/${slug}/status`);
  if (status !== 200 || !isStatus.Check(body)) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};
const viewOf = async () =>
  String((await requestAt(api.url, 'acme.localhost', '/', { headers: { accept: 'text/html' } })).body);

await insertRequests(clickhouse, api.pageId, [
  {
    ...{ at: now - 90 * 60_000, service: 'secret-service', endpoint: '/hidden/:id' },
    latencyMs: Array(1_234).fill(120),
  },
]);

t.test('200: a page publishes figures, and neither service nor endpoint', async (t) => {
  t.same((await statusOf()).figures, []);
  t.notMatch(await viewOf(), 'class="figures"');
  const { status, body } = await change([figure, { ...figure, endpoint: null, title: ' Whole ' }]);
  t.equal(status, 200, JSON.stringify(body));
  t.match(body, { figures: [figure, { ...figure, endpoint: null, title: 'Whole' }] });
  const [one, whole, ...rest] = (await statusOf()).figures ?? [];
  t.match(one, { title: 'Checkout', window: '24h', stepSeconds: 3_600 });
  t.same(one?.requests?.slice(-2), [1_200, null]);
  t.same({ ...one, title: '' }, { ...whole, title: '' });
  t.same(rest, []);
  const html = await viewOf();
  t.match(html, /class="figures".*Checkout.*Requests an hour.*1,200/s);
  t.notMatch(JSON.stringify(await statusOf()) + html, /secret-service|hidden\/:id/);
});

t.test('200: the change is recorded, and the same change again is none', async (t) => {
  const entries = () => sql`
    select before, after from audit_log where action = 'page.update' order by id desc limit 2`;
  const [first] = await entries();
  t.match(first, {
    before: { figures: [] },
    after: { figures: [{ title: 'Checkout' }, { title: 'Whole' }] },
  });
  await change([figure, { ...figure, endpoint: '', title: 'Whole' }]);
  t.equal((await entries()).length, 1);
});

t.test('200: a preview draws figures that are not saved', async (t) => {
  const { status, body } = await api.post(
    `${acme}/preview`,
    { figures: [{ ...figure, title: 'Not saved' }] },
    { key: write },
  );
  t.equal(status, 200);
  t.match(body, { html: /<h3[^>]*>Not saved.*1,200/s });
  t.notMatch(JSON.stringify((await statusOf()).figures), 'Not saved');
});

t.test('400: what no figure can be is refused and named', async (t) => {
  const cases: [figures: unknown, error: RegExp][] = [
    [Array(7).fill(figure), /figures/],
    [[{ ...figure, title: ' ' }], /title/],
    [[{ ...figure, title: 'x'.repeat(61) }], /title of a figure must have 1 to 60/],
    [[{ ...figure, service: '' }], /service/],
    [[{ ...figure, service: '  ' }], /name of a service/],
    [[{ ...figure, endpoint: 'a\u0000b' }], /not the route of an endpoint/],
    [[{ ...figure, shows: [] }], /shows/],
    [[{ ...figure, shows: ['p95', 'p95'] }], /shows/],
    [[{ ...figure, shows: ['errors'] }], /shows/],
    [[{ ...figure, window: '90d' }], /window/],
    [[{ ...figure, sql: 'SELECT 1' }], /sql/],
    [null, /figures/],
  ];
  for (const [figures, error] of cases) {
    const answer = await change(figures);
    t.equal(answer.status, 400, JSON.stringify(figures));
    t.match(answer.body, { error, field: /^\/figures/ });
  }
  t.equal((await statusOf()).figures?.length, 2);
});

t.test('403 and 404: others change nothing', async (t) => {
  t.equal((await change([], { key: read })).status, 403);
  t.equal((await change([], { key: other })).status, 404);
  t.equal((await statusOf()).figures?.length, 2);
});

t.test('412: a page that has changed since', async (t) => {
  t.equal((await change([], { ifMatch: '"older"' })).status, 412);
  t.equal((await statusOf()).figures?.length, 2);
});

t.test('a page has figures of its own requests only', async (t) => {
  await makePage(sql, { slug: 'rival' });
  await setPage(
    { sql, clock },
    { slug: 'rival', figures: [{ ...figure, shows: ['requests'], window: '24h' as const }] },
  );
  const [theirs] = (await statusOf('rival')).figures ?? [];
  t.same(new Set(theirs?.requests), new Set([null]));
});

t.test('a private page keeps its figures to itself', async (t) => {
  await makePage(sql, { slug: 'vault' });
  await setPage(
    { sql, clock },
    { slug: 'vault', isPrivate: true, figures: [{ ...figure, shows: ['p95'], window: '24h' }] },
  );
  const answer = await requestAt(api.url, 'vault.localhost', '/api/public/vault/status');
  t.equal(answer.status, 401);
  t.notMatch(JSON.stringify(answer.body), 'Checkout');
});
