import type { Reporter } from '../../../contract/events.js';
import { minuteMs, secondMs } from '../../../lib/times.js';
import { noiseAt } from '../noise.js';
import { plot, plotTime, type Times } from '../plot.js';
import { type Endpoint, endpointsOf } from './endpoints.js';

/** A service that sends its events through v1, or a reporter of v2. */
export type DemoSource = {
  /** Place among all, from which its noise comes. */
  place: number;
  service?: string;
  reporter?: Reporter;
  endpoints: readonly Endpoint[];
  /** Requests per second at the usual load. */
  perSecond: number;
  /** Time between two calls. */
  callEverySeconds: number;
  /** Minutes of the plot after which it is silent. */
  endsAt?: number;
  /** Part of the hours in which it misses calls for a while. */
  missing: number;
};

type Extras = Partial<Pick<DemoSource, 'callEverySeconds' | 'endsAt' | 'missing'>>;
type Unplaced = Omit<DemoSource, 'place'>;

/** A reporter promises to call this often. */
const promisedSeconds = 15;
/** The silence of a reporter that is late most of the time, although it promises a call each minute. */
const lateSeconds = 4 * 60 + 50;

function service(
  name: string,
  endpoints: readonly Endpoint[],
  perSecond: number,
  extras: Extras = {},
): Unplaced {
  return { service: name, endpoints, perSecond, callEverySeconds: 2, missing: 0, ...extras };
}

/** `of` is the service that the reporter is an instance of. */
function reporter(
  [reporterId, englishName, region, team]: [id: string, name: string, region: string, team: string],
  endpoints: readonly Endpoint[],
  perSecond: number,
  {
    expectedEverySeconds = promisedSeconds,
    of,
    ...extras
  }: Extras & { expectedEverySeconds?: number; of?: string } = {},
): Unplaced {
  return {
    reporter: {
      reporterId,
      englishName,
      region,
      team,
      expectedEverySeconds,
      ...(of !== undefined && { service: of }),
    },
    ...{ endpoints, perSecond, callEverySeconds: 14, missing: 0 },
    ...extras,
  };
}

const { shop, accounts, search, billing, media, shipping, notifications, email, imports, backoffice } =
  endpointsOf;

const unplaced: readonly Unplaced[] = [
  service('shop', shop, 22),
  service('accounts', accounts, 9),
  service('notifications', notifications, 2, { endsAt: plot.notificationsEnd }),
  reporter(['search-eu-1', 'Search', 'eu-central', 'discovery'], search, 6, { of: 'search' }),
  reporter(['search-us-1', 'Search', 'us-east', 'discovery'], search, 4, { of: 'search' }),
  reporter(['billing-eu-1', 'Billing', 'eu-central', 'money'], billing, 3, { of: 'billing' }),
  reporter(['billing-us-1', 'Billing', 'us-east', 'money'], billing, 1.2, { of: 'billing' }),
  reporter(['media-eu-1', 'Media', 'eu-central', 'platform'], media, 5, { of: 'media' }),
  reporter(['media-us-1', 'Media', 'us-east', 'platform'], media, 2.5, { of: 'media', missing: 0.25 }),
  reporter(['shipping-eu-1', 'Shipping', 'eu-central', 'logistics'], shipping, 1.6, { missing: 0.06 }),
  reporter(['email-worker-eu-1', 'Email worker', 'eu-central', 'messaging'], email, 0.8, {
    endsAt: plot.emailsEnd,
  }),
  reporter(['imports-eu-1', 'Imports', 'eu-central', 'data'], imports, 0.1, {
    expectedEverySeconds: 60,
    callEverySeconds: lateSeconds,
  }),
  reporter(['backoffice-eu-1', 'Back office', 'eu-central', 'operations'], backoffice, 0.007),
];

/** All sources of the demo. The first reporter calls in every minute of the week. */
export const sources: readonly DemoSource[] = unplaced.map((source, place) => ({ ...source, place }));

/** Name of a service, or id of a reporter. */
export function idOf({ service, reporter }: DemoSource): string {
  return service ?? reporter?.reporterId ?? '';
}

/** The service that its requests count for; `undefined` when they count for the reporter. */
export function serviceOf({ service, reporter }: DemoSource): string | undefined {
  return service ?? reporter?.service;
}

/** Whether a source sends anything at a time, in milliseconds since the epoch. */
export function isCalling({ endsAt, missing, place }: DemoSource, at: number, times: Times): boolean {
  if (endsAt !== undefined && at >= plotTime(endsAt, times)) return false;
  if (missing === 0) return true;
  // Every so many hours there is a gap of some minutes, each time somewhere else.
  const hour = Math.floor(at / (60 * minuteMs));
  if ((hour + place) % Math.round(1 / missing) !== 0) return true;
  const minute = Math.floor(at / minuteMs) % 60;
  const from = Math.floor(45 * noiseAt(71 + place, hour));
  return minute < from || minute >= from + 4 + Math.floor(14 * noiseAt(72 + place, hour));
}

/** Whether a call of the source falls due within the time that ends at `at`. Milliseconds since the epoch. */
export function callIsDue({ callEverySeconds }: DemoSource, from: number, at: number): boolean {
  const everyMs = callEverySeconds * secondMs;
  return Math.floor(from / everyMs) < Math.floor(at / everyMs);
}
