import t from 'tap';
import { finishCheck } from '../../../../control/monitors/probe/decide-state.js';
import { claimChecks, moveSchedule } from '../../../../control/monitors/probe/due-checks.js';
import type { Outcome } from '../../../../control/monitors/probe/outcome.js';
import { noPhases } from '../../../../control/monitors/probe/phase-meter.js';
import { dayMs, hourMs } from '../../../../lib/times.js';
import { insertMonitor } from '../../../support/monitors.js';
import { makeStoppedClock } from '../../../support/moving-clock.js';
import { makePage } from '../../../support/pages.js';
import { openTestPostgres } from '../../../support/stores.js';

const { sql } = await openTestPostgres(t);
const clock = makeStoppedClock();
const page = await makePage(sql);

t.test('the end of a certificate is kept until a check is answered without one', async (t) => {
  const id = await insertMonitor(sql, { pageId: page.id, dueAt: new Date(clock.now()) });
  const endsAt = clock.now() + 30 * dayMs;
  const answered: Outcome = { ...noPhases, ok: true, error: null, detail: null, status: 200, totalMs: 10 };
  const refused: Outcome = { ...answered, ok: false, error: 'refused', status: null, totalMs: null };
  const courses: [Outcome, Date | null][] = [
    [refused, null],
    [{ ...answered, certificateEndsAt: endsAt }, new Date(endsAt)],
    [refused, new Date(endsAt)],
    [
      { ...answered, ok: false, error: 'status', status: 500, certificateEndsAt: endsAt + dayMs },
      new Date(endsAt + dayMs),
    ],
    [{ ...answered, certificateEndsAt: null }, null],
  ];
  for (const [outcome, expected] of courses) {
    clock.advance(hourMs);
    const [check] = await claimChecks({ sql, clock }, { room: 1, fullPages: [] });
    if (check === undefined) throw new Error('The check is due.');
    await moveSchedule({ sql, clock }, [finishCheck(check, clock.now(), outcome)]);
    const [row] = await sql<
      { at: Date | null }[]
    >`select certificate_ends_at as at from monitors where id = ${id}`;
    t.strictSame(row?.at, expected);
  }
});
