import { type Monitor, toManagedMonitor } from '../../../../control/monitors/index.js';
import type { Representation } from '../../../manage/answers.js';

/** Fields that checks and pings change. */
const volatile = [
  'lastPingAt',
  'state',
  'stateSince',
  'degradedSince',
  'lastCheckedAt',
  'lastError',
  'unobservedSince',
  'nextDueAt',
] as const;

/** A monitor as one resource. */
export function representMonitor(monitor: Monitor): Representation {
  return { body: toManagedMonitor(monitor), volatile };
}
