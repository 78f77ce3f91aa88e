import type { TopAnswer, TopRow, Totals, TotalsAnswer } from '../../contract/analytics/figures.js';
import type { MessageGroupsAnswer } from '../../contract/analytics/messages.js';
import type { RequestsAnswer } from '../../contract/analytics/requests.js';
import type { VersionsAnswer } from '../../contract/analytics/versions.js';
import { endsOf } from '../../web/dashboard/address/range.js';
import { allKept } from './kept.js';

/** An endpoint of the invented page: what it answers per second, and how. */
type Endpoint = {
  service: string;
  endpoint: string;
  perSecond: number;
  errorShare: number;
  errorShareBefore: number;
  p50Ms: number;
  message?: string;
};

const hour = 3_600_000;
const services = { checkout: 14, catalogue: 1_934, identity: 22, search: 9, mail: 6, billing: 17 };
const parts = ['orders', 'items', 'users', 'carts', 'prices', 'labels', 'exports', 'sessions'];

/** A number from 0 to 1 that is always the same for a text. */
function chance(text: string): number {
  let hash = 2_166_136_261;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}

const special: readonly Endpoint[] = [
  {
    ...{ service: 'checkout', endpoint: '/orders/:id/pay', perSecond: 11.4, p50Ms: 84 },
    ...{ errorShare: 0.081, errorShareBefore: 0.0031 },
    message: 'payment gateway timed out after 2000 ms (attempt 3 of 3)',
  },
  {
    ...{ service: 'search', endpoint: '/suggest', perSecond: 31, p50Ms: 940 },
    ...{ errorShare: 0.0004, errorShareBefore: 0.0003 },
    message: 'index shard 7 did not answer',
  },
];

/** Some 2,000 endpoints of six services, of which one began to fail and one is slow. */
const endpoints: readonly Endpoint[] = [
  ...special,
  ...Object.entries(services).flatMap(([service, count]) =>
    Array.from({ length: count }, (_, i): Endpoint => {
      const endpoint = `/${parts[i % parts.length]}${i < parts.length ? '' : `/:id/${parts[(i * 3) % parts.length]}/v${i}`}`;
      const luck = chance(service + endpoint);
      const errorShare = luck ** 6 * 0.02;
      return {
        ...{ service, endpoint, errorShare, errorShareBefore: errorShare * (0.7 + 0.5 * luck) },
        perSecond: (service === 'catalogue' ? 0.4 : 20) * luck ** 9 + 0.02,
        p50Ms: 4 + 60 * luck ** 4,
      };
    }),
  ),
];

type Query = { from: number; to: number; filters: Readonly<Record<string, string>> };

function totalsOf(chosen: readonly Endpoint[], seconds: number, isBefore: boolean): Totals {
  const share = (one: Endpoint) => (isBefore ? one.errorShareBefore : one.errorShare);
  const counts = chosen.map((one) => Math.round(one.perSecond * seconds * (isBefore ? 0.94 : 1)));
  const requests = counts.reduce((sum, count) => sum + count, 0);
  const errors = chosen.reduce((sum, one, i) => sum + Math.round((counts[i] ?? 0) * share(one)), 0);
  const weighted = chosen.reduce((sum, one, i) => sum + one.p50Ms * (counts[i] ?? 0), 0);
  const p50Ms = requests === 0 ? null : Math.round((weighted / requests) * 10) / 10;
  const slower = (factor: number) => (p50Ms === null ? null : Math.round(p50Ms * factor * 10) / 10);
  return {
    ...{
      requests,
      errors,
      clientErrors: Math.round(requests * 0.021),
      requestsPerSecond: requests / seconds,
    },
    errorShare: requests === 0 ? null : errors / requests,
    ...{ averageMs: slower(1.4), p50Ms, p95Ms: slower(isBefore ? 3.4 : 4.1), p99Ms: slower(9.5) },
  };
}

function chosenBy({ service, endpoint }: Query['filters']): readonly Endpoint[] {
  return endpoints.filter(
    (one) =>
      (service === undefined || one.service === service) &&
      (endpoint === undefined || one.endpoint === endpoint),
  );
}

