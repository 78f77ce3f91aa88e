import type { Measurement, PoolFigures } from './report.js';

/** Figures that are complete. */
type AllFigures = {
  snapshot: { open: number; busy: number; idle: number; waiting: number };
  peaks: { open: number; busy: number; waiting: number };
  acquisition: { counts: number[]; sumMs: number };
  failures: number;
  created: number;
  closed: number;
};

const everything: Measurement[] = [
  ...(['open', 'busy', 'idle', 'waiting'] as const),
  ...(['acquisition', 'failures', 'created', 'closed'] as const),
];
const gauges: Measurement[] = ['open', 'busy', 'idle', 'waiting'];

/**
 * The figures of an interval without unknown values. A gauge must be known at the interval's end; peaks and counters
 * must be known through the whole interval. Only figures that lack nothing are complete.
 *
 * @param unknownBefore unknown values at the beginning of the interval.
 * @param unknownNow unknown values at its end, a subset of those at its beginning.
 */
export function leaveOut(
  { snapshot, peaks, ...figures }: AllFigures,
  unknownBefore: readonly Measurement[],
  unknownNow: readonly Measurement[],
): PoolFigures {
  const isKnown = (name: Measurement): boolean =>
    !(gauges.includes(name) ? unknownNow : unknownBefore).includes(name);
  const gauge = (name: keyof typeof snapshot) => (isKnown(name) ? snapshot[name] : null);
  const peak = (name: keyof typeof peaks) => (unknownBefore.includes(name) ? null : peaks[name]);
  return {
    coverage: unknownBefore.length === 0 ? 'complete' : 'partial',
    supported: everything.filter(isKnown),
    snapshot: { open: gauge('open'), busy: gauge('busy'), idle: gauge('idle'), waiting: gauge('waiting') },
    peaks: { open: peak('open'), busy: peak('busy'), waiting: peak('waiting') },
    acquisition: isKnown('acquisition') ? figures.acquisition : null,
    failures: isKnown('failures') ? figures.failures : null,
    created: isKnown('created') ? figures.created : null,
    closed: isKnown('closed') ? figures.closed : null,
  };
}
