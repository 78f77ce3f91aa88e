import { groupBy } from '../../lib/group-by.js';
import type { PageId, RuleId } from '../../lib/ids.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import {
  judgeFailureRate,
  judgeLatency,
  judgeTraffic,
  levelOf,
  type RequestCounts,
  type ResponseTimes,
} from './judge-requests.js';
import type { RuleLook } from './observation.js';
import type { Rule } from './rule.js';
import { medianOf, weekMs, weeksBefore } from './usual.js';

type Level = ReturnType<typeof levelOf>;

/** Windows of pages that end together. `to` is a whole minute in milliseconds since the epoch. */
export type WindowsAsked = {
  pageIds: readonly PageId[];
  /** Either page and service, or endpoint and method. */
  levels: readonly Level[];
  to: number;
  windowsMinutes: readonly number[];
  only?: { services: readonly string[]; endpoints?: readonly string[] };
};

type Names = Pick<RequestCounts, 'pageId' | 'service' | 'endpoint' | 'method'> & { level: Level };

/** Reads of requests of pages that share a store. Each level that is asked for has groups of its own. */
export type RequestReads = {
  /** Requests and failures of each group, by window in their order. */
  counts(asked: WindowsAsked): Promise<(Names & { requests: number[]; errors: number[] })[]>;
  /** p50, p95 and p99 of each group in milliseconds. */
  percentiles(
    asked: Omit<WindowsAsked, 'windowsMinutes'> & { windowMinutes: number },
  ): Promise<(Names & { measured: number; percentiles: (number | null)[] })[]>;
};

/**
 * Looks at rules about requests, of pages that share a store: one read answers all rules about the page and its services, one
 * those about endpoints, and one more each window of response times.
 *
 * @throws what the reads throw.
 */
export async function lookAtRequests(
  reads: RequestReads,
  rules: readonly Rule[],
  to: number,
): Promise<ReadonlyMap<RuleId, RuleLook>> {
  const parts = await Promise.all([
    ...partsBy(ofKinds(rules, 'failure-rate', 'traffic'), isOfEndpoints).map((some) =>
      lookAtCounts(reads, some, to),
    ),
    ...partsBy(ofKinds(rules, 'latency'), (rule) => `${isOfEndpoints(rule)} ${windowOf(rule)}`).map((some) =>
      lookAtLatency(reads, some, to),
    ),
  ]);
  return new Map(parts.flat());
}

type Looks = (readonly [RuleId, RuleLook])[];

async function lookAtCounts(reads: RequestReads, rules: readonly Rule[], to: number): Promise<Looks> {
  const windowsMinutes = [...new Set(rules.map(windowOf))];
  const rows = await reads.counts({ ...askedOf(rules), to, windowsMinutes });
  const usual = await loadUsual(reads, rules, to);
  // A rule looks at the rows of its page alone: with those of all, 1,000 pages would take the square of them.
  const byLevel = groupBy(rows, levelKey);
  return rules.map((rule) => {
    const at = windowsMinutes.indexOf(windowOf(rule));
    const counts = (byLevel.get(levelKeyOf(rule)) ?? []).map(
      ({ requests, errors, ...names }): RequestCounts => {
        const known = usual.get(usualKey(windowOf(rule), names));
        return {
          ...{ ...names, requests: requests[at] ?? 0, errors: errors[at] ?? 0 },
          ...(known !== undefined && { usual: known }),
        };
      },
    );
    const judge = rule.kind === 'traffic' ? judgeTraffic : judgeFailureRate;
    return [rule.id, { observations: judge(rule, counts) }] as const;
  });
}

async function lookAtLatency(reads: RequestReads, rules: readonly Rule[], to: number): Promise<Looks> {
  const windowMinutes = Math.max(...rules.map(windowOf));
  const rows = await reads.percentiles({ ...askedOf(rules), to, windowMinutes });
  const times = rows.map(({ percentiles: [p50, p95, p99], ...row }): ResponseTimes & Names => {
    return { ...row, p50: p50 ?? 0, p95: p95 ?? 0, p99: p99 ?? 0 };
  });
  const byLevel = groupBy(times, levelKey);
  return rules.map((rule) => {
    return [rule.id, { observations: judgeLatency(rule, byLevel.get(levelKeyOf(rule)) ?? []) }] as const;
  });
}

const levelKey = ({ pageId, level }: Pick<Names, 'pageId' | 'level'>): string => `${pageId} ${level}`;
const levelKeyOf = (rule: Rule): string => levelKey({ pageId: rule.pageId, level: levelOf(rule) });

/**
 * Loads the median of the same window one to four weeks ago, by window and group. Minutes are kept for two weeks, so the
 * whole hours that hold the window stand for it, by their length.
 */
async function loadUsual(
  reads: RequestReads,
  rules: readonly Rule[],
  to: number,
): Promise<ReadonlyMap<string, number>> {
  const asking = rules.filter(({ condition }) => condition.belowPercentOfUsual !== undefined);
  const usual = new Map<string, number>();
  for (const [minutes, some] of groupBy(asking, windowOf)) {
    const end = Math.ceil(to / hourMs) * hourMs;
    const begin = Math.floor((to - minutes * minuteMs) / hourMs) * hourMs;
    const hoursMinutes = (end - begin) / minuteMs;
    const past = await Promise.all(
      weeksBefore.map((ago) =>
        reads.counts({ ...askedOf(some), to: end - ago * weekMs, windowsMinutes: [hoursMinutes] }),
      ),
    );
    const byGroup = new Map<string, number[]>();
    for (const [week, rows] of past.entries()) {
      for (const { requests, ...names } of rows) {
        const key = usualKey(minutes, names);
        const counts = byGroup.get(key) ?? weeksBefore.map(() => 0);
        counts[week] = ((requests[0] ?? 0) * minutes) / hoursMinutes;
        byGroup.set(key, counts);
      }
    }
    for (const [key, counts] of byGroup) usual.set(key, medianOf(counts));
  }
  return usual;
}

function usualKey(minutes: number, { pageId, level, service, endpoint, method }: Names): string {
  return JSON.stringify([minutes, pageId, level, service, endpoint, method]);
}

/** The pages and levels of rules that the same tables answer, and the names when each rule has one. */
function askedOf(rules: readonly Rule[]): Pick<WindowsAsked, 'pageIds' | 'levels' | 'only'> {
  const levels = [...new Set(rules.map(levelOf))];
  const pageIds = [...new Set(rules.map(({ pageId }) => pageId))];
  const named = rules.map(({ target }) => target);
  if (named.some(({ service }) => service === undefined)) return { pageIds, levels };
  // Services of v1 are stored in lower case.
  const services = [...new Set(named.flatMap(({ service = '' }) => [service, service.toLowerCase()]))];
  if (named.some(({ endpoint }) => endpoint === undefined)) return { pageIds, levels, only: { services } };
  const endpoints = [...new Set(named.map(({ endpoint = '' }) => endpoint))];
  return { pageIds, levels, only: { services, endpoints } };
}

function isOfEndpoints(rule: Rule): boolean {
  const level = levelOf(rule);
  return level === 'endpoint' || level === 'method';
}

function windowOf({ condition }: Rule): number {
  return condition.windowMinutes ?? 1;
}

function ofKinds(rules: readonly Rule[], ...kinds: Rule['kind'][]): Rule[] {
  return rules.filter(({ kind }) => kinds.includes(kind));
}

function partsBy(rules: readonly Rule[], keyOf: (rule: Rule) => string | boolean): Rule[][] {
  return [...groupBy(rules, keyOf).values()];
}
