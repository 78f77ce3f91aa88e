import { limits } from '../../contract/limits.js';
import { dayMs, secondMs } from '../../lib/times.js';

/** The times of events that a version of the API accepts, in milliseconds since the epoch, inclusive. */
export type Window = { oldest: number; newest: number; arrival: number };

export function windowV1(arrival: number): Window {
  return windowAround(arrival, limits.eventRetentionDays * dayMs);
}

export function windowV2(arrival: number): Window {
  return windowAround(arrival, limits.eventAgeSecondsMaxV2 * secondMs);
}

function windowAround(arrival: number, ageMsMax: number): Window {
  return { arrival, oldest: arrival - ageMsMax, newest: arrival + limits.eventAheadSecondsMax * secondMs };
}

/** Refuses an event that is late, early, or whose time could not be read, which is NaN. */
export function findTimeFault(
  at: number,
  window: Window,
): 'too_old' | 'in_the_future' | 'at_invalid' | undefined {
  if (at < window.oldest) return 'too_old';
  if (at > window.newest) return 'in_the_future';
  return Number.isNaN(at) ? 'at_invalid' : undefined;
}
