import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import t from 'tap';
import type { IncidentId } from '../../lib/ids.js';
import { secondMs } from '../../lib/times.js';
import { referenceHistograms, referencePoints, sumByDay } from '../support/reference-points.js';
import { type Check, type Excluded, type Owner, openUptime } from '../support/uptime.js';

const uptime = await openUptime(t);
const { sql } = uptime;
const hourSeconds = 3_600;
/** All steps of a sample happen within these hours; each sample has its own day. */
const rangeSeconds = 6 * hourSeconds;

/** Times in seconds from the start of the sample. */
type Span = { from: number; length: number | null };
type Step =
  | { kind: 'checks'; checks: (Omit<Check, 'at'> & { after: number })[] }
  | { kind: 'pause'; span: Span; wholePage: boolean }
  | { kind: 'maintenance'; span: Span }
  | { kind: 'end' | 'remove'; which: number; length: number }
  | { kind: 'time'; seconds: number };

const intervalSeconds = fc.constantFrom(10, 60, 300, 3_600);
const check = fc.record({
  after: fc.nat(rangeSeconds),
  intervalSeconds,
  up: fc.boolean(),
  ok: fc.boolean(),
  degraded: fc.boolean(),
  ms: fc.option(fc.integer({ min: 0, max: 60_000 })),
});
/** Consecutive checks, as a monitor makes them, and checks at any time. */
const checks = fc.oneof(
  fc.array(check, { minLength: 1, maxLength: 8 }),
  fc
    .tuple(check, fc.integer({ min: 2, max: 40 }), fc.integer({ min: 10, max: 200 }))
    .map(([first, count, apart]) =>
      Array.from({ length: count }, (_, i) => ({
        ...first,
        after: first.after + i * apart,
        up: first.up !== i % 7 > 4,
      })),
    ),
);
const span = fc.record({ from: fc.nat(rangeSeconds), length: fc.option(fc.integer({ min: 1, max: 9_000 })) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('checks' as const), checks }) },
  fc.record({ kind: fc.constant('pause' as const), span, wholePage: fc.boolean() }),
  fc.record({ kind: fc.constant('maintenance' as const), span }),
  fc.record({
    kind: fc.constantFrom('end' as const, 'remove' as const),
    which: fc.nat(9),
    length: fc.integer({ min: 1, max: 9_000 }),
  }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.nat(7_000) }) },
);

type Exclusion = Excluded &
  ({ pauseId: bigint; monitors: Monitor[] } | { incidentId: IncidentId; monitors: Monitor[] });
type Monitor = { owner: Owner; checks: Check[] };

/** The steps so far for the monitors of a page. */
type Sample = { begin: number; now: number; monitors: [Monitor, ...Monitor[]]; exclusions: Exclusion[] };

/** The monitor of steps that affect one monitor. */
async function take(sample: Sample, monitor: Monitor, step: Step): Promise<void> {
  const at = (seconds: number): number => sample.begin + seconds * secondMs;
  if (step.kind === 'time') sample.now += step.seconds * secondMs;
  if (step.kind === 'checks') {
    // Two checks of one time in one insert have no order.
    const byTime = new Map(step.checks.map(({ after, ...fields }) => [after, { at: at(after), ...fields }]));
    await uptime.addChecks(monitor.owner, [...byTime.values()]);
    monitor.checks.push(...byTime.values());
  }
  if (step.kind === 'pause' || step.kind === 'maintenance') {
    const { from, length } = step.span;
    await exclude(sample, monitor, step, { from: at(from), to: length === null ? null : at(from + length) });
  }
  if (step.kind === 'end' || step.kind === 'remove') await changeExclusion(sample, step);
}

async function exclude(
  { exclusions, monitors }: Sample,
  monitor: Monitor,
  step: { kind: 'pause'; wholePage: boolean } | { kind: 'maintenance' },
  excluded: Excluded,
): Promise<void> {
  if (step.kind === 'maintenance') {
    const incidentId = await uptime.maintain(monitor.owner, excluded);
    exclusions.push({ ...excluded, incidentId, monitors: [monitor] });
    return;
  }
  // A monitor has at most one open pause, and its page another one.
  if (excluded.to === null && exclusions.some((other) => 'pauseId' in other && other.to === null)) return;
  const pauseId = await uptime.pause(monitor.owner, excluded, step.wholePage);
  exclusions.push({ ...excluded, pauseId, monitors: step.wholePage ? monitors : [monitor] });
}

async function changeExclusion(
  sample: Sample,
  { kind, which, length }: { kind: 'end' | 'remove'; which: number; length: number },
): Promise<void> {
  const exclusion = sample.exclusions[which % Math.max(sample.exclusions.length, 1)];
  if (exclusion === undefined) return;
  if (kind === 'remove') {
    sample.exclusions.splice(sample.exclusions.indexOf(exclusion), 1);
    if ('pauseId' in exclusion) await sql`delete from pauses where id = ${exclusion.pauseId}`;
    else await sql`delete from incidents where id = ${exclusion.incidentId}`;
    return;
  }
  exclusion.to = exclusion.from + length * secondMs;
  const end = new Date(exclusion.to);
  if ('pauseId' in exclusion) await sql`update pauses set to_at = ${end} where id = ${exclusion.pauseId}`;
  else await sql`update incidents set resolved_at = ${end} where id = ${exclusion.incidentId}`;
}

async function compare({ monitors, exclusions, now }: Sample): Promise<void> {
  await uptime.run(now);
  for (const monitor of monitors) {
    const excluded = exclusions.filter(({ monitors }) => monitors.includes(monitor));
    const state = { checks: monitor.checks, excluded, now };
    const expected = referencePoints(state);
    for (const of of ['hour', 'day'] as const) {
      deepStrictEqual(await uptime.pointsAndHistograms(monitor.owner, of), {
        points: of === 'hour' ? expected : sumByDay(expected),
        histograms: referenceHistograms(state, of),
      });
    }
  }
}

let samples = 0;

async function makeSample(): Promise<Sample> {
  samples += 1;
  const begin = Date.parse('2026-03-01T22:00:00Z') + samples * 86_400_000;
  const first = await uptime.addMonitor('first');
  const second = await uptime.addMonitor('second', first.pageId);
  const monitors: Sample['monitors'] = [
    { owner: first, checks: [] },
    { owner: second, checks: [] },
  ];
  return { begin, now: begin + 3_000_000, monitors, exclusions: [] };
}

t.test('whatever happens to a monitor, its points equal a count second by second', async (t) => {
  const rounds = fc.array(fc.array(fc.tuple(fc.nat(1), step), { minLength: 1, maxLength: 5 }), {
    minLength: 2,
    maxLength: 4,
  });
  const property = fc.asyncProperty(rounds, async (rounds) => {
    const sample = await makeSample();
    for (const steps of rounds) {
      for (const [which, each] of steps)
        await take(sample, sample.monitors[which] ?? sample.monitors[0], each);
      await compare(sample);
    }
  });
  await t.resolves(
    fc.assert(property, { numRuns: 25, interruptAfterTimeLimit: 80_000, markInterruptAsFailure: true }),
  );
});
