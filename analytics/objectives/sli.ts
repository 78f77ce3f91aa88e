import type { RequestsSli } from '../../contract/manage/objectives.js';
import { type LatencyKey, nearestKeyOf } from '../../lib/latency-buckets.js';
import { type EventFilters, parseEventFilters } from '../event-filters.js';
import type { Level } from '../figures/periods.js';
import type { Question } from '../figures/question.js';

/** Good requests, and all that count. */
export type GoodAndTotal = { good: number; total: number };

/** Which requests count for an objective, and the bucket that a good one is in at most; null when any time is good. */
export type SliQuestion = { filters: EventFilters; key: LatencyKey | null };

/** Names are normalised as events are when they arrive. @throws ServiceError `invalidParameter` for a name that no event can have. */
export function toQuestion({ underMs, ...names }: RequestsSli): SliQuestion {
  return {
    filters: parseEventFilters(names),
    key: underMs === undefined ? null : nearestKeyOf(underMs),
  };
}

/** The question of `levelsOf()` for an objective. */
export function questionOf({ filters }: SliQuestion, by: Question['by'] = null): Question {
  return { filters, by, search: '' };
}

/**
 * Returns the expressions of the good requests of a row, and of those that count. With a threshold, which is the expression
 * `key`, only requests with a response time count, and rows have to be of one status: neither "failed" nor "slow" may count
 * twice.
 */
export function countsOfRow({ hasStatus }: Level, key: string | null): { good: string; total: string } {
  if (key === null) {
    const good = hasStatus ? 'if(status < 500, requests, 0)' : 'toUInt64(requests - errors)';
    return { good, total: 'requests' };
  }
  if (!hasStatus) throw new Error('A row of all statuses does not tell which of its requests failed.');
  const inTime = `arraySum((bucket, held) -> if(bucket <= ${key}, held, 0), mapKeys(latency_buckets), mapValues(latency_buckets))`;
  return { good: `if(status < 500, ${inTime}, 0)`, total: 'latency_count' };
}