function answerTotals({ from, to, filters }: Query): TotalsAnswer {
  const [chosen, seconds] = [partOf(filters), (to - from) / 1000];
  return {
    ...{ from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    ...{ keptFrom: null, notKept: null },
    now: totalsOf(chosen, seconds, false),
    previous: totalsOf(chosen, seconds, true),
  };
}

/** A filter by method or status leaves a part of the requests. */
function partOf(filters: Query['filters']): readonly Endpoint[] {
  const part = (filters['method'] === undefined ? 1 : 0.4) * (filters['status'] === undefined ? 1 : 0.1);
  return chosenBy(filters).map((one) => ({ ...one, perSecond: one.perSecond * part }));
}

const groupings = {
  service: (one: Endpoint) => one.service,
  endpoint: (one: Endpoint) => `${one.service} ${one.endpoint}`,
};
const orders = {
  requests: ({ requests }: Totals) => requests ?? -1,
  errors: ({ errors }: Totals) => errors ?? -1,
  errorShare: ({ errorShare }: Totals) => errorShare ?? -1,
  p95: ({ p95Ms }: Totals) => p95Ms ?? -1,
};
const noNames = { service: null, endpoint: null, method: null, status: null };

function answerTop({ from, to, filters }: Query): TopAnswer {
  const by = filters['by'] as TopAnswer['by']; // As the dashboard asks.
  const order = (filters['order'] ?? 'requests') as TopAnswer['order'];
  const seconds = (to - from) / 1000;
  const rowOf = (names: Partial<TopRow>, chosen: readonly Endpoint[]): TopRow => ({
    ...{ ...noNames, ...names, sparkline: filters['points'] === undefined ? null : toSparkline(chosen) },
    now: totalsOf(chosen, seconds, false),
    previous: totalsOf(chosen, seconds, true),
  });
  const search = filters['search']?.toLowerCase() ?? '';
  const among = chosenBy(filters).filter((one) => groupings.endpoint(one).toLowerCase().includes(search));
  const scaled = (part: number) => among.map((one) => ({ ...one, perSecond: one.perSecond * part }));
  const all =
    by === 'method'
      ? [rowOf({ method: 'GET' }, scaled(0.6)), rowOf({ method: 'POST' }, scaled(0.4))]
      : by === 'status'
        ? ([[200, 0.9], [404, 0.03], [503, 0.07]] as const).map(([status, part]) => rowOf({ status }, scaled(part))) // biome-ignore format: pairs
        : groupsOf(among, groupings[by]).map(
            (group) =>
            rowOf({ service: group[0]?.service ?? '', endpoint: by === 'endpoint' ? (group[0]?.endpoint ?? '') : null }, group), // biome-ignore format: one row
          );
  const limit = Number(filters['limit'] ?? 50);
  const rows = all.sort((a, b) => orders[order](b.now) - orders[order](a.now)).slice(0, limit);
  return {
    ...{ from: new Date(from).toISOString(), to: new Date(to).toISOString(), by, order, rows },
    ...{ ...allKept, step: 720, groups: all.length, truncated: all.length > limit },
  };
}

function groupsOf(chosen: readonly Endpoint[], nameOf: (one: Endpoint) => string): Endpoint[][] {
  const groups = new Map<string, Endpoint[]>();
  for (const one of chosen) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one]);
  return [...groups.values()];
}

function toSparkline(chosen: readonly Endpoint[]): NonNullable<TopRow['sparkline']> {
  const [first] = chosen;
  const phase = chance(first?.endpoint ?? '') * 9;
  const requests = Array.from({ length: 30 }, (_, i) =>
    Math.round(900 * (1 + 0.4 * Math.sin(i / 4 + phase) + 0.15 * Math.sin(i * 2 + phase))),
  );
  const share = Math.max(...chosen.map(({ errorShare }) => errorShare));
  return { requests, errors: requests.map((count, i) => Math.round(i > 20 ? count * share * 3 : 0)) };
}

