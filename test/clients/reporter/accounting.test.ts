import fc from 'fast-check';
import t, { type Test } from 'tap';
import { propertyOf } from '../../support/property.js';
import type { Reply } from '../../support/receiver.js';
import { type Arrived, accept, startReporting } from '../../support/reporter.js';

/** A step of a test, and how the receiver behaves from then on. */
const answers = ['accept', 'acceptAndCut', 'reject', 'cut', '429', '503', '500', '400', '401'] as const;
const steps = fc.array(
  fc.record({
    answer: fc.constantFrom(...answers),
    events: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 400, max: 11_000 })),
    invalid: fc.integer({ min: 0, max: 3 }),
    seconds: fc.constantFrom(0.1, 2.1, 31, 120, 301),
    flushes: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

/** A receiver that stores each batch once by its id, as Heartline does, and counts its events. */
function makeStore() {
  const acknowledged = new Map<string, Reply>();
  const store = { answer: 'accept' as (typeof answers)[number], counted: 0 };
  function take(sent: Arrived): Reply {
    const id = sent.batch.batchId ?? '';
    const first = acknowledged.get(id);
    if (first !== undefined) return first;
    const rejected = store.answer === 'reject' ? Math.min(sent.batch.events.length, 2) : 0;
    store.counted += sent.batch.events.length - rejected;
    const reply = accept(sent, rejected);
    acknowledged.set(id, reply);
    return reply;
  }
  function reply(sent: Arrived): Reply {
    const { answer } = store;
    if (answer === 'accept' || answer === 'reject') return take(sent);
    if (answer === 'acceptAndCut') take(sent);
    return answer === 'cut' || answer === 'acceptAndCut' ? 'cut' : { status: Number(answer) };
  }
  return { store, reply };
}

async function play(t: Test, script: typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never) {
  const { record, reporter, pass, settle, state } = await startReporting(t);
  const { store, reply } = makeStore();
  state.answer = reply;
  const isBalanced = (): boolean => {
    const { recorded, sent, waiting, uncertain, dropped } = reporter.stats();
    const lost = Object.values(dropped).reduce((sum, count) => sum + count, 0);
    return waiting >= 0 && recorded === sent + waiting + uncertain + lost;
  };
  for (const { answer, events, invalid, seconds, flushes } of script) {
    store.answer = answer;
    record(events);
    record(invalid, { status: 0 });
    if (flushes) void reporter.flush();
    pass(seconds);
    await settle();
    if (!isBalanced()) return 'the sum is wrong in between';
  }
  await reporter.stop();
  const { sent, waiting, uncertain, dropped } = reporter.stats();
  if (!isBalanced() || waiting !== 0) return 'the sum is wrong at the end';
  const isExact =
    uncertain === 0 ? sent === store.counted : sent <= store.counted && store.counted <= sent + uncertain;
  return isExact
    ? 'exact'
    : `sent ${sent}, counted ${store.counted}, uncertain ${uncertain}, ${JSON.stringify(dropped)}`;
}

t.test('whatever happens, recorded is the sum of the rest, and sent is what was counted', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      let outcome = '';
      await t.test('a script', async (t) => {
        outcome = await play(t, script);
        t.equal(outcome, 'exact');
      });
      return outcome === 'exact';
    }),
    propertyOf(t, { few: 12, many: 200 }),
  );
});
