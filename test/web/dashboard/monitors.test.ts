import t from 'tap';
import type { SeriesPoint } from '../../../contract/manage/monitor-checks.js';
import { phasesOf } from '../../../web/dashboard/screens/monitors/one/phases.js';
import { summarise } from '../../../web/dashboard/screens/monitors/one/summarise.js';
import { shownState } from '../../../web/dashboard/screens/monitors/state.js';
import { stateTexts } from '../../../web/dashboard/screens/monitors/state-texts.js';

const point = (fields: Partial<SeriesPoint>): SeriesPoint => ({
  ...{ at: '2026-11-23T12:00:00.000Z', uptime: 100, checks: 10, failed: 0 },
  ...{ averageMs: 100, p50Ms: 90, p95Ms: 200, p99Ms: 300 },
  ...fields,
});
const gap = point({ uptime: null, checks: 0, averageMs: null });

t.test('a heartbeat waits until its first call', async (t) => {
  const never = {
    type: 'heartbeat',
    state: null,
    degradedSince: null,
    lastPingAt: null,
    paused: false,
  } as const;
  const called = { ...never, lastPingAt: '2026-11-23T12:00:00.000Z' };
  t.strictSame(
    [
      never,
      called,
      { ...called, state: 'up' as const },
      { ...never, state: 'up' as const },
      { ...never, paused: true },
      { ...never, type: 'http' as const },
    ].map(shownState),
    ['waiting', 'unknown', 'up', 'up', 'paused', 'unknown'],
  );
  t.equal(stateTexts.en.waiting, 'waiting for the first call');
});

t.test('a range: what was not observed does not count', async (t) => {
  t.strictSame(summarise({ points: [gap, point({}), point({}), gap] }), {
    ...{ uptime: 100, checks: 20, failed: 0, averageMs: 100 },
  });
  t.strictSame(summarise({ points: [gap] }), { uptime: null, checks: 0, failed: 0, averageMs: null });
});

t.test('a range: a failure never reads as whole, and steps count by their checks', async (t) => {
  const points = [...Array.from({ length: 999 }, () => point({})), point({ uptime: 99.99, failed: 1 })];
  t.equal(summarise({ points }).uptime, 99.99);
  const uneven = [point({ uptime: 0, checks: 1, averageMs: 1_000 }), point({ checks: 9, averageMs: 100 })];
  t.match(summarise({ points: uneven }), { uptime: 90, averageMs: 190 });
});

t.test('the parts of a check add up to the whole', async (t) => {
  const measured = { dnsMs: 1.5, connectMs: 2, tlsMs: null, firstByteMs: 6, totalMs: 10 };
  t.strictSame(phasesOf(measured), { dnsMs: 1.5, connectMs: 2, tlsMs: 0, firstByteMs: 6, restMs: 0.5 });
  t.strictSame(phasesOf({ ...measured, totalMs: null }), undefined);
  t.equal(phasesOf({ ...measured, totalMs: 9 })?.restMs, 0, 'rounding makes no part negative');
});
