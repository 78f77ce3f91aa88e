import t from 'tap';
import { minuteMs } from '../../lib/times.js';
import {
  type Check,
  checksEvery,
  type Excluded,
  type Owner,
  openUptime,
  type Point,
} from '../support/uptime.js';

const uptime = await openUptime(t);

/** The time `12:34:56.789` of a day, in milliseconds since the epoch. */
const day = '2026-03-10';
function time(text: string, date = day): number {
  return Date.parse(text.includes('T') ? `${text}Z` : `${date}T${text}Z`);
}

/** One check of a monitor that is checked every minute. */
function check(at: string, fields: Partial<Check> = {}): Check {
  return { at: time(at), intervalSeconds: 60, up: true, ok: true, ms: 100, ...fields };
}
const failing: Partial<Check> = { up: false, ok: false, ms: null };

type Minutes = Partial<Record<'observed' | 'up' | 'checks' | 'failed' | 'measured' | 'sumMs', number>>;

/** A point in minutes. Default: all up, and every check measured 100 ms. */
function point({ observed = 0, up = observed, checks = 0, failed = 0, ...rest }: Minutes): Point {
  const { measured = checks - failed, sumMs = measured * 100 } = rest;
  return {
    observedMs: Math.round(observed * minuteMs),
    upMs: Math.round(up * minuteMs),
    ...{ checks, failed, measured, sumMs },
  };
}

type Case = {
  name: string;
  now: string;
  checks: Check[];
  maintenance?: (Excluded & { resolvedAt?: number })[];
  pauses?: Excluded[];
  hours: Record<string, Minutes>;
};

