import type { Reporter } from '../../contract/events.js';
import { loadAt } from './noise.js';

/** An event as clients post it. */
type TrafficEvent = {
  service?: string;
  endpoint: string;
  method: string;
  status: number;
  ms: number;
  message?: string;
};

export type TrafficBatch = { path: string; body: { reporter?: Reporter; events: TrafficEvent[] } };

/** `share` is the part of the requests of a source, `failing` the part of those that end with the failure. */
type Endpoint = {
  method: string;
  endpoint: string;
  status: number;
  share: number;
  usualMs: number;
  failing: number;
  failure: { status: number; message: string };
};

const broken = (status: number, message: string) => ({ status, message });
const timeout = broken(504, 'upstream request timeout');

const endpointsOf: Record<'shop' | 'accounts' | 'search' | 'billing', readonly Endpoint[]> = {
  shop: [
    endpoint('GET /products/:id', 200, 0.46, 24, 0.001, timeout),
    endpoint('GET /products', 200, 0.24, 61, 0.002, timeout),
    endpoint('POST /cart/items', 201, 0.16, 38, 0.003, broken(409, 'item is sold out')),
    endpoint('GET /cart', 200, 0.1, 19, 0.001, timeout),
    endpoint('POST /checkout', 201, 0.04, 310, 0.012, broken(502, 'payment provider: connection reset')),
  ],
  accounts: [
    endpoint('GET /me', 200, 0.7, 11, 0.002, broken(401, 'token expired')),
    endpoint('POST /login', 200, 0.2, 145, 0.08, broken(401, 'wrong password')),
    endpoint('PATCH /me/settings', 204, 0.1, 33, 0.001, broken(500, 'deadlock detected')),
  ],
  search: [
    endpoint('GET /search', 200, 0.85, 420, 0.36, broken(503, 'index catalog-7: checksum mismatch')),
    endpoint('GET /suggest', 200, 0.15, 35, 0.05, broken(503, 'index catalog-7: checksum mismatch')),
  ],
  billing: [
    endpoint('POST /invoices', 201, 0.3, 88, 0.002, broken(500, 'deadlock detected')),
    endpoint('GET /invoices/:id', 200, 0.7, 27, 0.001, broken(404, 'no such invoice')),
  ],
};

function endpoint(
  route: string,
  status: number,
  share: number,
  usualMs: number,
  failing: number,
  failure: Endpoint['failure'],
): Endpoint {
  const [method = '', path = ''] = route.split(' ');
  return { method, endpoint: path, status, share, usualMs, failing, failure };
}

type Source = { endpoints: readonly Endpoint[]; perSecond: number };

const services: readonly (Source & { service: string })[] = [
  { service: 'shop', endpoints: endpointsOf.shop, perSecond: 22 },
  { service: 'accounts', endpoints: endpointsOf.accounts, perSecond: 9 },
];

const reporters: readonly (Source & { reporter: Reporter })[] = [
  {
    reporter: reporter('search-eu-1', 'Search', 'eu-central', 'discovery'),
    endpoints: endpointsOf.search,
    perSecond: 6,
  },
  {
    reporter: reporter('search-us-1', 'Search', 'us-east', 'discovery'),
    endpoints: endpointsOf.search,
    perSecond: 4,
  },
  {
    reporter: reporter('billing-eu-1', 'Billing', 'eu-central', 'money'),
    endpoints: endpointsOf.billing,
    perSecond: 3,
  },
];

function reporter(reporterId: string, englishName: string, region: string, team: string): Reporter {
  return { reporterId, englishName, region, team, expectedEverySeconds: 15 };
}

/**
 * Makes the events that the services of the demo report for the last `seconds` seconds: one batch for all services, and
 * one for each reporter. `random` is like Math.random; `now` is in milliseconds since the epoch.
 */
export function makeTraffic(seconds: number, now: number, random: () => number): TrafficBatch[] {
  const eventsOf = ({ endpoints, perSecond }: Source): TrafficEvent[] => {
    const count = Math.round(perSecond * seconds * loadAt(now) * (0.8 + 0.4 * random()));
    return Array.from({ length: count }, () => makeEvent(endpoints, random));
  };
  const ofServices = services.flatMap((source) =>
    eventsOf(source).map((event) => ({ service: source.service, ...event })),
  );
  return [
    { path: '/api/v1/events', body: { events: ofServices } },
    ...reporters.map((source) => ({
      path: '/api/v2/events',
      body: { reporter: source.reporter, events: eventsOf(source) },
    })),
  ];
}

function makeEvent(endpoints: readonly Endpoint[], random: () => number): TrafficEvent {
  const { method, endpoint, status, usualMs, failing, failure } = pick(endpoints, random());
  // Log-normal, as response times are: half of them within a third of the usual time, a few many times that.
  const ms = Math.round(usualMs * Math.exp(0.5 * normal(random)) * 10) / 10;
  if (random() < failing) return { method, endpoint, ms, ...failure };
  return { method, endpoint, ms, status };
}

function pick(endpoints: readonly Endpoint[], at: number): Endpoint {
  let rest = at;
  const found = endpoints.find(({ share }) => {
    rest -= share;
    return rest < 0;
  });
  const [first] = endpoints;
  const picked = found ?? first;
  if (picked === undefined) throw new Error('A source of the demo has no endpoints.');
  return picked;
}

/** Returns a number that is distributed normally around 0, with a standard deviation of 1 (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
