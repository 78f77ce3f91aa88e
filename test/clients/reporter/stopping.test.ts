import { createReporter, type ReporterOptions } from '@heartline/reporter';
import t from 'tap';
import { accept, event, identity, startReporting } from '../../support/reporter.js';
import { waitUntil } from '../../support/wait-until.js';

t.test('a flush sends at once, and resolves when what was recorded before is accepted', async (t) => {
  const { record, have, pass, reporter } = await startReporting(t);
  record(700);
  const flushed = reporter.flush();
  pass(0.1);
  await flushed;
  await have(2);
  t.match(reporter.stats(), { sent: 700, waiting: 0 });
  await reporter.flush();
  await have(2);
});

t.test(
  'a flush resolves when an attempt fails, and tries a batch that waits for its next attempt',
  async (t) => {
    const { record, have, pass, state, reporter } = await startReporting(t);
    state.answer = () => ({ status: 503, headers: { 'retry-after': '60' } });
    record();
    const flushed = reporter.flush();
    pass(0.1);
    await flushed;
    await have(1);
    t.match(reporter.stats(), { sent: 0, waiting: 1 });
    state.answer = (sent) => accept(sent);
    await reporter.flush();
    await have(2);
    t.match(reporter.stats(), { sent: 1, waiting: 0 });
  },
);

t.test('a flush ends although more is recorded meanwhile', async (t) => {
  const { record, pass, state, arrived, reporter } = await startReporting(t);
  state.answer = (sent) => {
    record(600);
    return arrived.length > 20 ? { status: 400 } : accept(sent);
  };
  record(600);
  const flushed = reporter.flush();
  pass(0.1);
  await flushed;
  t.ok(arrived.length < 10, `${arrived.length} batches`);
});

t.test('a stop sends all that waits, says goodbye, and counts what comes afterwards', async (t) => {
  const { record, have, arrived, reporter } = await startReporting(t);
  record(1100);
  const stopped = reporter.stop();
  record(2);
  await stopped;
  await have(4);
  t.match(reporter.stats(), { recorded: 1102, sent: 1100, waiting: 0, dropped: { stopped: 2 } });
  t.strictSame(arrived.at(-1)?.batch, { reporter: { ...identity, stopping: true }, events: [] });
  t.notOk(arrived.slice(0, -1).some(({ body }) => body.includes('stopping')));
  t.equal(reporter.stop(), stopped, 'a second stop is the first one');
  await reporter.flush();
});

t.test('a stop makes one more attempt for a batch that waits for its next one', async (t) => {
  const { record, have, pass, state, reporter } = await startReporting(t);
  state.answer = () => ({ status: 401 });
  record(3);
  pass(2.1);
  await have(1);
  state.answer = (sent) => accept(sent);
  await reporter.stop();
  await have(3);
  t.match(reporter.stats(), { sent: 3, waiting: 0 });
});

t.test('a stop ends in three seconds, and says what may be stored', async (t) => {
  const { record, have, pass, state, reporter } = await startReporting(t);
  state.answer = () => 'hang';
  record(700);
  const stopped = reporter.stop();
  await have(1);
  pass(2.9);
  await stopped;
  t.match(reporter.stats(), {
    recorded: 700,
    sent: 0,
    waiting: 0,
    uncertain: 500,
    dropped: { stopped: 200 },
  });
});

t.test('a stop while nothing listens ends at once', async (t) => {
  const { record, reporter } = await startReporting(t, { url: 'http://127.0.0.1:1' });
  record(1200);
  await reporter.stop();
  t.match(reporter.stats(), { waiting: 0, uncertain: 0, dropped: { stopped: 1200 } });
});

const wrong: Record<string, unknown> = {
  'no url': { key: 'k', service: 's' },
  'a url of no use': { url: 'heartline', key: 'k', service: 's' },
  'a url of another kind': { url: 'ftp://heartline', key: 'k', service: 's' },
  'no key': { url: 'http://127.0.0.1:1', service: 's' },
  'a key with a line break': { url: 'http://127.0.0.1:1', key: 'secret\n', service: 's' },
  'neither reporter nor service': { url: 'http://127.0.0.1:1', key: 'k' },
  'a reporter without an id': { url: 'http://127.0.0.1:1', key: 'k', reporter: { englishName: 'Shop' } },
  'a service that is no text': { url: 'http://127.0.0.1:1', key: 'k', service: 7 },
};
for (const [what, options] of Object.entries(wrong)) {
  t.test(`wrong options are told, and nothing throws: ${what}`, async (t) => {
    const errors: string[] = [];
    const onError = ({ message }: Error): void => void errors.push(message);
    const reporter = createReporter({ ...(options as ReporterOptions), onError });
    reporter.record(event);
    await reporter.flush();
    await reporter.stop();
    await waitUntil('it is told', () => errors.length === 1);
    t.match(errors, [/^Nothing is reported, because an option is wrong: /]);
    t.notMatch(errors[0], /secret/);
    t.match(reporter.stats(), { recorded: 1, dropped: { stopped: 1 } });
  });
}

t.test('without options nothing throws either, and the host is warned', async (t) => {
  const warned: unknown[][] = [];
  const { warn } = console;
  t.teardown(() => {
    console.warn = warn;
  });
  console.warn = (...parts: unknown[]) => void warned.push(parts);
  const reporter = createReporter(undefined as unknown as ReporterOptions);
  reporter.record(event);
  await waitUntil('it is told', () => warned.length === 1);
  t.match(warned, [[/^@heartline\/reporter: Nothing is reported/]]);
});

t.test('a reporter without a promise is silent while nothing is recorded', async (t) => {
  const { pass, have } = await startReporting(t, { reporter: identity });
  pass(600);
  await have(0);
});
