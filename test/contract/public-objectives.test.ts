import t from 'tap';
import { Compile } from 'typebox/compile';
import { PublicStatus } from '../../contract/public/status.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { insertRequests } from '../analytics/support.js';
import { makeManageKeys, makePage, setPage } from '../support/pages.js';
import { requestAt } from '../support/request-at.js';
import { startTestService, withoutJobs } from '../support/service.js';

const now = Math.floor(Date.now() / dayMs) * dayMs - 12 * hourMs + 20 * minuteMs;
const clock = { now: () => now };
const api = await startTestService(t, { clock, roles: withoutJobs });
const { sql, clickhouse } = api.stores;
const isStatus = Compile(PublicStatus);
const { write, other } = await makeManageKeys({ sql, clock });
const list = '/api/v1/pages/acme/objectives';

const send = (method: string, slug: string, body?: object, key = write) =>
  api.post(`${list}/${slug}`, body, { method, key });
const statusOf = async (slug = 'acme'): Promise<PublicStatus> => {
  const { status, body } = await requestAt(api.url, `${slug}.localhost`, `/api/public/${slug}/status`);
  if (status !== 200 || !isStatus.Check(body)) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};
const viewOf = async () =>
  String((await requestAt(api.url, 'acme.localhost', '/', { headers: { accept: 'text/html' } })).body);
const everything = async () => JSON.stringify(await statusOf()) + (await viewOf());

const service = 'secret-service';
const sli = { requests: { service, endpoint: '/hidden/:id' } };
const usual = { name: 'Checkout works', target: 99.5, window: { days: 28 }, sli };
await insertRequests(clickhouse, api.pageId, [
  { at: now - hourMs, service, endpoint: '/hidden/:id', requests: 996 },
  { at: now - hourMs, service, endpoint: '/hidden/:id', requests: 4, status: 500 },
  { at: now - hourMs, service: 'quiet', endpoint: '/a', requests: 99 },
]);

t.test('200: an objective is on the page only when it is public, and names nothing inside', async (t) => {
  t.equal((await send('PUT', 'checkout', usual)).status, 201);
  t.same((await statusOf()).objectives, []);
  t.notMatch(await everything(), /class="objectives"|Checkout works/);
  t.equal((await send('PATCH', 'checkout', { isPublic: true })).status, 200);
  const [one, ...rest] = (await statusOf()).objectives;
  t.same(rest, []);
  t.match(one, { name: 'Checkout works', target: 99.5, unit: 'requests' });
  const months = one?.months ?? [];
  t.equal(months.length, 12);
  t.equal(months.at(-1)?.month, new Date(now).toISOString().slice(0, 7));
  const running = months.findLast(({ percent }) => percent !== null);
  t.match(running, { percent: 99.6, isMet: true });
  t.match(await viewOf(), /class="objectives".*Checkout works.*Target: 99\.5% of requests.*99\.6%/s);
  t.notMatch(await everything(), /secret-service|hidden\/:id/);
});

t.test('another target is told at once, and a stricter one is missed', async (t) => {
  await send('PATCH', 'checkout', { target: 99.61 });
  const [one] = (await statusOf()).objectives;
  t.match(
    one?.months?.findLast(({ percent }) => percent !== null),
    { percent: 99.6, isMet: false },
  );
  t.match(await viewOf(), 'missed');
});

t.test('few requests have no figure', async (t) => {
  await send('PUT', 'quiet', {
    ...{ ...usual, name: 'Quiet', sli: { requests: { service: 'quiet' } }, isPublic: true },
  });
  const quiet = (await statusOf()).objectives.find(({ name }) => name === 'Quiet');
  t.same(new Set(quiet?.months?.map(({ percent }) => percent)), new Set([null]));
  t.equal((await send('DELETE', 'quiet')).status, 204);
});

t.test('404: another page changes nothing, and shows nothing of this one', async (t) => {
  t.equal((await send('PATCH', 'checkout', { isPublic: false }, other)).status, 404);
  t.equal((await statusOf()).objectives.length, 1);
  await makePage(sql, { slug: 'rival' });
  t.same((await statusOf('rival')).objectives, []);
});

t.test('a hidden or deleted objective leaves nothing', async (t) => {
  await send('PATCH', 'checkout', { isPublic: false });
  t.notMatch(await everything(), /Checkout works|class="objectives"/);
  await send('PATCH', 'checkout', { isPublic: true });
  t.match(await everything(), 'Checkout works');
  t.equal((await send('DELETE', 'checkout')).status, 204);
  t.notMatch(await everything(), /Checkout works|class="objectives"/);
});

t.test('a private page keeps its objectives to itself', async (t) => {
  await send('PUT', 'checkout', { ...usual, isPublic: true });
  await setPage({ sql, clock }, { slug: 'acme', isPrivate: true });
  const answer = await requestAt(api.url, 'acme.localhost', '/api/public/acme/status');
  t.equal(answer.status, 401);
  t.notMatch(JSON.stringify(answer.body), 'Checkout');
});
