import t from 'tap';
import { createConnection } from '../../control/connections/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { minuteMs } from '../../lib/times.js';
import { testActor } from '../support/actor.js';
import {
  type ObservationFields,
  observationsPath,
  startObservationService,
} from '../support/observations.js';
import { type Answer, startAnother } from '../support/service.js';

const { api, sql, clock, deps, send, make, ofNewSource, aDayLater, readAll, isRefused } =
  await startObservationService(t);

t.test('201: stored before the acknowledgement', async (t) => {
  const observation = make({ blockedSessions: 0, latencyMs: 0.5 });
  const answer = await send(observation);
  t.equal(answer.status, 201);
  const { observationId } = observation;
  t.strictSame(answer.body, { version: 1, accepted: true, duplicate: false, observationId });
  t.equal(answer.headers.get('ratelimit-limit'), '12');
  t.equal(answer.headers.get('ratelimit-remaining'), '11');
  t.match(answer.headers.get('ratelimit-reset'), /^([1-9]|[1-5]\d|60)$/);
  const [row] = await sql`select * from observations where id = ${observationId}`;
  t.match(row, {
    ...{ page_id: api.pageId, source_id: 'orders-db', outcome: 'connected', latency_ms: 0.5 },
    ...{ connections: 17, connection_limit: 100, active_sessions: 4, blocked_sessions: 0 },
    checked_at: new Date(observation.sample.result.checkedAt),
  });
});