function answerRequests({ from, to, filters }: Query): RequestsAnswer {
  const step = Math.max(60, Math.ceil((to - from) / 120 / 60_000) * 60);
  const chosen = partOf(filters);
  const { requestsPerSecond, errorShare, p50Ms } = totalsOf(chosen, 3_600, false);
  const first = Math.floor(from / step / 1000);
  const length = Math.ceil(to / step / 1000) - first;
  const points = Array.from({ length }, (_, i): RequestsAnswer['series'][0]['points'][0] => {
    const isGap = i > length * 0.3 && i < length * 0.33;
    const at = (first + i) * step * 1000;
    const seconds = (Math.min(at + step * 1000, to, Date.now()) - Math.max(at, from)) / 1000;
    const count = isGap ? 0 : Math.round((requestsPerSecond ?? 0) * seconds * (1 + 0.3 * Math.sin(i / 9) + 0.06 * Math.sin(i * 1.7))); // biome-ignore format: one figure
    const worse = i > length * 0.7 ? 2.4 : 0.35;
    const ms = (factor: number) => (isGap || p50Ms === null ? null : Math.round(p50Ms * factor * (1 + 0.1 * Math.sin(i)) * 10) / 10); // biome-ignore format: one figure
    return {
      ...{ at: new Date(at).toISOString(), count },
      errors: Math.round(count * (errorShare ?? 0) * worse),
      clientErrors: Math.round(count * 0.021),
      ...{ averageMs: ms(1.4), p50Ms: ms(1), p95Ms: ms(3 * Math.sqrt(worse + 1)), p99Ms: ms(9) },
    };
  });
  return {
    ...{ from: new Date(from).toISOString(), to: new Date(to).toISOString(), step, groupBy: null },
    ...{ ...allKept, series: [{ group: null, points }], truncated: false },
  };
}

function answerMessages({ to, filters }: Query): MessageGroupsAnswer {
  const failing = chosenBy(filters).filter(
    ({ errorShare, message }) => message !== undefined || errorShare > 0.015,
  );
  const groups = failing.slice(0, 12).map((one, i) => ({
    message: one.message ?? `upstream ${one.service}-${i} closed the connection`,
    pattern: one.message ?? `upstream ${one.service}-${i} closed the connection`,
    count: Math.round(280 / (i + 1)),
    firstAt: new Date(to - 2 * hour).toISOString(),
    lastAt: new Date(to - 60_000 * (i + 1)).toISOString(),
    statuses: i % 2 === 0 ? [503] : [500, 502],
    endpoints: [{ service: one.service, endpoint: one.endpoint }],
    endpointsTotal: i === 1 ? 4 : 1,
  }));
  return { keptFrom: null, notKept: null, groups, truncated: false };
}

const incidents = (to: number) => ({
  items: [
    {
      ...{
        id: 'i1',
        type: 'incident',
        state: 'open',
        title: 'Payments fail',
        monitorSlugs: [],
        author: null,
      },
      ...{ startedAt: new Date(to - hour).toISOString(), resolvedAt: null, scheduledEndAt: null },
      ...{ maintenanceState: null, publishedAt: new Date(to - hour).toISOString(), updateCount: 1 },
    },
  ],
  next: null,
});

/** No service of the page names its version. */
function answerVersions({ filters }: Query): VersionsAnswer {
  return {
    service: filters['service'] ?? null,
    environment: null,
    versions: [],
    unversioned: 0,
    comparison: null,
  };
}

/**
 * Answers a read of the traffic screens as the service would, for `now` in milliseconds since the epoch; `undefined` for
 * another path.
 */
export function answerTraffic(url: URL, now: number): object | undefined {
  const filters = Object.fromEntries(url.searchParams);
  const range = { from: filters['from'] ?? 'now-1h', to: filters['to'] ?? 'now' };
  const ends = endsOf(range, Math.ceil(now / 60_000) * 60_000) ?? { from: now - hour, to: now };
  const query = { ...ends, filters };
  const path = url.pathname.replace(/^\/api\/v1\/pages\/[^/]+/, '');
  if (path === '/analytics/totals') return answerTotals(query);
  if (path === '/analytics/top') return answerTop(query);
  if (path === '/analytics/requests') return answerRequests(query);
  if (path === '/analytics/messages/groups') return answerMessages(query);
  if (path === '/analytics/versions') return answerVersions(query);
  return path === '/incidents' ? incidents(now) : undefined;
}
