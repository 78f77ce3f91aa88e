import t from 'tap';
import type { RequestsAnswer } from '../../contract/analytics/requests.js';
import { systemClock } from '../../lib/clock.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import { endpointsKept, equalKept } from '../support/kept.js';
import { makeKey } from '../support/pages.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
const path = '/api/v1/analytics/requests';
const { key: otherKey } = await makeKey(
  { sql: api.stores.sql, clock: systemClock },
  { slug: 'other', scope: 'read' },
);
const event = { service: ' Shop', endpoint: '/Cart/:id/?page=2', method: 'post', status: 200 };
const at = new Date(Date.now() - 2 * hourMs).toISOString();
await api.post('/api/v1/events', [event, { ...event, status: 503 }, { ...event, at }]);
await api.post('/api/v2/events', {
  reporter: { reporterId: 'Shop', englishName: 'Shop' },
  events: [event],
});

const ask = (query: Record<string, string> | string, key: string | null = api.readKey) =>
  api.get(`${path}?${new URLSearchParams(query)}`, key === null ? {} : { authorization: `Bearer ${key}` });

async function read(query: Record<string, string>, key = api.readKey): Promise<RequestsAnswer> {
  const answer = await ask(query, key);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body as RequestsAnswer; // A 200 has this form; the tests check its content.
}

const countOf = ({ series }: RequestsAnswer): number =>
  series.flatMap(({ points }) => points).reduce((sum, { count }) => sum + (count ?? 0), 0);

t.test('200: the last hour by the minute, without parameters', async (t) => {
  const answer = await read({});
  t.match(answer, { step: 60, groupBy: null, series: [{ group: null }], truncated: false });
  const length = Date.parse(answer.to) - Date.parse(answer.from);
  t.ok(length >= hourMs && length <= hourMs + minuteMs, `${length} ms`);
  t.equal(countOf(answer), 3);
  t.equal(countOf(await read({}, otherKey)), 0, 'another page sees nothing of it');
});

t.test('200: dates, and times relative to now', async (t) => {
  t.equal(countOf(await read({ from: 'now-6h' })), 4);
  t.equal(countOf(await read({ from: 'now-6h', to: 'now-90m' })), 1);
  const today = new Date().toISOString().slice(0, 10);
  const day = await read({ from: today, to: today });
  t.match(day, { from: `${today}T00:00:00.000Z`, step: 900 });
  t.equal(Date.parse(day.to) - Date.parse(day.from), 24 * hourMs);
});

t.test('200: steps from before what is kept are null, and the answer says why', async (t) => {
  const answer = await read({ from: 'now-102d', step: '86400', endpoint: event.endpoint });
  equalKept(t, answer, { now: Date.now(), ...endpointsKept });
  const points = answer.series[0]?.points ?? [];
  const kept = points.filter(({ at }) => at >= `${answer.keptFrom}`);
  const gone = points.filter(({ at }) => at < `${answer.keptFrom}`);
  t.ok(gone.length > 0, 'the step that holds the end is not kept whole');
  t.same(new Set(gone.flatMap(({ at: _, ...figures }) => Object.values(figures))), new Set([null]));
  t.ok(kept.every(({ count }) => count !== null));
  t.equal(countOf({ ...answer, series: [{ group: null, points: kept }] }), 4);
  t.equal(answer.unfinishedFrom, `${answer.to.slice(0, 10)}T00:00:00.000Z`);
});

t.test(
  '200: without a step, a long range has steps that are kept, and its ends are whole ones',
  async (t) => {
    const steps: [Record<string, string>, number][] = [
      [{ from: 'now-30d' }, 21_600],
      [{ from: 'now-30d', endpoint: event.endpoint }, 86_400],
      [{ from: 'now-90d' }, 86_400],
      [{ from: 'now-400d', service: 'shop' }, 86_400],
      [{ from: 'now-20d', to: 'now-19d' }, 3_600],
      [{ from: 'now-500d', to: 'now-499d' }, 86_400],
      [{ from: 'now-2000d' }, 2 * 86_400],
    ];
    for (const [query, step] of steps) {
      const answer = await read(query);
      const said = JSON.stringify(query);
      t.equal(answer.step, step, said);
      t.same([answer.keptFrom, answer.notKept], [null, null], said);
      t.ok(
        answer.series.every(({ points }) => points.every(({ count }) => count !== null)),
        said,
      );
      t.equal(
        Date.parse(answer.from) % (Math.min(step, 86_400) === 86_400 && query['to'] ? 24 * hourMs : hourMs),
        0,
        said,
      );
    }
  },
);

t.test(
  '200: steps that are shorter than what is kept are null, and the answer says which are not',
  async (t) => {
    const minutes = await read({ from: 'now-20d', to: 'now-19d', step: '900' });
    t.ok(minutes.series[0]?.points.every(({ count }) => count === null));
    t.equal(
      minutes.notKept,
      `By the minute, figures are kept for 14 days. Those before ${minutes.keptFrom} are null. Steps of whole hours (step=3600) reach back further.`,
    );
    const hours = await read({ from: 'now-402d', to: 'now-401d', step: '3600' });
    t.ok(hours.series[0]?.points.every(({ count }) => count === null));
    t.match(hours.notKept, /^By the hour, figures are kept for 400 days\..*step=86400/);
    const services = await read({ from: 'now-402d', service: 'shop' });
    t.match(services.notKept, /^Figures of services are kept for 400 days\./);
  },
);

t.test('200: the last 14 days are all kept, grouped as well', async (t) => {
  const answer = await read({ from: 'now-14d', groupBy: 'service' });
  t.match(answer, { keptFrom: null, notKept: null });
  t.ok(answer.series.every(({ points }) => points.every(({ count }) => count !== null)));
});

t.test('200: names in filters are normalised as at ingest', async (t) => {
  for (const filter of [
    { endpoint: event.endpoint },
    { endpoint: '/Cart/:id' },
    { method: event.method },
    { service: event.service },
  ] as Record<string, string>[]) {
    t.equal(countOf(await read(filter)), 3, JSON.stringify(filter));
  }
  t.equal(countOf(await read({ service: 'shop' })), 2, 'a reporter has its id as it was sent');
  t.equal(countOf(await read({ service: 'SHOP' })), 2);
  t.equal(countOf(await read({ endpoint: '/cart/:id' })), 0, 'a path keeps its case');
});

t.test('400: names the allowed forms', async (t) => {
  t.match(await ask({ from: 'yesterday' }), {
    status: 400,
    body: {
      error: /^Parameter "from" must be .*2026-01-31T23:00:00Z .*now-7d; it was the text "yesterday"\.$/,
    },
  });
  t.match(await ask({ from: 'now', to: 'now-1h' }), {
    status: 400,
    body: { error: /"from" must be before "to"/ },
  });
  t.match(await ask({ service: '' }), { status: 400, body: { error: /^Parameter "service" must be/ } });
  t.match(await ask({ form: 'now-6h' }), { status: 400, body: { error: /"form"/ } });
  t.match(await ask('from=now&from=now'), { status: 400 });
});

t.test('401 and 403 without a read key', async (t) => {
  t.match(await ask({}, null), {
    status: 401,
    body: { error: 'Invalid or revoked API key.', code: 'key.invalid' },
  });
  t.match(await ask({}, api.incidentKey), { status: 403 });
});
