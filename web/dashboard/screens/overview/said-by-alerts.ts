import type { OverviewAnswer } from '../../../../contract/manage/overview.js';

/** The things that alerts name already, so that the overview does not say them again. */
export type SaidByAlerts = {
  /** Slugs of monitors. */
  monitors: ReadonlySet<string>;
  /** Ids of incidents. */
  incidents: ReadonlySet<string>;
  /** Whether an alert is about the share of requests that fail, or about how fast that spends a budget. */
  errors: boolean;
  /** Whether an alert is about reporters. */
  reporters: boolean;
};

/** Returns what the open alerts of an overview say. */
export function saidByAlerts({ alerts: { items } }: Pick<OverviewAnswer, 'alerts'>): SaidByAlerts {
  const isOf = (...kinds: string[]) => items.some(({ rule }) => kinds.includes(rule.kind));
  return {
    // A certificate that is about to end does not say that its monitor is down.
    monitors: new Set(
      items.flatMap(({ subject, threshold }) => (threshold === null ? (subject.monitor ?? []) : [])),
    ),
    incidents: new Set(items.flatMap(({ incidentId }) => incidentId ?? [])),
    errors: isOf('failure-rate', 'burn-rate'),
    reporters: isOf('reporter'),
  };
}
