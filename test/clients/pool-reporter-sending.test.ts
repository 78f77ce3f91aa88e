import { startPoolReporter } from '@heartline/pool-reporter';
import t from 'tap';
import { parsePoolReport } from '../../database-health/pool-reports/parse-pool-report.js';
import { identity, quietPool, startReporting } from '../support/pool-reporter.js';
import type { Reply } from '../support/receiver.js';

/** Longer than one interval with its jitter, and too short for two. */
const intervalSeconds = 66;

t.test('an interval ends about every minute, and begins at the end of the previous one', async (t) => {
  const { arrived, pass, have } = await startReporting(t);
  pass(53.9);
  await have(0);
  pass(12.1);
  for (let count = 1; count <= 3; count++) {
    await have(count);
    pass(intervalSeconds);
  }
  const reports = arrived.slice(0, 3).map(({ report }) => report);
  t.strictSame(
    reports.map(({ sequence }) => sequence),
    [0, 1, 2],
  );
  t.equal(reports[0]?.from, reports[0]?.startedAt);
  t.equal(reports[1]?.from, reports[0]?.to);
  t.equal(reports[2]?.from, reports[1]?.to);
  for (const report of reports) {
    t.match(report, {
      session: reports[0]?.session,
      startedAt: reports[0]?.startedAt,
      service: 'checkout',
      environment: 'test',
      revision: 'f3c9a51',
      exporter: { dropped: 0, failures: 0 },
    });
    t.ok(parsePoolReport(report, Date.parse(report.to)), 'keeps the rules of the service');
  }
});

t.test('each reporter has its own session', async (t) => {
  const { url, arrived, pass, have } = await startReporting(t);
  startPoolReporter({ ...identity, url: `${url}/`, key: 'key_ingest_1', pools: [quietPool] });
  pass(intervalSeconds);
  await have(2);
  t.not(arrived[0]?.report.session, arrived[1]?.report.session);
});

for (const [what, failure] of Object.entries<Reply>({
  'a 500': { status: 500 },
  'a 503': { status: 503 },
  'a 429 without Retry-After': { status: 429 },
  'a broken connection': 'cut',
})) {
  t.test(`after ${what} the same bytes are sent again, three times at most`, async (t) => {
    const { arrived, state, errors, pass, have } = await startReporting(t);
    state.answer = () => failure;
    pass(intervalSeconds);
    await have(1);
    pass(2.4);
    await have(1);
    pass(5.1);
    await have(2);
    pass(14.9);
    await have(2);
    pass(30.1);
    await have(3);
    t.equal(new Set(arrived.map(({ body }) => body)).size, 1);
    t.equal(errors.length, 3);
    state.answer = () => ({ status: 201 });
    pass(intervalSeconds);
    await have(4);
    t.match(arrived[3]?.report, { sequence: 1, exporter: { dropped: 1, failures: 3 } });
  });
}

t.test('an attempt without an answer fails after three seconds', async (t) => {
  const { arrived, state, errors, pass, have } = await startReporting(t);
  state.answer = () => 'hang';
  pass(intervalSeconds);
  await have(1);
  pass(2.9);
  await have(1);
  t.equal(errors.length, 0);
  pass(0.2);
  await have(1);
  t.match(errors, [/no answer in 3000 ms/]);
  state.answer = () => ({ status: 201 });
  pass(7.5);
  await have(2);
  t.equal(arrived[1]?.body, arrived[0]?.body);
});

for (const status of [400, 401, 403, 404, 409, 413]) {
  t.test(`${status} is final`, async (t) => {
    const { arrived, state, errors, pass, have } = await startReporting(t);
    state.answer = () => ({ status, body: '{"error":"for this reason"}' });
    pass(intervalSeconds);
    await have(1);
    state.answer = () => ({ status: 201 });
    pass(intervalSeconds);
    await have(2);
    t.match(arrived[1]?.report, { sequence: 1, exporter: { dropped: 1, failures: 1 } });
    t.match(errors, [new RegExp(`HTTP ${status} .*for this reason`)]);
  });
}

for (const status of [429, 503]) {
  for (const form of ['seconds', 'date']) {
    t.test(`${status} with Retry-After as ${form} delays the next attempt`, async (t) => {
      const { arrived, state, pass, have } = await startReporting(t);
      const retryAfter = () => (form === 'seconds' ? '50' : new Date(Date.now() + 50_000).toUTCString());
      state.answer = () => ({ status, headers: { 'retry-after': retryAfter() } });
      pass(intervalSeconds);
      await have(1);
      state.answer = () => ({ status: 201 });
      pass(48);
      await have(1);
      pass(3);
      await have(2);
      t.equal(arrived[1]?.body, arrived[0]?.body);
    });
  }
}

t.test(
  'a delay that the service asked for ends, although the clock of the process was set back',
  async (t) => {
    const { arrived, state, errors, pass, have } = await startReporting(t);
    state.answer = () => ({ status: 429, headers: { 'retry-after': '50' } });
    pass(intervalSeconds);
    await have(1);
    state.answer = () => ({ status: 201 });
    const { now } = Date;
    Date.now = () => now() - 600_000;
    t.teardown(() => {
      Date.now = now;
    });
    pass(51);
    await have(2);
    t.equal(arrived[1]?.body, arrived[0]?.body);
    t.equal(errors.length, 1);
  },
);

