import t from 'tap';
import type { Reply } from '../../support/receiver.js';
import { accept, startReporting } from '../../support/reporter.js';

for (const [what, failure] of Object.entries<Reply>({
  'a 500': { status: 500 },
  'a 502 of a proxy': { status: 502, body: '<html>' },
  'a 503': { status: 503 },
  'a 429': { status: 429 },
  'a 408': { status: 408 },
  'a lost answer': 'cut',
})) {
  t.test(`after ${what} the same bytes are sent again until they are accepted`, async (t) => {
    const { record, pass, have, arrived, state, errors, reporter } = await startReporting(t);
    state.answer = () => failure;
    record(3);
    pass(2.1);
    await have(1);
    record(600);
    pass(0.4);
    await have(1);
    for (let attempts = 2; attempts <= 4; attempts += 1) {
      pass(45.1);
      await have(attempts);
    }
    t.equal(new Set(arrived.map(({ body }) => body)).size, 1);
    t.equal(errors.length, 1, 'one notice for one problem');
    t.match(errors[0], /^A batch was not accepted: .*Events wait, and are sent again\.$/);
    t.notMatch(errors[0], /key_ingest/);
    state.answer = (sent) => accept(sent);
    pass(45.1);
    await have(6);
    t.match(reporter.stats(), { recorded: 603, sent: 503, waiting: 100, uncertain: 0 });
  });
}

t.test('an attempt without an answer fails after ten seconds', async (t) => {
  const { record, pass, have, state, errors, reporter } = await startReporting(t);
  state.answer = () => 'hang';
  record();
  pass(2.1);
  await have(1);
  pass(9.8);
  t.strictSame(errors, []);
  state.answer = (sent) => accept(sent);
  pass(0.3);
  await have(1);
  t.match(errors, [/no answer in 10000 ms/]);
  pass(2);
  await have(2);
  t.match(reporter.stats(), { sent: 1, waiting: 0 });
});

t.test(
  'a batch is given up when its events are nine minutes old, and says whether it may be stored',
  async (t) => {
    const cases: readonly (readonly [Reply, object])[] = [
      ['cut', { uncertain: 2, dropped: { tooOld: 0 } }],
      [{ status: 503 }, { uncertain: 2, dropped: { tooOld: 0 } }],
      [{ status: 429 }, { uncertain: 0, dropped: { tooOld: 2 } }],
    ];
    for (const [answer, outcome] of cases) {
      await t.test(JSON.stringify(answer), async (t) => {
        const { record, pass, have, settle, arrived, state, reporter } = await startReporting(t);
        state.answer = () => answer;
        record(2);
        pass(2.1);
        await have(1);
        for (let i = 0; i < 14; i += 1) {
          pass(45);
          await settle();
        }
        t.match(reporter.stats(), { recorded: 2, sent: 0, waiting: 0, ...outcome });
        const last = arrived.at(-1)?.at ?? 0;
        t.ok(last - (arrived[0]?.at ?? 0) <= 9 * 60_000);
      });
    }
  },
);

t.test('events that waited for nine minutes are not sent', async (t) => {
  const { record, pass, have, settle, state, arrived, reporter } = await startReporting(t);
  state.answer = () => ({ status: 429, headers: { 'retry-after': '100000' } });
  record(1);
  pass(2.1);
  await have(1);
  record(5);
  pass(299);
  await have(1);
  pass(3);
  await have(2);
  state.answer = (sent) => accept(sent);
  pass(250);
  record(7);
  pass(60);
  await settle();
  pass(2.1);
  await have(3);
  t.equal(arrived[2]?.batch.events.length, 7);
  t.match(reporter.stats(), { recorded: 13, sent: 7, waiting: 0, dropped: { tooOld: 6 } });
});

for (const form of ['seconds', 'date']) {
  t.test(`Retry-After as ${form} delays the next attempt`, async (t) => {
    const { record, pass, have, state } = await startReporting(t);
    const retryAfter = () => (form === 'seconds' ? '50' : new Date(Date.now() + 50_000).toUTCString());
    state.answer = () => ({ status: 503, headers: { 'retry-after': retryAfter() } });
    record();
    pass(2.1);
    await have(1);
    state.answer = (sent) => accept(sent);
    pass(48);
    await have(1);
    pass(3);
    await have(2);
  });
}

