import t from 'tap';
import { nextPiece, type TableProgress } from '../../../control/figure-exports/next-piece.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';

const from = Date.UTC(2027, 0, 31, 5);
const at = (exportedUntil: number, finalUntil: number): TableProgress => ({
  ...{ table: 'requests_minute', exportedUntil, finalUntil },
});
const next = (progress: TableProgress, now: number, oldestWaiting?: number) =>
  nextPiece(progress, { now, oldestWaiting });

t.test('an hour is due ten minutes after its end, and again a day after it', async (t) => {
  const begun = at(from, from);
  t.equal(next(begun, from + hourMs + 10 * minuteMs - 1), undefined);
  const first = next(begun, from + hourMs + 10 * minuteMs);
  t.same(first, { from, after: at(from + hourMs, from) });
  const put = at(from + hourMs, from);
  t.same(next(put, from + 25 * hourMs)?.from, from, 'the older one comes first');
  t.same(next(put, from + 25 * hourMs)?.after, at(from + hourMs, from + hourMs));
});

t.test('an hour that is put a day after its end or later is put once', async (t) => {
  t.same(next(at(from, from), from + 25 * hourMs), { from, after: at(from + hourMs, from + hourMs) });
});

t.test('hours that the table does not keep whole are left out', async (t) => {
  const now = from + 14 * dayMs + 1;
  t.equal(next(at(from, from), now)?.from, from + hourMs);
  t.equal(next(at(from, from), now - 1)?.from, from);
  const long = from - 400 * dayMs;
  t.equal(next(at(long, long), now)?.from, from + hourMs, 'however far back it begins');
  t.equal(next({ ...at(long, long), table: 'checks' }, from)?.from, long);
});

t.test('what waits holds back the hours that end before it, each for six hours', async (t) => {
  const due = from + hourMs + 10 * minuteMs;
  t.equal(next(at(from, from), due, due - 1), undefined);
  t.equal(next(at(from, from), due, due)?.from, from, 'what has arrived later is none of the hour');
  t.equal(next(at(from, from), due + 6 * hourMs - 1, due - 1), undefined);
  t.equal(next(at(from, from), due + 6 * hourMs, due - 1)?.from, from);
  const again = at(from + 30 * hourMs, from);
  t.equal(next(again, from + 25 * hourMs, from)?.from, undefined);
  t.equal(next(again, from + 31 * hourMs, from)?.from, from);
});
