import t from 'tap';
import { deferred } from '../../lib/deferred.js';
import { newId, type PageId } from '../../lib/ids.js';
import { createSettle, type OthersSettled } from '../../service/settle-everywhere.js';
import { stopTime } from '../support/fake-time.js';
import { makeStoppedClock } from '../support/moving-clock.js';

const page = newId<PageId>(Date.now());

function makeSettle({ own, others }: { own?: number; others: () => Promise<OthersSettled> | OthersSettled }) {
  const clock = makeStoppedClock();
  const settle = createSettle({
    settleOwn: async () => own,
    settleOthers: async () => others(),
    clock,
  });
  return { clock, settle, startedAt: clock.now() };
}

t.test('the oldest event that waits in any process counts', async (t) => {
  const whole = (oldest?: number) => () => ({ isWhole: true, ...(oldest !== undefined && { oldest }) });
  t.equal(await makeSettle({ others: whole() }).settle(page), undefined);
  t.equal(await makeSettle({ own: 5, others: whole() }).settle(page), 5);
  t.equal(await makeSettle({ others: whole(7) }).settle(page), 7);
  t.equal(await makeSettle({ own: 5, others: whole(7) }).settle(page), 5);
  t.equal(await makeSettle({ own: 9, others: whole(7) }).settle(page), 7);
});

t.test(
  'without an answer of every process, the time is that of the last read that had them all',
  async (t) => {
    let answer: OthersSettled = { isWhole: false };
    const { clock, settle, startedAt } = makeSettle({ others: () => answer });
    clock.advance(1_000);
    t.equal(await settle(page), startedAt, 'no read had them all');
    answer = { isWhole: true };
    t.equal(await settle(page), undefined);
    clock.advance(60_000);
    answer = { isWhole: false };
    t.equal(await settle(page), startedAt + 1_000);
    answer = { isWhole: false, oldest: startedAt + 500 };
    t.equal(await settle(page), startedAt + 500, 'what a process says may be older');
    answer = { isWhole: false };
    t.equal(await settle(newId<PageId>(Date.now())), startedAt, 'another page is on its own');
  },
);

t.test('a read waits 2.5 s at most for a process that does not answer', async (t) => {
  const pass = stopTime(t);
  const never = deferred<OthersSettled>();
  const { settle, startedAt } = makeSettle({ others: () => never.promise });
  let settled: unknown;
  void Promise.all([settle(page), settle(page)]).then((times) => {
    settled = times;
  });
  await pass(2_400);
  t.equal(settled, undefined);
  await pass(200);
  t.strictSame(settled, [startedAt, startedAt]);
});
