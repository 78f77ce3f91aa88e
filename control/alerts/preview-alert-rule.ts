import { minuteMs } from '../../lib/times.js';
import type { AlertRule } from './alert-rule.js';

/** Requests in a window, and how many of them failed with a 5xx. */
export type FailureCounts = { requests: number; errors: number };

/** The requests of one minute; `at` is its start in milliseconds since the epoch. */
export type MinuteCounts = FailureCounts & { at: number };

/** An incident that a rule would have opened, with what it had counted then. `to` is null while it lasts. */
export type Firing = FailureCounts & { from: number; to: number | null };

/**
 * Computes when a rule would have opened and resolved incidents, had it been compared at each minute from `from` until `to`, both
 * whole minutes. Newest first.
 *
 * @param minutes the minutes with requests, oldest first, of this range and of a window before it.
 */
export function previewAlertRule(
  rule: AlertRule,
  minutes: readonly MinuteCounts[],
  { from, to }: { from: number; to: number },
): Firing[] {
  const firings: Firing[] = [];
  const counts = { requests: 0, errors: 0 };
  let open: Firing | undefined;
  let [added, removed] = [0, 0];
  const add = ({ requests, errors }: FailureCounts, sign: 1 | -1): void => {
    counts.requests += sign * requests;
    counts.errors += sign * errors;
  };
  for (let now = from; now <= to; now += minuteMs) {
    for (let next = minutes[added]; next !== undefined && next.at < now; next = minutes[added]) {
      add(next, 1);
      added += 1;
    }
    const begin = now - rule.windowSeconds * 1000;
    for (let last = minutes[removed]; removed < added && last && last.at < begin; last = minutes[removed]) {
      add(last, -1);
      removed += 1;
    }
    if (open === undefined && opensIncident(counts, rule)) {
      open = { ...counts, from: now, to: null };
      firings.push(open);
    } else if (open !== undefined && endsIncident(counts, rule)) {
      open.to = now;
      open = undefined;
    }
  }
  return firings.reverse();
}

/** Whether too many of the requests failed, however many there were. A window without requests is not bad. */
function isBad({ requests, errors }: FailureCounts, rule: AlertRule): boolean {
  return requests > 0 && (100 * errors) / requests >= rule.thresholdPercent;
}

function opensIncident(counts: FailureCounts, rule: AlertRule): boolean {
  return isBad(counts, rule) && counts.requests >= rule.requestsMin;
}

/** A window without requests is neither good nor bad. */
function endsIncident(counts: FailureCounts, rule: AlertRule): boolean {
  return counts.requests > 0 && !isBad(counts, rule);
}
