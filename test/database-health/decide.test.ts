import t from 'tap';
import { beginSession, decide } from '../../database-health/pool-reports/decide.js';
import { parsePoolReport } from '../../database-health/pool-reports/parse-pool-report.js';
import { toIncoming } from '../../database-health/pool-reports/stored-reports.js';
import { newId, type PageId } from '../../lib/ids.js';
import { secondMs } from '../../lib/times.js';
import { makeReport } from '../support/pool-reports.js';

const now = Date.parse('2026-06-01T12:00:00.000Z');
const first = makeReport(now);
const intervalMs = Date.parse(first.to) - Date.parse(first.from);

/** A report of the same session whose interval ends this much later than the first one. */
function laterBy(ms: number, sequence: number) {
  const [from, to] = [first.from, first.to].map((time) => new Date(Date.parse(time) + ms).toISOString());
  const body = { ...first, sequence, from: from ?? '', to: to ?? '' };
  return toIncoming(newId<PageId>(now), parsePoolReport(body, now + ms), now + ms);
}

t.test('intervals that adjoin are held, and one that overlaps by a millisecond is refused', async (t) => {
  const opening = laterBy(0, first.sequence);
  const session = beginSession(opening.report, now);
  const sent = [
    opening,
    laterBy(intervalMs, first.sequence + 1),
    laterBy(3 * intervalMs, first.sequence + 3),
    laterBy(2 * intervalMs, first.sequence + 2),
  ];
  for (const report of sent)
    t.strictSame(decide(session, report, now), { is: 'held', duplicate: false }, `${report.report.sequence}`);
  const overlapping = laterBy(4 * intervalMs - 1, first.sequence + 4);
  t.match(decide(session, overlapping, now + secondMs), {
    is: 'refused',
    error: { kind: 'conflict', message: /overlap the interval of sequence/ },
  });
});