for (const status of [301, 400, 404, 413, 415, 422]) {
  t.test(`${status} is final for the batch`, async (t) => {
    const { record, pass, have, state, errors, reporter } = await startReporting(t);
    state.answer = () => ({ status, body: '{"error":"for this reason"}' });
    record(3);
    pass(2.1);
    await have(1);
    t.match(errors, [new RegExp(`HTTP ${status} .*for this reason.*The batch is dropped`)]);
    state.answer = (sent) => accept(sent);
    record();
    pass(2.1);
    await have(2);
    t.match(reporter.stats(), { sent: 1, dropped: { refused: 3 }, uncertain: 0 });
  });
}

t.test('a 200 that is no acknowledgement is a problem of the address', async (t) => {
  const { record, pass, have, state, errors, reporter } = await startReporting(t);
  state.answer = () => ({ status: 200, body: '<html>Welcome</html>' });
  record(3);
  pass(2.1);
  await have(1);
  t.match(errors, [/is the address that of Heartline/]);
  t.match(reporter.stats(), { sent: 0, uncertain: 3 });
});

for (const status of [401, 403]) {
  t.test(
    `after a ${status} the reporter pauses for five minutes, says so once, and keeps the newest`,
    async (t) => {
      const { record, pass, have, state, errors, reporter } = await startReporting(t);
      state.answer = () => ({ status, body: '{"error":"Invalid or revoked ingest key."}' });
      record(10);
      pass(2.1);
      await have(1);
      record(10_100);
      pass(298);
      await have(1);
      t.match(errors, [new RegExp(`HTTP ${status} .*the next attempt is in 5 minutes`)]);
      t.match(reporter.stats(), { waiting: 10_010, dropped: { overflow: 100 } });
      state.answer = (sent) => accept(sent);
      pass(3);
      await have(22);
      t.equal(errors.length, 1);
      t.match(reporter.stats(), { recorded: 10_110, sent: 10_010, waiting: 0, dropped: { overflow: 100 } });
    },
  );
}

t.test('events that Heartline rejects are counted as refused, with a notice', async (t) => {
  const { record, pass, have, state, errors, reporter } = await startReporting(t);
  state.answer = (sent) => accept(sent, 2);
  record(3);
  pass(2.1);
  await have(1);
  t.match(errors, [/rejected 2 events/]);
  t.match(reporter.stats(), { sent: 1, dropped: { refused: 2 } });
});

t.test('the notice has the reason of Heartline', async (t) => {
  const { record, pass, have, state, errors } = await startReporting(t);
  const message = '"endpoint" must be a text.';
  const rejections = [{ reason: 'endpoint_invalid', count: 1, firstIndex: 0, message }];
  const acknowledgement = { accepted: 1, rejected: 1, rows: 1, statements: 1, rejections };
  state.answer = () => ({ status: 202, body: JSON.stringify(acknowledgement) });
  for (const round of [1, 2]) {
    record(2);
    pass(2.1);
    await have(round);
  }
  t.strictSame(errors, [`Heartline rejected 1 events of a batch: ${message}`], 'once');
});

t.test('a problem that comes back is told again', async (t) => {
  const { record, pass, have, state, errors } = await startReporting(t);
  for (let round = 0; round < 3; round += 1) {
    state.answer = () => ({ status: 400 });
    for (let i = 0; i < 2; i += 1) {
      record();
      pass(2.1);
      await have(3 * round + i + 1);
    }
    state.answer = (sent) => accept(sent);
    record();
    pass(2.1);
    await have(3 * round + 3);
    t.equal(errors.length, round + 1);
  }
});

t.test('what onError throws does not reach the host', async (t) => {
  const { record, pass, have, state } = await startReporting(t, {
    onError: () => {
      throw new Error('of the host');
    },
  });
  state.answer = () => ({ status: 400 });
  record();
  pass(2.1);
  await have(1);
});
