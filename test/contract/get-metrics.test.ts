import t from 'tap';
import { checkErrors } from '../../contract/monitors.js';
import { rejectionReasons } from '../../contract/rejections.js';
import { poolReportOutcomes } from '../../database-health/pool-reports/pool-reports.js';
import { jobs } from '../../service/jobs/jobs.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { requestAt } from '../support/request-at.js';
import { startAnother, startTestService, withoutJobs } from '../support/service.js';

const clock = makeMovingClock();
const api = await startTestService(t, { clock, roles: withoutJobs });

async function readMetrics(service = api): Promise<string> {
  return String((await service.get('/metrics')).body);
}

/** The value of a series, NaN without one. */
function sampleOf(text: string, series: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? Number.NaN : Number(line.slice(series.length + 1));
}

t.test('200: the Prometheus text format', async (t) => {
  const answer = await api.get('/metrics');
  t.equal(answer.status, 200);
  t.match(answer.headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
  for (const line of String(answer.body).split('\n')) {
    t.ok(/^(# (HELP|TYPE) \S+ .+|[a-zA-Z_:][\w:]*(\{.*\})? [-+.\deINna]+|)$/.test(line), line);
  }
});

t.test('every reason and outcome, from 0', async (t) => {
  const text = await readMetrics();
  const series = [
    ...rejectionReasons.map((reason) => `heartline_events_rejected_total{reason="${reason}"}`),
    ...poolReportOutcomes.map((outcome) => `heartline_pool_reports_total{outcome="${outcome}"}`),
    ...['ok', ...checkErrors, 'blocked', 'metadata', 'waiting', 'none'].map(
      (outcome) => `heartline_checks_total{outcome="${outcome}"}`,
    ),
  ];
  for (const one of series) t.equal(sampleOf(text, one), 0, one);
});

t.test('names as Prometheus has them', async (t) => {
  const text = await readMetrics();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    t.equal(name.endsWith('_total'), type === 'counter', `${name}, a ${type}`);
  }
  // It gives every series these labels, and renames those of the same name.
  t.notMatch(text, /[{,](job|instance)="/);
});

t.test('events by outcome, blocks, and requests by route template', async (t) => {
  const events = [{ endpoint: '/a', status: 200 }, { endpoint: '/b', status: 200 }, { endpoint: '/a' }, null];
  t.equal((await api.post('/api/v1/events', events)).status, 202);
  const many = Array.from({ length: 203 }, (_, i) => ({ endpoint: `/${i}`, status: 200 }));
  t.equal((await api.post('/api/v1/events', many)).status, 202);
  t.equal((await api.get('/nowhere/secret-path')).status, 404);
  await api.settle();
  const text = await readMetrics();
  for (const line of [
    'heartline_events_accepted_total 202',
    'heartline_events_rejected_total{reason="status_missing"} 1',
    'heartline_events_rejected_total{reason="not_an_object"} 1',
    'heartline_events_rejected_total{reason="endpoint_limit_per_batch"} 3',
    'heartline_block_events_total 202',
    'heartline_block_insert_failures_total 0',
    'heartline_events_waiting 0',
    'heartline_http_request_seconds_count{route="/api/v1/events",method="POST",status="202"} 2',
    'heartline_http_request_seconds_count{route="none",method="GET",status="404"} 1',
  ]) {
    t.ok(text.split('\n').includes(line), line);
  }
});

t.test('backlogs in PostgreSQL, and the last success of each job', async (t) => {
  const { sql } = api.stores;
  for (const store of ['default', api.pageId]) {
    const pageId = store === 'default' ? null : store;
    // Not due yet, so that nothing is delivered during the test.
    await sql`
      insert into delivery_queues (store, page_id, next_attempt_at, removed_batches)
      values (${store}, ${pageId}, now() + interval '1 hour', 7)`;
    await sql`
      insert into delivery_batches (store, token, body, rows, events, created_at, exhausted_at)
      values (${store}, gen_random_uuid(), '\\x00', 1, 1, now() - interval '90 seconds', null),
             (${store}, gen_random_uuid(), '\\x00', 1, 1, now() - interval '1 day', now())`;
    // The instance of the first has ended; the one of the second brings it to its store.
    for (const heldSeconds of [-10, 20]) {
      await sql`
        with held as (
          insert into held_blocks (token, store, held_until)
          values (gen_random_uuid(), ${store}, now() + make_interval(secs => ${heldSeconds})) returning token)
        insert into held_parts (token, part, body, rows, events, created_at)
        select token, 0, '\\x00', 1, 1, now() - interval '40 seconds' from held`;
    }
  }
  await sql`
    insert into pool_blocks (id, created_at) values (gen_random_uuid(), now() - interval '90 seconds')`;
  await sql`
    insert into job_leases (job, holder, expires_at, started_at, finished_at, ended_at)
    values ('prune-names', gen_random_uuid(), now(), now(), now() - interval '1 hour', now())
    on conflict (job) do update set finished_at = excluded.finished_at`;
  clock.advance(5_000);
  const text = await readMetrics();
  const gaugeOf = (series: string) => sampleOf(text, series);
  for (const store of ['default', 'pages', 'pool-reports']) {
    const [waiting, exhausted] = store === 'pool-reports' ? [1, 0] : [2, 1];
    t.equal(gaugeOf(`heartline_delivery_batches_waiting{store="${store}"}`), waiting);
    t.equal(gaugeOf(`heartline_delivery_batches_exhausted{store="${store}"}`), exhausted);
    const age = gaugeOf(`heartline_delivery_oldest_seconds{store="${store}"}`);
    t.ok(age >= 90 && age < 300, `${age} s`);
  }
  t.equal(gaugeOf('heartline_delivery_batches_removed{store="pages"}'), 7);
  for (const kind of ['email', 'webhook', 'channel', 'person', 'translation']) {
    t.equal(gaugeOf(`heartline_outbox_waiting{kind="${kind}"}`), 0);
  }
  for (const reason of ['change', 'repeat']) {
    t.type(gaugeOf(`heartline_copies_waiting{reason="${reason}"}`), 'number');
    t.type(gaugeOf(`heartline_copies_oldest_seconds{reason="${reason}"}`), 'number');
  }
  const age = gaugeOf('heartline_job_last_success_age_seconds{job_name="prune-names"}');
  t.ok(age >= 3_600 && age < 4_000, `${age} s`);
});

t.test('a job that has never succeeded counts from the start of the process', async (t) => {
  clock.advance(600_000);
  const text = await readMetrics();
  for (const { name } of jobs) {
    const age = sampleOf(text, `heartline_job_last_success_age_seconds{job_name="${name}"}`);
    t.ok(age >= 600, `${name}: ${age} s`);
  }
});

t.test(
  'translations wait only where there is a translator, in languages that the page publishes',
  async (t) => {
    const { sql } = api.stores;
    await sql`update pages set languages = '{en,de}' where id = ${api.pageId}`;
    for (const language of ['de', 'fr']) {
      await sql`
      insert into translations (page_id, source_hash, source_language, language, next_attempt_at, created_at)
      select ${api.pageId}, sha256('text'), default_language, ${language}, now() + interval '1 day',
        now() - interval '1 hour'
      from pages where id = ${api.pageId}`;
    }
    clock.advance(5_000);
    const without = await readMetrics();
    t.equal(sampleOf(without, 'heartline_outbox_waiting{kind="translation"}'), 0);
    t.equal(sampleOf(without, 'heartline_outbox_oldest_seconds{kind="translation"}'), 0);
    // Nothing listens there.
    const translating = await startAnother(t, api, {
      ...{ clock, roles: withoutJobs, translateUrl: 'http://127.0.0.1:1/' },
    });
    const text = await readMetrics(translating);
    t.equal(sampleOf(text, 'heartline_outbox_waiting{kind="translation"}'), 1);
    const age = sampleOf(text, 'heartline_outbox_oldest_seconds{kind="translation"}');
    t.ok(age >= 3_600 && age < 5_000, `${age} s`);
  },
);

t.test('they contain no tenant, and no path as a client sent it', async (t) => {
  const text = await readMetrics();
  for (const secret of [api.pageId, 'acme', api.ingestKey, 'secret-path'])
    t.notOk(text.includes(secret), secret);
});

t.test('404: for clients outside the networks of operators, on every host and instance', async (t) => {
  const settings = { clock, trustedProxies: ['127.0.0.1'], metricsFrom: ['203.0.113.9'] };
  const elsewhere = await startAnother(t, api, { ...settings, roles: new Set(['api']) });
  const jobsOnly = await startAnother(t, api, { ...settings, roles: new Set(['jobs']) });
  const visitor = { 'x-forwarded-for': '198.51.100.7' };
  const operator = { 'x-forwarded-for': '203.0.113.9' };
  const wrong: unknown[] = [];
  const hold = async (
    service: typeof api,
    method: string,
    path: string,
    headers: Record<string, string>,
    wanted: number,
  ): Promise<void> => {
    for (const host of ['acme.localhost', '127.0.0.1']) {
      const { status } = await requestAt(service.url, host, path, { method, headers });
      if (status !== wanted) wrong.push([method, path, host, headers, status]);
    }
  };
  for (const path of ['/metrics', '/readyz']) {
    // Behind a proxy that is not trusted, anybody may be the client.
    await hold(api, 'GET', path, {}, 200);
    await hold(api, 'GET', path, visitor, 404);
    for (const service of [elsewhere, jobsOnly]) {
      await hold(service, 'GET', path, operator, 200);
      for (const headers of [{}, visitor]) {
        for (const method of ['GET', 'HEAD', 'POST']) await hold(service, method, path, headers, 404);
        await hold(service, 'GET', '/healthz', headers, 200);
      }
    }
  }
  t.strictSame(wrong, []);

  const html = { accept: 'text/html', host: '127.0.0.1' };
  const start = async (headers: Record<string, string>) =>
    String((await requestAt(elsewhere.url, '127.0.0.1', '/', { headers: { ...html, ...headers } })).body);
  t.match(await start(operator), 'href="/metrics"');
  t.notMatch(
    await start(visitor),
    /href="\/(?:metrics|readyz)"/,
    'the start page links only what can be read',
  );
});
