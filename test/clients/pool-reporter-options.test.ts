import { type PoolSource, startPoolReporter } from '@heartline/pool-reporter';
import t from 'tap';
import { identity, quietPool, startReporting } from '../support/pool-reporter.js';

/** Longer than one interval with its jitter, and too short for two. */
const intervalSeconds = 66;

t.test('onError may stop the reporter', async (t) => {
  const broken: PoolSource = {
    attach: () => ({
      take() {
        throw new Error('broken');
      },
      detach() {},
    }),
  };
  const told: string[] = [];
  const started = await startReporting(t, {
    pools: [broken],
    onError({ message }) {
      told.push(message);
      void started.reporter.stop();
    },
  });
  started.pass(intervalSeconds);
  await started.have(1);
  started.pass(10 * intervalSeconds);
  await started.have(1);
  t.strictSame(told, ['broken']);
});

t.test('a rejection of onError is swallowed', async (t) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note);
  t.teardown(() => {
    process.off('unhandledRejection', note);
    for (const listener of others) process.on('unhandledRejection', listener);
  });
  let told = 0;
  const { state, pass, have } = await startReporting(t, {
    async onError() {
      told += 1;
      throw new Error('of the host');
    },
  });
  state.answer = () => ({ status: 400 });
  pass(intervalSeconds);
  await have(1);
  t.equal(told, 1);
  t.strictSame(unhandled, []);
});

t.test('a session keeps its initial names', async (t) => {
  const { url, arrived, reporter, pass, have } = await startReporting(t);
  await reporter.stop();
  const options = { ...identity, url, key: 'key_ingest_1', pools: [quietPool] };
  startPoolReporter(options);
  options.service = 'another';
  pass(intervalSeconds);
  await have(1);
  t.equal(arrived[0]?.report.service, identity.service);
});

t.test('wrong options go to onError and throw nothing', async (t) => {
  const wrong = [
    { url: 'nowhere' },
    { url: 'ftp://127.0.0.1/' },
    { key: 'a\nb' },
    { everySeconds: Number.NaN },
  ];
  for (const options of wrong) {
    const { reporter, errors, pass } = await startReporting(t, options);
    pass(intervalSeconds);
    await reporter.stop();
    t.equal(errors.length > 0, options.everySeconds === undefined, JSON.stringify(options));
    t.notMatch(errors, [/a\nb/]);
  }
  // JavaScript may pass these for an environment variable that is not set.
  const missing = { url: undefined, pools: undefined } as unknown as Parameters<typeof startPoolReporter>[0];
  await startPoolReporter(missing).stop();
  await startPoolReporter(undefined as unknown as typeof missing).stop();
});

t.test('an error of onError or of a pool is swallowed', async (t) => {
  const fail = () => {
    throw new Error('broken');
  };
  const broken = { attach: () => ({ take: fail, detach: fail }) };
  const told: string[] = [];
  const { arrived, reporter, pass, have } = await startReporting(t, {
    pools: [{ attach: fail }, broken],
    onError(error) {
      told.push(error.message);
      throw error;
    },
  });
  pass(intervalSeconds);
  await have(1);
  t.strictSame(arrived[0]?.report.pools, []);
  await reporter.stop();
  t.strictSame(told, ['broken', 'broken', 'broken']);
});
