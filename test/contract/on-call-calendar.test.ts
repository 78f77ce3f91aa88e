import t from 'tap';
import { dayMs } from '../../lib/times.js';
import { openManageClient } from '../support/manage-client.js';
import { backend, makeTeam, tuesday, weeks } from '../support/on-call.js';
import { readCalendar } from '../support/read-calendar.js';
import { startTestService, withoutJobs } from '../support/service.js';

let now = tuesday;
const clock = { now: () => now };
const service = await startTestService(t, { roles: withoutJobs, clock });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);
await makeTeam({ sql, clock }, { ada: 'owner', bob: 'responder' });
const feed = '/acme/schedules/backend/feed';
await send('PUT', '/acme/schedules/backend', backend);

async function rotate(): Promise<string> {
  const { status, body } = await send('POST', feed);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return new URL(Object(body).url).pathname;
}
const read = async (path: string) => readCalendar(String((await service.get(path)).body));
const day = (time: string | undefined) => time?.slice(4, 8);

t.test('201: the address appears once, and its hash is kept', async (t) => {
  const made = await send('POST', feed);
  t.match(made, { status: 201, body: { url: /^https?:\/\/[^/]+\/on-call\/cal_[0-9A-Za-z]{43}\.ics$/ } });
  t.equal(made.headers.get('cache-control'), 'no-store');
  t.match((await send('GET', '/acme/schedules/backend')).body, { hasFeed: true });
  const token = /cal_\w+/.exec(Object(made.body).url)?.[0] ?? '';
  const rows = await sql`select action, before, after from audit_log where action = 'schedule.publish'`;
  t.match([...rows], [{ before: { hasFeed: false }, after: { hasFeed: true } }]);
  const kept = await sql`select s::text as text from schedules s union all select a::text from audit_log a`;
  t.notMatch(JSON.stringify(kept), token);
});

t.test('200: the shifts of the last seven and the next sixty days', async (t) => {
  const path = await rotate();
  const answer = await service.get(path);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), 'text/calendar; charset=utf-8');
  t.equal(answer.headers.get('cache-control'), 'no-store');
  t.equal(answer.headers.get('etag'), null);
  const { properties, events } = readCalendar(String(answer.body));
  t.equal(properties['NAME'], 'Backend');
  t.match(events[0], { SUMMARY: 'Ada: Backend', DTSTART: '20261130T080000Z', DTEND: '20261207T080000Z' });
  t.match(events[1], { SUMMARY: 'Bob: Backend', DTSTART: '20261207T080000Z', DTEND: '20261214T080000Z' });
  t.equal(events.at(-1)?.['DTSTART'], '20270125T080000Z', 'the last one within sixty days, and whole');
  t.equal(events.at(-1)?.['DTEND'], '20270201T080000Z');
  const bobs = await read(`${path}?person=Bob@acme.example`);
  t.strictSame(new Set(bobs.events.map(({ SUMMARY }) => SUMMARY)), new Set(['Bob: Backend']));
  t.equal(bobs.events.length, events.length - 5);
  t.strictSame((await read(`${path}?person=zoe@acme.example`)).events, []);
  t.equal((await read(`${path}?utm_source=x`)).events.length, events.length);
});

t.test('an event keeps its id and its times while days pass; an override divides a shift', async (t) => {
  const path = await rotate();
  const before = (await read(path)).events;
  now = tuesday + 10 * dayMs;
  const after = (await read(path)).events;
  const same = (events: typeof before) =>
    events
      .filter(({ DTSTART = '' }) => DTSTART > '20261206' && DTSTART < '20270120')
      .map(({ DTSTAMP: _, ...rest }) => rest);
  t.equal(same(before).length, 7);
  t.strictSame(same(after), same(before));
  t.equal(day(after[0]?.['DTSTART']), '1130', 'it ended within the last seven days');
  now = tuesday + 14 * dayMs;
  t.equal(day((await read(path)).events[0]?.['DTSTART']), '1207');
  now = tuesday;
  await send('POST', '/acme/schedules/backend/overrides', {
    ...{ person: 'bob@acme.example', from: '2026-12-02T08:00:00Z', to: '2026-12-03T08:00:00Z' },
  });
  const divided = (await read(path)).events.slice(0, 3);
  t.strictSame(
    divided.map(({ SUMMARY, DTSTART }) => `${SUMMARY} ${day(DTSTART)}`),
    ['Ada: Backend 1130', 'Bob: Backend 1202', 'Ada: Backend 1203'],
  );
  t.equal(divided[0]?.['UID'], before[0]?.['UID']);
});

t.test('somebody who is always on call has one event that stays', async (t) => {
  const always = { ...weeks, people: ['ada@acme.example'], handoff: '2020-01-01T00:00' };
  await send('PUT', '/acme/schedules/always', { ...backend, layers: [always] });
  const { body } = await send('POST', '/acme/schedules/always/feed');
  const path = new URL(Object(body).url).pathname;
  const first = (await read(path)).events;
  now = tuesday + dayMs;
  const second = (await read(path)).events;
  t.equal(first.length, 1);
  t.equal(second[0]?.['UID'], first[0]?.['UID']);
});

t.test('400: a person that is no email', async (t) => {
  const path = await rotate();
  for (const query of ['person=bob', 'person=a@b.example&person=c@d.example', 'person=']) {
    t.match(
      await service.get(`${path}?${query}`),
      { status: 400, body: { code: 'parameter.invalid' } },
      query,
    );
  }
});

t.test('404: unknown, rotated and removed addresses, and those of a page that is gone', async (t) => {
  const [old, path] = [await rotate(), await rotate()];
  t.equal((await service.get(old)).status, 404);
  t.equal((await service.get(path)).status, 200);
  for (const other of [
    `/on-call/cal_${'0'.repeat(43)}.ics`,
    '/on-call/x.ics',
    '/on-call/%00.ics',
    path.replace('.ics', ''),
  ]) {
    t.equal((await service.get(other)).status, 404, other);
  }
  t.equal((await send('DELETE', feed, undefined, { key: keys.other })).status, 404);
  t.equal((await service.get(path)).status, 200);
  t.equal((await send('DELETE', feed)).status, 204);
  t.equal((await send('DELETE', feed)).status, 404);
  t.equal((await service.get(path)).status, 404);
  t.match((await sql`select after from audit_log where action = 'schedule.unpublish'`)[0], {
    after: { hasFeed: false },
  });
  const last = await rotate();
  await sql`update pages set deleted_at = now() where slug = 'acme'`;
  t.equal((await service.get(last)).status, 404);
  await sql`update pages set deleted_at = null where slug = 'acme'`;
});

t.test('429: a network asks at most 120 times a minute', async (t) => {
  now += 120_000;
  const path = `/on-call/cal_${'1'.repeat(43)}.ics`;
  const statuses: number[] = [];
  for (let at = 0; at < 121; at += 1) statuses.push((await service.get(path)).status);
  t.strictSame(new Set(statuses.slice(0, 120)), new Set([404]));
  const refused = await service.get(path);
  t.match(refused, { status: 429, body: { code: 'rate_limited' } });
  t.match(refused.headers.get('retry-after'), /^\d+$/);
  now += 60_000;
  t.equal((await service.get(path)).status, 404);
});