const cases: Case[] = [
  {
    name: 'the last check observes until now, not beyond',
    now: '10:02:30',
    checks: checksEvery(60, time('10:00'), time('10:03')),
    hours: { '10': { observed: 2.5, checks: 3 } },
  },
  {
    name: 'the last check before a gap observes for two intervals',
    now: '11:30:00',
    checks: checksEvery(60, time('10:00'), time('10:10')),
    hours: { '10': { observed: 11, checks: 10 } },
  },
  {
    name: 'in a gap, two intervals are observed and the rest is not',
    now: '10:30:00',
    checks: [check('10:00:00'), check('10:20:00')],
    hours: { '10': { observed: 4, checks: 2 } },
  },
  {
    name: 'a late check within two intervals leaves no gap',
    now: '10:03:00',
    checks: [check('10:00:00'), check('10:01:45'), check('10:02:30')],
    hours: { '10': { observed: 3, checks: 3 } },
  },
  {
    name: 'a failing check counts as down from its own time on',
    now: '10:10:00',
    checks: [
      ...checksEvery(60, time('10:00'), time('10:04')),
      ...checksEvery(60, time('10:04'), time('10:06'), failing),
      ...checksEvery(60, time('10:06'), time('10:10')),
    ],
    hours: { '10': { observed: 10, up: 8, checks: 10, failed: 2 } },
  },
  {
    name: 'a failure that does not bring the monitor down is not downtime',
    now: '10:04:00',
    checks: [check('10:00:00'), check('10:01:00', { ok: false, ms: null }), check('10:02:00')],
    hours: { '10': { observed: 4, checks: 3, failed: 1 } },
  },
  {
    name: 'an unexpected response has a response time',
    now: '10:01:00',
    checks: [check('10:00:00', { ok: false, ms: 250 })],
    hours: { '10': { observed: 1, checks: 1, failed: 1, measured: 1, sumMs: 250 } },
  },
  {
    name: 'a heartbeat has no response time',
    now: '10:02:00',
    checks: [check('10:00:00', { ms: null }), check('10:01:00', { ms: null })],
    hours: { '10': { observed: 2, checks: 2, measured: 0 } },
  },
  {
    name: 'all down',
    now: '10:30:00',
    checks: checksEvery(60, time('10:00'), time('10:30'), failing),
    hours: { '10': { observed: 30, up: 0, checks: 30, failed: 30 } },
  },
  {
    name: 'flapping every ten seconds',
    now: '10:10:00',
    checks: checksEvery(10, time('10:00'), time('10:10')).map((each, i) =>
      i % 2 === 0 ? each : { ...each, ...failing },
    ),
    hours: { '10': { observed: 10, up: 5, checks: 60, failed: 30 } },
  },
  {
    name: 'a segment across the hour is split to the millisecond',
    now: '11:00:30',
    checks: [check('10:59:15.250'), check('11:00:00.125')],
    hours: { '10': { observed: 44.75 / 60, checks: 1 }, '11': { observed: 30 / 60, checks: 1 } },
  },
  {
    name: 'a check on the hour belongs to the new hour, even when that is now',
    now: '11:00:00',
    checks: [check('10:59:00'), check('11:00:00')],
    hours: { '10': { observed: 1, checks: 1 }, '11': { checks: 1 } },
  },
  {
    name: 'an hourly check reaches across three hours',
    now: '14:00:00',
    checks: [check('10:30:00', { intervalSeconds: 3600 })],
    hours: { '10': { observed: 30, checks: 1 }, '11': { observed: 60 }, '12': { observed: 30 } },
  },
  {
    name: 'nothing is observed before the first check of the day',
    now: '15:00:00',
    checks: checksEvery(300, time('14:20'), time('15:00')),
    hours: { '14': { observed: 40, checks: 8 } },
  },
  {
    name: 'a check in the future neither counts yet nor cuts a segment',
    now: '10:01:30',
    checks: [check('10:00:00'), check('10:01:00'), check('10:01:31', failing)],
    hours: { '10': { observed: 1.5, checks: 2 } },
  },
  {
    name: 'the newer of two checks at the same time counts',
    now: '10:02:00',
    checks: [check('10:00:00'), check('10:01:00'), check('10:01:00', failing)],
    hours: { '10': { observed: 2, up: 1, checks: 2, failed: 1 } },
  },
  {
    name: 'neither time nor checks count from the start of maintenance to before its end',
    now: '10:30:00',
    checks: checksEvery(60, time('10:00'), time('10:30')).map((each) =>
      each.at >= time('10:10') && each.at < time('10:20') ? { ...each, ...failing } : each,
    ),
    maintenance: [{ from: time('10:10'), to: time('10:20') }],
    hours: { '10': { observed: 20, checks: 20 } },
  },
  {
    name: 'the result of a check before maintenance holds after it, for two intervals',
    now: '10:30:00',
    checks: [check('10:00:00', { ...failing, intervalSeconds: 600 })],
    maintenance: [{ from: time('10:05'), to: time('10:12') }],
    hours: { '10': { observed: 13, up: 0, checks: 1, failed: 1 } },
  },
  {
    name: 'overlapping maintenance and pauses are excluded once',
    now: '11:00:00',
    checks: checksEvery(60, time('10:00'), time('11:00')),
    maintenance: [
      { from: time('10:10'), to: time('10:20') },
      { from: time('10:15'), to: time('10:30') },
      { from: time('10:16'), to: time('10:17') },
    ],
    pauses: [{ from: time('10:25'), to: time('10:40') }],
    hours: { '10': { observed: 30, checks: 30 } },
  },
  {
    name: 'maintenance that ended early ends where it was resolved',
    now: '11:00:00',
    checks: checksEvery(60, time('10:00'), time('11:00')),
    maintenance: [{ from: time('10:10'), to: time('10:40'), resolvedAt: time('10:20') }],
    hours: { '10': { observed: 50, checks: 50 } },
  },
  {
    name: 'maintenance that was cancelled before it began excludes nothing',
    now: '10:30:00',
    checks: checksEvery(60, time('10:00'), time('10:30')),
    maintenance: [{ from: time('10:10'), to: time('10:20'), resolvedAt: time('10:10') }],
    hours: { '10': { observed: 30, checks: 30 } },
  },
  {
    name: 'maintenance without an end lasts until now; future maintenance excludes nothing',
    now: '10:30:00',
    checks: checksEvery(60, time('10:00'), time('10:30')),
    maintenance: [
      { from: time('10:20'), to: null },
      { from: time('10:31'), to: time('10:40') },
    ],
    hours: { '10': { observed: 20, checks: 20 } },
  },
  {
    name: 'a pause across the hour is excluded in both hours',
    now: '11:30:00',
    checks: [
      ...checksEvery(60, time('10:00'), time('10:30')),
      ...checksEvery(60, time('11:10'), time('11:30')),
    ],
    pauses: [{ from: time('10:30:20'), to: time('11:10') }],
    hours: { '10': { observed: 30 + 20 / 60, checks: 30 }, '11': { observed: 20, checks: 20 } },
  },
];

async function arrange(owner: Owner, { checks, maintenance = [], pauses = [] }: Case): Promise<void> {
  // Checks of the same time need an insert each, because the newer one counts.
  const times = new Set<number>();
  const repeated = checks.filter(({ at }) => times.size === times.add(at).size);
  await uptime.addChecks(
    owner,
    checks.filter((each) => !repeated.includes(each)),
  );
  if (repeated.length > 0) await uptime.addChecks(owner, repeated);
  for (const window of maintenance) await uptime.maintain(owner, window);
  for (const pause of pauses) await uptime.pause(owner, pause);
}

for (const each of cases) {
  t.test(each.name, async (t) => {
    const owner = await uptime.addMonitor();
    await arrange(owner, each);
    await uptime.run(time(each.now));
    const hours = Object.entries(each.hours).map(([hour, minutes]) => [`${day}T${hour}`, point(minutes)]);
    t.strictSame(await uptime.points(owner, 'hour'), Object.fromEntries(hours));
  });
}