t.test('four reports wait; a fifth one drops the oldest, which is counted', async (t) => {
  const { arrived, state, pass, have } = await startReporting(t);
  state.answer = () => ({ status: 429, headers: { 'retry-after': '420' } });
  pass(intervalSeconds);
  await have(1);
  for (let i = 0; i < 5; i++) pass(intervalSeconds);
  await have(1);
  state.answer = () => ({ status: 201 });
  pass(91); // 421 s after the answer, and the seventh interval.
  await have(5);
  t.strictSame(
    arrived.map(({ report }) => report.sequence),
    [0, 3, 4, 5, 6],
  );
  t.strictSame(
    arrived.map(({ report }) => report.exporter.dropped),
    [0, 0, 0, 1, 2],
    'of what was known when the interval ended',
  );
});

t.test('an interval during which the process slept is counted as dropped, not reported', async (t) => {
  const { arrived, errors, pass, have } = await startReporting(t);
  pass(3_600);
  await have(0);
  t.equal(errors.length, 1);
  pass(intervalSeconds);
  await have(1);
  const report = arrived[0]?.report;
  t.match(report, { sequence: 1, exporter: { dropped: 1, failures: 0 } });
  t.equal(Date.parse(report?.from ?? '') - Date.parse(report?.startedAt ?? ''), 3_600_000);
});

t.test('when the clock is set back, one interval is lost and a new session starts', async (t) => {
  const { arrived, errors, pass, have } = await startReporting(t);
  pass(intervalSeconds);
  await have(1);
  const { now } = Date;
  Date.now = () => now() - 3_600_000;
  t.teardown(() => {
    Date.now = now;
  });
  pass(intervalSeconds);
  await have(1);
  t.equal(errors.length, 1);
  pass(intervalSeconds);
  await have(2);
  const [before, after] = arrived.map(({ report }) => report);
  t.not(after?.session, before?.session);
  t.match(after, { sequence: 0, from: after?.startedAt, exporter: { dropped: 1, failures: 0 } });
  t.ok(parsePoolReport(after, Date.parse(after?.to ?? '')), 'keeps the rules of the service');
});

t.test('when the clock is set forward, the interval is as long as the clock says, or lost', async (t) => {
  const { arrived, errors, pass, have } = await startReporting(t);
  const { now } = Date;
  t.teardown(() => {
    Date.now = now;
  });
  Date.now = () => now() + 30_000;
  pass(intervalSeconds);
  await have(1);
  Date.now = () => now() + 600_000;
  pass(intervalSeconds);
  await have(1);
  t.match(errors, [/was not reported/]);
  pass(intervalSeconds);
  await have(2);
  const [first, second] = arrived.map(({ report }) => report);
  t.equal(Date.parse(first?.to ?? '') - Date.parse(first?.from ?? ''), 30_000 + intervalSeconds * 1000);
  t.match(second, { session: first?.session, sequence: 2, exporter: { dropped: 1 } });
  t.ok(parsePoolReport(second, Date.parse(second?.to ?? '')), 'keeps the rules of the service');
});

t.test('stop() after the clock was set back reports the last interval as lost', async (t) => {
  const { reporter, errors, pass, have } = await startReporting(t);
  const { now } = Date;
  Date.now = () => now() - 3_600_000;
  t.teardown(() => {
    Date.now = now;
  });
  pass(10);
  await reporter.stop();
  await have(0);
  t.match(errors, [/was not reported/]);
});

t.test('stop() sends the current measurements, once', async (t) => {
  const { reporter, arrived, pass, have } = await startReporting(t);
  pass(10);
  const stopped = reporter.stop();
  t.equal(reporter.stop(), stopped);
  await stopped;
  await have(1);
  t.equal(Date.parse(arrived[0]?.report.to ?? '') - Date.parse(arrived[0]?.report.from ?? ''), 10_000);
  pass(300);
  await have(1);
});

t.test('stop() makes one attempt', async (t) => {
  const { reporter, state, pass, have } = await startReporting(t);
  state.answer = () => ({ status: 503 });
  pass(10);
  await reporter.stop();
  await have(1);
});

t.test('stop() ends after three seconds without an answer', async (t) => {
  const { reporter, state, pass, have } = await startReporting(t);
  state.answer = () => 'hang';
  pass(10);
  let stopped = false;
  const stopping = reporter.stop().then(() => {
    stopped = true;
  });
  await have(1);
  t.notOk(stopped);
  pass(3.1);
  await stopping;
});

t.test('stop() sends a report that waits for its next attempt, and then the last one', async (t) => {
  const { reporter, arrived, state, pass, have } = await startReporting(t);
  state.answer = () => ({ status: 503 });
  pass(intervalSeconds);
  await have(1);
  pass(2);
  state.answer = () => ({ status: 201 });
  await reporter.stop();
  t.strictSame(
    arrived.map(({ report }) => report.sequence),
    [0, 0, 1],
  );
});
