import type { ReporterOptions } from '@heartline/reporter';
import t from 'tap';
import { accept, event, identity, startReporting } from '../../support/reporter.js';

t.test('what is recorded is sent after two seconds, in one batch with an id', async (t) => {
  const { record, pass, have, arrived, reporter } = await startReporting(t);
  record();
  pass(1);
  record(1, { status: 503, message: 'no stock', ms: 0.12349 });
  pass(0.9);
  await have(0);
  pass(0.2);
  await have(1);
  t.match(arrived[0], {
    path: '/api/v2/events',
    headers: { authorization: 'Bearer key_ingest_1', 'content-type': 'application/json' },
  });
  t.strictSame(arrived[0]?.batch, {
    batchId: arrived[0]?.batch.batchId,
    reporter: identity,
    events: [
      { endpoint: '/carts/:id', method: 'GET', status: 200, ms: 12.5, at: '2026-01-31T12:00:00.000Z' },
      {
        ...{ endpoint: '/carts/:id', method: 'GET', status: 503, ms: 0.123 },
        ...{ at: '2026-01-31T12:00:01.000Z', message: 'no stock' },
      },
    ],
  });
  t.match(arrived[0]?.batch.batchId, /^[0-9a-f-]{36}$/);
  t.match(reporter.stats(), { recorded: 2, sent: 2, waiting: 0 });
  pass(60);
  await have(1);
});

t.test('a service reports with v1', async (t) => {
  const alone = { service: 'shop', reporter: undefined } as unknown as Partial<ReporterOptions>;
  const { record, pass, have, arrived } = await startReporting(t, alone);
  record();
  pass(2.1);
  await have(1);
  t.match(arrived[0], { path: '/api/v1/events', batch: { events: [{ service: 'shop' }] } });
  t.notOk('reporter' in (arrived[0]?.batch ?? {}));
});

t.test('the version and its environment are sent with every batch', async (t) => {
  const release = { version: '2.4.1', environment: 'production' };
  for (const way of [
    { service: 'shop', reporter: undefined },
    { service: 'shop', reporter: identity },
  ]) {
    const options = { ...way, ...release } as unknown as Partial<ReporterOptions>;
    const { record, pass, have, arrived } = await startReporting(t, options);
    record();
    pass(2.1);
    await have(1);
    const { reporter, ...batch } = arrived[0]?.batch ?? {};
    t.match(reporter ?? batch, release);
  }
});

const named = { ...identity, expectedEverySeconds: 60 };
for (const [place, options] of [
  ['in the reporter', { reporter: { ...named, service: 'shop' } }],
  ['beside it', { reporter: named, service: 'shop' }],
] as const) {
  t.test(`a reporter names its service with each call: ${place}`, async (t) => {
    const { record, pass, have, arrived, reporter } = await startReporting(t, options);
    pass(0.1);
    await have(1);
    record();
    pass(2.1);
    await have(2);
    await reporter.stop();
    const identified = { ...named, service: 'shop' };
    t.strictSame(
      arrived.map(({ path, batch }) => [path, batch.events.length, batch.reporter]),
      [
        ['/api/v2/events', 0, identified],
        ['/api/v2/events', 1, identified],
        ['/api/v2/events', 0, { ...identified, stopping: true }],
      ],
    );
    t.notOk('service' in (arrived[1]?.batch.events[0] ?? {}), 'the events do not repeat it');
  });
}

t.test('a batch has 500 events at most, and leaves as soon as it is full', async (t) => {
  const { record, pass, have, arrived, reporter } = await startReporting(t);
  record(499);
  pass(0.1);
  await have(0);
  record(702);
  pass(0.1);
  await have(2);
  t.strictSame(
    arrived.map(({ batch }) => batch.events.length),
    [500, 500],
  );
  t.equal(reporter.stats().waiting, 201, 'the rest waits its two seconds');
  pass(2.1);
  await have(3);
  t.equal(new Set(arrived.map(({ batch }) => batch.batchId)).size, 3);
});

t.test('a batch has 256 KiB at most', async (t) => {
  const { record, pass, have, arrived } = await startReporting(t);
  record(499, { status: 500, message: '\u{1f600}\u0001'.repeat(70) });
  for (
    let batches = 1;
    arrived.reduce((sum, { batch }) => sum + batch.events.length, 0) < 499;
    batches += 1
  ) {
    pass(2.1);
    await have(batches);
  }
  t.ok(arrived.length > 1);
  for (const { body } of arrived) t.ok(Buffer.byteLength(body) <= 256 * 1024, `${body.length}`);
});

t.test('one request is in flight at a time', async (t) => {
  const { record, pass, have, state } = await startReporting(t);
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  state.answer = (sent) => answered.then(() => accept(sent));
  record(1200);
  pass(0.1);
  await have(1);
  pass(5);
  record(600);
  pass(4);
  await have(1);
  answer();
  await have(3);
});

