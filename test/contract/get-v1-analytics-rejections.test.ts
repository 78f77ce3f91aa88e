import t from 'tap';
import type { RejectionsAnswer } from '../../contract/rejections.js';
import { systemClock } from '../../lib/clock.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { jobs } from '../../service/jobs/jobs.js';
import { equalKept } from '../support/kept.js';
import { makeStoppedClock } from '../support/moving-clock.js';
import { makeKey, setPage } from '../support/pages.js';
import { type Answer, startAnother, startTestService, withoutJobs } from '../support/service.js';
import { silentLog } from '../support/silent-log.js';
import { waitUntil } from '../support/wait-until.js';

const path = '/api/v1/analytics/rejections';
const clock = makeStoppedClock();
const api = await startTestService(t, { clock, roles: withoutJobs });
const { sql, clickhouse } = api.stores;
const otherReadKey = (await makeKey({ sql, clock: systemClock }, { slug: 'other', scope: 'read' })).key;

const begin = clock.now();
/** A range of all minutes of this test. */
const whole = () =>
  `from=${new Date(begin - minuteMs).toISOString()}&to=${new Date(clock.now() + minuteMs).toISOString()}`;

const ask = (query: string, key: string | null = api.readKey): Promise<Answer> =>
  api.get(`${path}?${query}`, key === null ? {} : { authorization: `Bearer ${key}` });

async function read(key = api.readKey, query = `${whole()}&step=60`): Promise<RejectionsAnswer> {
  const answer = await ask(query, key);
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as RejectionsAnswer;
}

const minuteOf = (time: number) => new Date(time - (time % minuteMs)).toISOString();
const good = { service: 'Shop', endpoint: '/a', status: 200 };

t.test('200: nothing was rejected', async (t) => {
  await api.post('/api/v1/events', [good]);
  const answer = await ask(`${whole()}&step=60`);
  t.match(answer, {
    status: 200,
    body: { step: 60, keptFrom: null, notKept: null, rejected: 0, reasons: [] },
  });
  const { unfinishedFrom } = answer.body as RejectionsAnswer;
  t.equal(unfinishedFrom, minuteOf(clock.now()));
  t.equal(answer.headers.get('cache-control'), 'private, no-cache');
});

t.test('200: rejected events by reason and minute, with the newest of each', async (t) => {
  const first = clock.now();
  await api.post('/api/v1/events', [good, { ...good, status: 1 }, { ...good, status: 2 }, { status: 200 }]);
  await api.post('/api/v1/events', [{ ...good, status: '200' }]);
  clock.advance(2 * minuteMs);
  const second = clock.now();
  const reporter = { reporterId: 'shop-7f9c', englishName: 'Shop' };
  await api.post('/api/v2/events', { reporter, events: [{ endpoint: '/a', status: 'x' }] });
  const answer = await read();
  t.strictSame(answer.reasons, [
    {
      reason: 'status_invalid',
      count: 4,
      newest: {
        at: new Date(second).toISOString(),
        service: 'shop-7f9c',
        message: '"status" must be a whole number from 100 to 599, without quotes; it was the text "x".',
      },
      points: [
        { at: minuteOf(first), count: 3 },
        { at: minuteOf(second), count: 1 },
      ],
    },
    {
      reason: 'endpoint_missing',
      count: 1,
      newest: {
        at: new Date(first).toISOString(),
        service: 'Unassigned',
        message:
          '"endpoint" is missing. Send the route template, such as "/cart/:id"; "path" and "route" are read, too.',
      },
      points: [{ at: minuteOf(first), count: 1 }],
    },
  ]);
  t.equal(answer.rejected, 5);
  const [last] = (
    await read(api.readKey, `from=${minuteOf(second)}&to=${minuteOf(second + minuteMs)}&step=60`)
  ).reasons;
  t.match(last, { reason: 'status_invalid', count: 1 });
  const hours = await read(api.readKey, `${whole()}&step=3600`);
  t.equal(
    hours.reasons[0]?.points.reduce((sum, { count }) => sum + count, 0),
    4,
  );
});

