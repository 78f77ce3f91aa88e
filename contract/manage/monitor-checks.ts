import Type, { type Static } from 'typebox';
import { KeptCount, rangeNotes } from '../analytics/parameters.js';
import { checkErrors } from '../monitors.js';
import { closed, nullable, Time } from './shared.js';

const Ms = nullable(Type.Number());
const phases = { dnsMs: Ms, connectMs: Ms, tlsMs: Ms, firstByteMs: Ms };

/** The outcome of a check that somebody asked for. */
export const CheckOutcome = closed({
  ok: nullable(Type.Boolean({ description: 'null when nothing was observed.' })),
  error: nullable(Type.Enum([...checkErrors], { description: 'Class of the failure.' })),
  unobserved: nullable(
    Type.Enum(['blocked', 'metadata', 'internal', 'waiting'], { description: 'Why nothing was observed.' }),
  ),
  detail: nullable(Type.String({ description: 'A sentence about the failure.' })),
  status: nullable(Type.Integer({ description: 'HTTP status.' })),
  ...phases,
  totalMs: Ms,
});
export type CheckOutcome = Static<typeof CheckOutcome>;

/** A check that was stored. */
export const StoredCheck = closed({
  at: Time,
  ok: Type.Boolean({ description: 'Whether this check passed.' }),
  up: Type.Boolean({ description: 'Whether the monitor counted as up after it.' }),
  error: nullable(Type.String({ description: 'Class of the failure; "imported" for one from elsewhere.' })),
  status: nullable(Type.Integer({ description: 'HTTP status.' })),
  intervalSeconds: Type.Integer({ description: 'From one check to the next, as it was set then.' }),
  ...phases,
  totalMs: Ms,
});
export type StoredCheck = Static<typeof StoredCheck>;

export const monitorSeriesLimits = {
  points: 1_500,
  /** Points and checks are kept for so long. */
  days: 400,
  /** Shorter steps are computed from checks, over a range of at most so many days. */
  checksDays: 16,
} as const;

const Percentile = nullable(Type.Number({ description: 'Milliseconds, within 0.8 %.' }));

export const SeriesPoint = closed({
  at: Type.String({ format: 'date-time', description: 'Start of the step.' }),
  uptime: nullable(
    Type.Number({
      description: 'Percentage of the observed time, cut to two decimals; null when nothing was observed.',
    }),
  ),
  checks: KeptCount('Checks outside maintenance and pauses.'),
  failed: KeptCount('Those of them that failed.'),
  averageMs: nullable(Type.Number({ description: 'Milliseconds; null without a measurement.' })),
  p50Ms: Percentile,
  p95Ms: Percentile,
  p99Ms: Percentile,
});
export type SeriesPoint = Static<typeof SeriesPoint>;

export const MonitorSeries = closed({
  from: Time,
  to: Time,
  step: Type.Integer({ description: 'Seconds per point.' }),
  ...rangeNotes,
  points: Type.Array(SeriesPoint),
});
export type MonitorSeries = Static<typeof MonitorSeries>;

/** The parts of a response time. */
export const MonitorPhases = closed({
  from: Time,
  to: Time,
  step: Type.Integer({ description: 'Seconds per point.' }),
  ...rangeNotes,
  points: Type.Array(
    closed({
      at: Type.String({ format: 'date-time', description: 'Start of the step.' }),
      ...phases,
      totalMs: Ms,
    }),
    {
      description:
        'Averages over the checks of a step that have a response time; a phase is null when none of them has it. What is left of the total is the rest of the answer.',
    },
  ),
});
export type MonitorPhases = Static<typeof MonitorPhases>;