t.test('large bodies are compressed', async (t) => {
  const { record, pass, have, arrived } = await startReporting(t);
  record(1);
  pass(2.1);
  await have(1);
  record(100);
  pass(2.1);
  await have(2);
  t.strictSame(
    arrived.map(({ headers }) => headers['content-encoding']),
    [undefined, 'gzip'],
  );
});

t.test('a reporter that promises to call does so at half of the time, and at once', async (t) => {
  const reporter = { ...identity, region: 'eu', team: 'a', expectedEverySeconds: 30 };
  const { record, pass, have, arrived } = await startReporting(t, { reporter });
  pass(0.1);
  await have(1);
  t.strictSame(arrived[0]?.batch, { reporter, events: [] }, 'a heartbeat has no id');
  pass(14.8);
  await have(1);
  pass(0.2);
  await have(2);
  pass(10);
  record();
  pass(2.1);
  await have(3);
  t.equal(arrived[2]?.batch.events.length, 1);
  pass(12.8);
  await have(3);
  pass(2.3);
  await have(4);
  t.equal(arrived[3]?.batch.events.length, 0);
});

t.test('an event without a method is a GET', async (t) => {
  const { reporter, pass, have, arrived } = await startReporting(t);
  const { method: _, ...rest } = event;
  for (const fields of [rest, { ...rest, method: undefined }]) reporter.record(fields);
  pass(2.1);
  await have(1);
  t.match(arrived[0]?.batch.events, [{ method: 'GET' }, { method: 'GET' }]);
});

t.test('why an event is dropped is told once, whatever is accepted in between', async (t) => {
  const { record, reporter, pass, have, errors } = await startReporting(t);
  for (const round of [1, 2, 3]) {
    for (const fields of [{ method: 'no method' }, { status: 0 }, { endpoint: '' }, { at: Number.NaN }])
      for (let i = 0; i < 10; i += 1) reporter.record({ ...event, ...fields });
    record(1);
    pass(2.1);
    await have(round);
  }
  const fields = errors.map((error) => /^An event is dropped, .*: (\w+) must be/.exec(error)?.[1]);
  t.strictSame(fields, ['method', 'status', 'endpoint', 'at']);
  t.match(reporter.stats(), { recorded: 123, sent: 3, dropped: { invalid: 120 } });
});

t.test('what is no event is counted as invalid', async (t) => {
  const { record, reporter, pass, have, arrived } = await startReporting(t);
  const wrong = [
    ...[99, 600, 200.5, Number.NaN, '200', null, undefined].map((status) => ({ status })),
    ...['', ' ', '?q', undefined, null, 7, 'a\nb'].map((endpoint) => ({ endpoint })),
    ...['', 'GE T', 7, 'x'.repeat(30)].map((method) => ({ method })),
    ...[-1, Number.NaN, 1e300, 'now', null].map((at) => ({ at })),
  ];
  for (const fields of wrong) reporter.record({ ...event, ...(fields as object) });
  for (const value of [null, undefined, 7, 'event']) reporter.record(value as unknown as typeof event);
  const throwing = {
    get endpoint(): string {
      throw new Error('a getter');
    },
  };
  reporter.record(throwing as typeof event);
  const count = wrong.length + 5;
  t.match(reporter.stats(), { recorded: count, dropped: { invalid: count }, waiting: 0 });
  for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY, '5', undefined])
    record(1, { ms } as Partial<typeof event>);
  pass(2.1);
  await have(1);
  t.strictSame(
    arrived[0]?.batch.events.map((sent) => 'ms' in sent),
    [false, false, false, false, false],
    'a response time that is none is left out',
  );
});

t.test(
  'an address loses its query; 200 different endpoints are sent, and `other` for the rest',
  async (t) => {
    const { record, pass, have, arrived } = await startReporting(t);
    record(1, { endpoint: '/a?secret=1' });
    record(1, { endpoint: '/a#secret' });
    record(1, { endpoint: `/${'x'.repeat(200)}` });
    for (let i = 0; i < 300; i += 1) record(1, { endpoint: `/route-${i}` });
    record(1, { endpoint: 'unmatched' });
    pass(2.1);
    await have(1);
    const endpoints = arrived[0]?.batch.events.map(({ endpoint }) => endpoint) ?? [];
    t.strictSame(endpoints.slice(0, 3), ['/a', '/a', 'other']);
    t.ok(new Set(endpoints).size <= 200, `${new Set(endpoints).size}`);
    t.equal(endpoints.at(-1), 'unmatched');
    t.equal(endpoints.at(-2), 'other');
  },
);

t.test('messages are cut after 200 characters', async (t) => {
  const { record, pass, have, arrived } = await startReporting(t);
  record(1, { status: 500, message: 'x'.repeat(300) });
  record(1, { status: 500, message: '' });
  pass(2.1);
  await have(1);
  t.equal(arrived[0]?.batch.events[0]?.message?.length, 200);
  t.notOk('message' in (arrived[0]?.batch.events[1] ?? {}));
});