t.test('201: a repeat is a duplicate, whatever the order and the form of its fields', async (t) => {
  aDayLater();
  const observation = make({ latencyMs: 12, checkedAt: new Date(clock.now()).toISOString() });
  const { observationId } = observation;
  const duplicate = { version: 1, accepted: true, duplicate: true, observationId };
  t.match((await send(observation)).body, { duplicate: false });
  const before = await readAll();
  const { sample, ...top } = observation;
  const { measurements, result } = sample;
  const turned = {
    sample: { result: reverse(result), measurements: reverse(measurements) },
    ...reverse(top),
  };
  const text = JSON.stringify(observation);
  const repeats = {
    'as it was': observation,
    'in another order': turned,
    'numbers written otherwise': text
      .replace('"latencyMs":12', '"latencyMs":1.20e1')
      .replace('s":17,', 's":17.0,'),
    'a time written otherwise': text.replace(/Z"/, '+00:00"'),
    'an id in capitals': { ...observation, observationId: observationId.toUpperCase() },
    'spaces around a name': { ...observation, sourceId: ' orders-db ' },
    'a field that is not known': { ...observation, hint: 1, sample: { ...sample, more: {} } },
  };
  for (const [what, body] of Object.entries(repeats)) {
    const answer = await send(body);
    t.equal(answer.status, 201, what);
    t.strictSame(answer.body, duplicate, what);
  }
  t.strictSame(await readAll(), before, 'stored once');
});

const reverse = (fields: object) => Object.fromEntries(Object.entries(fields).reverse());

t.test('201: a value that was not measured is null', async (t) => {
  aDayLater();
  const nothing = { connections: null, connectionLimit: null, activeSessions: null, blockedSessions: null };
  const observation = make({ ...nothing, outcome: 'timeout', capabilities: [] });
  t.equal((await send(observation)).status, 201);
  const [row] = await sql`select * from observations where id = ${observation.observationId}`;
  t.match(row, {
    ...{ outcome: 'timeout', connections: null, connection_limit: null },
    ...{ active_sessions: null, blocked_sessions: null },
  });
});

t.test('201: every engine, with a connection of the page', async (t) => {
  aDayLater();
  const pageId = await loadPageId(sql, 'acme');
  for (const engine of ['mongodb', 'postgresql', 'mysql'] as const) {
    const { id } = await createConnection(
      { ...deps, by: testActor },
      { pageId, engine, name: `saved ${engine}` },
    );
    const body = ofNewSource({ engine, connectionId: id.toUpperCase() });
    t.equal((await send(body)).status, 201, engine);
    const [source] = await sql`select * from observation_sources where source_id = ${body.sourceId}`;
    t.match(source, { engine, connection_id: id });
  }
});

t.test('201: the age of a sample, up to its bounds', async (t) => {
  aDayLater();
  for (const seconds of [-29, 0, 15 * 60 - 2]) {
    const checkedAt = new Date(clock.now() - seconds * 1000).toISOString();
    t.equal((await send(make({ checkedAt }))).status, 201, `${seconds} s old`);
  }
});

t.test('201: the same id on another page is another observation', async (t) => {
  aDayLater();
  const observation = make();
  const { observationId } = observation;
  t.equal((await send(observation)).status, 201);
  const foreign = { ...make({ engine: 'mysql', target: 'elsewhere' }), observationId };
  const answer = await send(foreign, { key: api.otherIngestKey });
  t.equal(answer.status, 201);
  t.strictSame(answer.body, { version: 1, accepted: true, duplicate: false, observationId });
  t.match((await send(observation)).body, { duplicate: true }, 'the first is unchanged');
  t.equal((await sql`select 1 from observations where id = ${observationId}`).count, 2);
});

t.test('409: the same id with other data', async (t) => {
  aDayLater();
  const good = make();
  t.equal((await send(good)).status, 201);
  const others: ObservationFields[] = [
    ...[
      { latencyMs: 4 },
      { connections: null },
      { connections: 18 },
      { outcome: 'timeout' },
      { capabilities: [] },
    ],
    ...[
      { capabilities: ['pg_locks', 'pg_stat_activity'] },
      { sourceId: 'another' },
      { engine: 'mysql' as const },
    ],
    { checkedAt: new Date(clock.now() - 1000).toISOString() },
  ];
  for (const fields of others) {
    const { observationId } = good;
    const body = { ...make({ checkedAt: good.sample.result.checkedAt, ...fields }), observationId };
    await isRefused(t, () => send(body), 409, '/observationId was sent before, with other data.');
  }
});

t.test('409: a source that observes something else', async (t) => {
  aDayLater();
  const { id: connectionId } = await createConnection(
    { ...deps, by: testActor },
    {
      pageId: await loadPageId(sql, 'acme'),
      engine: 'postgresql',
      name: 'main',
    },
  );
  t.equal((await send(make())).status, 201);
  const changes: [ObservationFields, string][] = [
    [{ engine: 'mysql' }, '/sample/result/engine'],
    [{ environment: 'staging' }, '/environment'],
    [{ target: 'eu-west/replica' }, '/target'],
    [{ connectionId }, '/connectionId'],
  ];
  for (const [fields, place] of changes) {
    const error = `${place} is another one than before; use a new sourceId.`;
    await isRefused(t, () => send(make(fields)), 409, error);
    t.equal((await send(ofNewSource(fields))).status, 201, 'a new source may');
  }
  t.equal((await send(make(fieldsOfAnother))).status, 201, 'other fields may change');
});

const fieldsOfAnother: ObservationFields = {
  outcome: 'failed',
  latencyMs: 9,
  capabilities: [],
  connections: null,
};

t.test('429: more than 12 requests of a page per minute, over all instances', async (t) => {
  aDayLater();
  const another = await startAnother(t, api, { clock });
  const observation = make();
  const burst = Array.from({ length: 16 }, (_, i) =>
    (i % 2 === 0 ? api : another).post(observationsPath, i < 8 ? observation : make(), {
      key: api.ingestKey,
    }),
  );
  const statuses = (await Promise.all(burst)).map(({ status }) => status).sort();
  t.strictSame(statuses, [...Array(12).fill(201), ...Array(4).fill(429)], 'duplicates count');
  const sentence = 'Too many observations of this page; wait and retry.';
  const answer = await isRefused(t, () => send(make()), 429, sentence);
  const seconds = Number(answer.headers.get('retry-after'));
  t.ok(seconds >= 1 && seconds <= 60, `${seconds} s`);
  t.equal(answer.headers.get('ratelimit-remaining'), '0');
  const counted = () => sql`select * from observation_requests where page_id = ${api.pageId}`;
  const before = [...(await counted())];
  const repeated = await isRefused(t, () => send(make()), 429, sentence);
  t.equal(repeated.headers.get('ratelimit-remaining'), '0');
  t.strictSame([...(await counted())], before, 'a used-up minute is refused from memory, without a write');
  t.equal((await send('{')).status, 400, 'an error in the contract comes first');
  t.equal((await send(make(), { key: api.otherIngestKey })).status, 201, 'another page is not affected');
  clock.advance(seconds * 1000);
  t.equal((await send(make())).status, 201, 'after the time of Retry-After');
});

t.test('429: more than 20 sources of a page, until one is silent for a day', async (t) => {
  aDayLater();
  const first = make();
  const firstAt = clock.now();
  t.equal((await send(first)).status, 201);
  for (let i = 1; i < 20; i += 1) {
    if (i % 10 === 0) clock.advance(minuteMs);
    t.equal((await send(ofNewSource())).status, 201);
  }
  clock.advance(minuteMs);
  const sentence = 'The page has as many sources as it may have; wait and retry.';
  const answer = await isRefused(t, () => send(ofNewSource()), 429, sentence);
  const seconds = Number(answer.headers.get('retry-after'));
  const left = firstAt + 24 * 60 * minuteMs - clock.now();
  t.ok(Math.abs(seconds * 1000 - left) < 5_000, `until the first one is forgotten: ${seconds} s`);
  t.equal((await send(make())).status, 201, 'a known source is not affected');
  t.equal((await send(ofNewSource(), { key: api.otherIngestKey })).status, 201, 'nor is another page');
  clock.advance(24 * 60 * minuteMs - 2 * minuteMs);
  t.equal((await send(ofNewSource())).status, 201, 'the second source has made room');
});

t.test('two instances never create more sources than the limit', async (t) => {
  aDayLater();
  const another = await startAnother(t, api, { clock });
  const sent: Promise<Answer>[] = [];
  for (let i = 0; i < 24; i += 1) {
    if (i % 12 === 0) {
      await Promise.all(sent);
      clock.advance(minuteMs);
    }
    const instance = i % 2 === 0 ? api : another;
    sent.push(instance.post(observationsPath, ofNewSource(), { key: api.ingestKey }));
  }
  const statuses = (await Promise.all(sent)).map(({ status }) => status).sort();
  t.strictSame(statuses, [...Array(20).fill(201), ...Array(4).fill(429)]);
});

t.test('the same observation sent several times at once is stored once', async (t) => {
  aDayLater();
  const observation = make();
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(observation)));
  const fresh = answers.filter(({ body }) => (body as { duplicate: boolean }).duplicate === false);
  t.ok(answers.every(({ status }) => status === 201));
  t.equal(fresh.length, 1);
});