t.test('200: counts of a range from before what is kept are null, and the answer says why', async (t) => {
  const from = new Date(clock.now() - 15 * dayMs).toISOString();
  const answer = await read(api.readKey, `from=${from}&step=86400`);
  equalKept(t, answer, { now: clock.now() });
  t.equal(answer.rejected, null);
  const [first] = answer.reasons;
  t.match(first, { reason: 'status_invalid', count: null, newest: { service: 'shop-7f9c' } });
  t.equal(
    first?.points.reduce((sum, { count }) => sum + count, 0),
    4,
  );
});

t.test('another page sees nothing of them', async (t) => {
  t.match(await read(otherReadKey), { rejected: 0, reasons: [] });
  await api.post('/api/v1/events', [null, null], { key: api.otherIngestKey });
  const theirs = await read(otherReadKey);
  t.strictSame(
    theirs.reasons.map(({ reason, count }) => [reason, count]),
    [['not_an_object', 2]],
  );
  t.notOk((await read()).reasons.some(({ reason }) => reason === 'not_an_object'));
});

t.test('another instance writes what it counted when it stops', async (t) => {
  const second = await startAnother(t, api, { clock, roles: withoutJobs });
  await second.post('/api/v1/events', [null], { key: api.ingestKey });
  await api.post('/api/v1/events', [null], { key: api.ingestKey });
  await second.service.close();
  const { reasons } = await read();
  t.match(
    reasons.find(({ reason }) => reason === 'not_an_object'),
    { count: 2 },
  );
});

t.test('counts of 14 days are deleted, and later ones stay', async (t) => {
  clock.advance(14 * dayMs + minuteMs - (clock.now() - begin));
  await api.post('/api/v1/events', [{ ...good, status: 1 }]);
  await read(api.readKey, `${whole()}&step=86400`);
  const job = jobs.find(({ name }) => name === 'prune-rejections');
  await job?.run({ sql, clickhouse, clickhouseOf: () => clickhouse, clock, log: silentLog });
  const minutes = await sql<{ minute: Date }[]>`select minute from rejected_events order by minute`;
  t.ok(minutes.length > 0);
  t.ok(minutes.every(({ minute }) => minute.getTime() >= clock.now() - 14 * dayMs));
  const messages = await sql<
    { reason: string }[]
  >`select distinct reason from rejection_messages order by reason`;
  t.ok(messages.some(({ reason }) => reason === 'status_invalid'));
});

t.test('400: the parameters', async (t) => {
  for (const query of ['from=x', 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z&step=60', 'limit=1']) {
    const answer = await ask(query);
    t.equal(answer.status, 400, query);
    t.match(answer.body, { error: /^(Parameter|There is no parameter) "/ });
  }
  t.match(await ask(`${whole()}&step=61`), { status: 400, body: { error: /multiple of 60/ } });
});

t.test('401: no key; 403: a key of another scope, or an account without analytics', async (t) => {
  t.match(await ask(whole(), null), {
    status: 401,
    body: { error: 'Invalid or revoked API key.', code: 'key.invalid' },
  });
  for (const key of [api.ingestKey, api.incidentKey]) {
    t.match(await ask(whole(), key), { status: 403, body: { error: /needs the scope read/ } });
  }
  await setPage(
    { sql, clock: systemClock },
    { slug: 'other', capabilities: { 'internal-analytics': false } },
  );
  const status = async () => (await ask(`${whole()}&step=60`, otherReadKey)).status;
  await waitUntil('the capability is gone', async () => (await status()) === 403, 5_000);
});

t.test('405: another method', async (t) => {
  const answer = await api.post(path, {}, { key: api.readKey });
  t.match(answer, { status: 405, body: { hint: 'This address takes GET.' } });
});
