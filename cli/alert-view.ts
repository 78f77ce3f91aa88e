import type { WatchedRule } from '../control/alerts/index.js';
import { formatFields } from './output.js';

/** A page's alert rule as `--json` prints it; null when it is off. */
export function alertJson(slug: string, rule: WatchedRule | undefined): object {
  if (rule === undefined) return { page: slug, alert: null };
  const { thresholdPercent, windowSeconds, requestsMin, incidentId } = rule;
  return { page: slug, alert: { thresholdPercent, windowSeconds, minimumRequests: requestsMin, incidentId } };
}

/** As people read it. */
export function alertText(slug: string, rule: WatchedRule | undefined): string {
  if (rule === undefined)
    return formatFields([
      ['page', slug],
      ['alert', 'off'],
    ]);
  return formatFields([
    ['page', slug],
    ['alert', `from ${rule.thresholdPercent} % of 5xx`],
    ['window', `${rule.windowSeconds} seconds`],
    ['minimum requests', String(rule.requestsMin)],
    ['incident', rule.incidentId ?? 'none'],
  ]);
}
