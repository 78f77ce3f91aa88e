import { ruleLimits } from '../../contract/manage/rules.js';
import { endpointGroup, type Observation } from './observation.js';
import type { Rule } from './rule.js';
import type { Look } from './rule-state.js';

/** Names of a group of requests; empty where they are not told apart. */
type GroupNames = { pageId: string; service: string; endpoint: string; method: string };

/** Requests of a group in a window. `usual` is the median of the same window of earlier weeks, when it was asked for. */
export type RequestCounts = GroupNames & { requests: number; errors: number; usual?: number };

/** Response times of a group in a window, in milliseconds. */
export type ResponseTimes = GroupNames & { measured: number; p50: number; p95: number; p99: number };

/** How the requests of a rule are told apart. */
export function levelOf({ target }: Pick<Rule, 'target'>): 'page' | 'service' | 'endpoint' | 'method' {
  if (target.method !== undefined) return 'method';
  if (target.endpoint !== undefined || target.by === 'endpoint') return 'endpoint';
  return target.service !== undefined || target.by === 'service' ? 'service' : 'page';
}

/** Compares the share of failures of each group with a rule. */
export function judgeFailureRate(rule: Rule, rows: readonly RequestCounts[]): Observation[] {
  const { percent = 100, requestsMin = 1 } = rule.condition;
  const found = groupsOf(rule, rows).map(({ requests, errors, ...group }): Observation => {
    const value = requests === 0 ? undefined : (100 * errors) / requests;
    return {
      group: groupOf(rule, group),
      // Failures among few requests are no evidence, and nor is their absence; but few that all succeed end an alert.
      look: lookOf(value, (share) => (share < percent ? 'good' : requests >= requestsMin ? 'bad' : 'none')),
      ...(value !== undefined && { value }),
      ...{ threshold: percent, requests, errors },
    };
  });
  return worstOf(rule, found, (a, b) => (b.value ?? 0) - (a.value ?? 0));
}

/** Compares a percentile of the response times of each group with a rule. */
export function judgeLatency(rule: Rule, rows: readonly ResponseTimes[]): Observation[] {
  const { percentile = 'p95', overMs = 0, requestsMin = 1 } = rule.condition;
  const found = matching(rule, rows).map(({ measured, ...row }): Observation => {
    const value = measured === 0 ? undefined : row[percentile];
    return {
      group: groupOf(rule, row),
      look: lookOf(value, (ms) => (measured < requestsMin ? 'none' : ms > overMs ? 'bad' : 'good')),
      ...(value !== undefined && { value }),
      ...{ threshold: overMs, requests: measured },
    };
  });
  // A rule without groups has a look, also when there is no row.
  if (rule.target.by === undefined && found.length === 0)
    return [{ group: '', look: 'none', threshold: overMs, requests: 0 }];
  return worstOf(rule, found, (a, b) => (b.value ?? 0) - (a.value ?? 0));
}

/** Compares the number of requests of each group with a rule. No requests at all are a measurement: of nothing. */
export function judgeTraffic(rule: Rule, rows: readonly RequestCounts[]): Observation[] {
  const { belowRequests, belowPercentOfUsual } = rule.condition;
  const found = groupsOf(rule, rows).map(({ requests, errors, usual, ...group }): Observation => {
    const limit = belowRequests ?? ((belowPercentOfUsual ?? 0) / 100) * (usual ?? 0);
    // Nothing is usual in the first week of a service, or at night.
    const isKnown = belowRequests !== undefined || (usual ?? 0) > 0;
    return {
      group: groupOf(rule, group),
      look: !isKnown ? 'none' : requests < limit ? 'bad' : 'good',
      ...{ value: requests, threshold: limit, requests, errors },
    };
  });
  return worstOf(rule, found, (a, b) => shareOf(a) - shareOf(b));
}

const shareOf = ({ value = 0, threshold = 0 }: Observation): number =>
  threshold === 0 ? 1 : value / threshold;

function lookOf(value: number | undefined, judge: (value: number) => Look): Look {
  return value === undefined ? 'none' : judge(value);
}

/** The rows of what the rule looks at. Names of services of v1 are stored in lower case. */
function matching<Row extends GroupNames>({ pageId, target }: Rule, rows: readonly Row[]): Row[] {
  const { service, endpoint, method } = target;
  const services = service === undefined ? undefined : [service, service.toLowerCase()];
  return rows.filter(
    (row) =>
      row.pageId === pageId &&
      (services === undefined || services.includes(row.service)) &&
      (endpoint === undefined || row.endpoint === endpoint) &&
      (method === undefined || row.method === method),
  );
}

/** Groups of a rule with the sums of their rows. A rule without groups has one, also when there is no row. */
function groupsOf(rule: Rule, rows: readonly RequestCounts[]): RequestCounts[] {
  const { by, method } = rule.target;
  const found = matching(rule, rows);
  if (by !== undefined) return found;
  const { service = '', endpoint = '' } = rule.target;
  const sum = (of: (row: RequestCounts) => number) => found.reduce((total, row) => total + of(row), 0);
  const usual = sum((row) => row.usual ?? 0);
  return [
    {
      ...{ pageId: rule.pageId, service, endpoint, method: method ?? '' },
      ...{ requests: sum((row) => row.requests), errors: sum((row) => row.errors), usual },
    },
  ];
}

function groupOf({ target }: Rule, { service, endpoint }: Pick<GroupNames, 'service' | 'endpoint'>): string {
  if (target.by === undefined) return '';
  return target.by === 'service' ? service : endpointGroup(service, endpoint);
}

/** A rule with groups alerts for the worst of them; the others are shown as they are, but begin no alert. */
function worstOf(
  { target }: Rule,
  found: Observation[],
  order: (a: Observation, b: Observation) => number,
): Observation[] {
  if (target.by === undefined) return found;
  const bad = found.filter(({ look }) => look === 'bad').sort(order);
  const rest = found.filter(({ look }) => look !== 'bad');
  return [...bad.slice(0, ruleLimits.groups), ...rest];
}
