import t from 'tap';
import { countNames, fillNames } from '../support/fill-names.js';
import { rejectionsOf } from '../support/rejections.js';
import { countRequests, readRequests } from '../support/rollups.js';
import { startAnother, startTestService, type TestService } from '../support/service.js';

const first = await startTestService(t);
const { sql, clickhouse } = first.stores;
await fillNames(sql, first.pageId, { endpoints: 24_950, services: 995, reporters: 995 });
const second = await startAnother(t, first);
const settle = () => Promise.all([first.settle(), second.settle()]);

const postV1 = (api: TestService, events: object[]) => api.post('/api/v1/events', events);
const postV2 = (api: TestService, reporterId: string, events: object[]) =>
  api.post('/api/v2/events', { reporter: { reporterId, englishName: reporterId }, events });

type Body = { accepted: number; rejected: number; warning?: string };
const event = (endpoint: string, service?: string) => ({ endpoint, service, status: 200 });

t.test('25,000 endpoints over two instances at once', async (t) => {
  const endpoints = (prefix: string) => Array.from({ length: 40 }, (_, i) => event(`/${prefix}/${i}`));
  const answers = await Promise.all([postV1(first, endpoints('one')), postV1(second, endpoints('two'))]);
  const bodies = answers.map(({ body }) => body as Body);
  t.strictSame(
    answers.map(({ status }) => status),
    [202, 202],
  );
  t.equal(
    bodies.reduce((sum, { accepted }) => sum + accepted, 0),
    50,
  );
  t.equal(
    bodies.reduce((sum, { rejected }) => sum + rejected, 0),
    30,
  );
  const [warned] = bodies.filter(({ rejected }) => rejected > 0);
  t.match(
    warned?.warning,
    /^\d+ events dropped: more than 25,000 distinct endpoints on this status page \((\/(one|two)\/\d+, ){3}…\)\.$/,
  );
  t.match(await countNames(sql, first.pageId), { endpoints: 25_000, kept_endpoints: 25_000 });
  await settle();
  t.equal(await countRequests(clickhouse, first.pageId), 50);
  const refused = await postV1(first, [event('/known/7'), event('/new')]);
  t.match(refused, { body: { accepted: 1, rejected: 1 } });
  t.match(rejectionsOf(refused), [{ reason: 'endpoint_limit', count: 1, firstIndex: 1, message: /"\/new"/ }]);
});

t.test('2,000 services and reporters over two instances at once', async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => [
      postV1(first, [event('/known/1', `service of first ${i}`)]),
      postV1(second, [event('/known/1', `service of second ${i}`)]),
      postV2(first, `reporter of first ${i}`, [event('/known/1')]),
      postV2(second, `reporter of second ${i}`, [event('/known/1')]),
    ]).flat(),
  );
  const bodies = answers.map(({ body }) => body as Body);
  t.equal(bodies.filter(({ accepted }) => accepted === 1).length, 10);
  t.equal(bodies.filter(({ rejected }) => rejected === 1).length, 22);
  t.match(await countNames(sql, first.pageId), { sources: 2_000, kept_sources: 2_000 });
  await settle();
  const stored = (await readRequests(clickhouse)).filter(({ service }) => service.includes(' of '));
  t.equal(stored.length, 10);
});

t.test('a refused reporter gets a warning, and leaves no trace', async (t) => {
  const answer = await postV2(first, 'late', [event('/known/1'), event('/known/2'), { status: 0 }]);
  t.equal(answer.status, 202);
  t.match(answer.body, {
    accepted: 0,
    rejected: 3,
    rows: 0,
    statements: 0,
    heartbeat: false,
    reporterId: 'late',
  });
  t.equal(
    (answer.body as Body).warning,
    '2 events dropped: more than 2,000 services and reporters on this status page (late).',
  );
  t.match(rejectionsOf(answer), [
    {
      reason: 'reporter_limit',
      count: 2,
      firstIndex: 0,
      message: /more than 2,000 services and reporters on this status page with the reporter "late"\. Send/,
    },
    { reason: 'status_invalid', count: 1, firstIndex: 2 },
  ]);
  const beat = await postV2(first, 'late', []);
  t.strictSame(rejectionsOf(beat), []);
  t.match(beat.body, { accepted: 0, rejected: 0, heartbeat: false });
  t.match((beat.body as Body).warning, /more than 2,000 services and reporters on this status page \(late\)/);
  await settle();
  t.equal((await readRequests(clickhouse)).filter(({ service }) => service === 'late').length, 0);
});

t.test('a known reporter that names one service too many counts for itself, and is told', async (t) => {
  const reporter = { reporterId: 'reporter-1', englishName: 'known', service: 'one too many' };
  const answer = await first.post('/api/v2/events', {
    reporter,
    events: [event('/known/3'), event('/known/4')],
  });
  t.match(answer.body, {
    ...{ accepted: 2, rejected: 0, heartbeat: true },
    warning:
      /^The service of the reporter is not read, because the page has 2,000 other .*count for the reporter\.$/,
  });
  const known = await first.post('/api/v2/events', {
    reporter: { ...reporter, reporterId: 'reporter-2', service: 'service-1' },
    events: [event('/known/5')],
  });
  t.match(known.body, { accepted: 1, rejected: 0, warning: undefined });
  await settle();
  const rows = (await readRequests(clickhouse)).filter(({ endpoint }) => /^.known.[345]$/.test(endpoint));
  t.match(
    rows.map(({ kind, service, requests }) => [kind, service, requests]),
    [
      ['reporter', 'reporter-1', 1],
      ['reporter', 'reporter-1', 1],
      ['service', 'service-1', 1],
    ],
  );
  t.match(await countNames(sql, first.pageId), { sources: 2_000, kept_sources: 2_000 });
});

t.test('after a restart the limits apply, and known names are never refused', async (t) => {
  const restarted = await startAnother(t, first);
  t.match(await postV1(restarted, [event('/known/1', 'latest')]), { body: { accepted: 0, rejected: 1 } });
  t.match(await postV2(restarted, 'latest', []), { body: { heartbeat: false } });
  t.match(await postV2(restarted, 'reporter-995', []), { body: { heartbeat: true } });
  t.match(await postV1(restarted, [event('/known/1', 'service-995'), event('/known/1')]), {
    body: { accepted: 2, rejected: 0 },
  });
  t.match(await postV1(restarted, [event('/newest'), event('/known/24950')]), {
    body: { accepted: 1, rejected: 1 },
  });
  t.match(await countNames(sql, first.pageId), { endpoints: 25_000, sources: 2_000 });
});

t.test('a full page does not affect another page', async (t) => {
  const answer = await first.post('/api/v1/events', [event('/new', 'new')], { key: first.otherIngestKey });
  t.match(answer, { status: 202, body: { accepted: 1, rejected: 0 } });
});
