import { describeSent } from '../../lib/mistakes/describe-sent.js';
import type { Message } from '../../lib/protobuf/decode.js';
import type { RawEvent } from '../read/raw-event.js';
import type { LeftOut } from './left-out.js';
import { endingOfPoint, micrometerStatusOf, statusOf } from './outcome.js';
import { withoutMarks } from './route.js';
import { endpointOfRpc, rpcMethod, statusOfRpc } from './rpc.js';
import { Attributes, methodOf, otherMethod, timeOf, unmatched } from './tree.js';

/** The service of a data point, and whether one without a status has failed. */
export type PointSender = { service: string | undefined; failsWithoutStatus: boolean };

/** A histogram of the response times of a server: its usual unit, and how its data points name a request. */
export type Form = {
  usualUnitMs: number;
  /** The name since then: OTEL_SEMCONV_STABILITY_OPT_IN=http/dup sends both, with the same requests. */
  newer?: string;
  eventOf(point: Message, sender: PointSender): RawEvent;
  /** Advice about a metric of this name that is no histogram. */
  describeOther(name: string, kind: string): string;
};

const openTelemetry: Omit<Form, 'usualUnitMs'> = {
  eventOf: eventOfOpenTelemetry,
  describeOther: (name, kind) =>
    `"${name}" must be a histogram; it was a ${kind}. Remove the view or the processor that changes its aggregation.`,
};

const micrometer: Omit<Form, 'usualUnitMs'> = {
  eventOf: eventOfMicrometer,
  describeOther: (name, kind) =>
    `"${name}" must be a histogram; it was a ${kind}. Remove its percentiles (management.metrics.distribution.percentiles.${name} in Spring Boot), or set percentiles-histogram in place of them.`,
};

const rpc: Omit<Form, 'usualUnitMs'> = { ...openTelemetry, eventOf: eventOfRpc };

/**
 * The metrics that are read, by name: for HTTP the one of the conventions since 1.23, the one before, and the one of
 * Micrometer; for RPC the one since 1.38 and the one before.
 */
export const forms: ReadonlyMap<string, Form> = new Map([
  ['http.server.request.duration', { ...openTelemetry, usualUnitMs: 1000 }],
  ['http.server.duration', { ...openTelemetry, usualUnitMs: 1, newer: 'http.server.request.duration' }],
  ['http.server.requests', { ...micrometer, usualUnitMs: 1 }],
  ['rpc.server.call.duration', { ...rpc, usualUnitMs: 1000 }],
  ['rpc.server.duration', { ...rpc, usualUnitMs: 1, newer: 'rpc.server.call.duration' }],
]);

/** Milliseconds of the units, in UCUM as OpenTelemetry writes them and in words as Micrometer does. */
export const unitMs: ReadonlyMap<string, number> = new Map([
  ...(['s', 'seconds'] as const).map((unit) => [unit, 1000] as const),
  ...(['ms', 'milliseconds'] as const).map((unit) => [unit, 1] as const),
  ...(['us', 'microseconds'] as const).map((unit) => [unit, 1e-3] as const),
  ...(['ns', 'nanoseconds'] as const).map((unit) => [unit, 1e-6] as const),
]);

/**
 * Names in which other conventions count the requests of a server, such as `http_server_requests_seconds` and
 * `http_requests_total`. Sizes, requests in progress and requests of clients do not match.
 */
const requestsForm =
  /^http[._](?:server[._])?(?:requests?|duration)(?:[._](?:duration|requests?|total|count|seconds|milliseconds|ms|latency|time))*$/i;

/**
 * Counts a metric that is not read. Returns advice when its name is one for the requests of a server.
 */
export function describeUnread(name: string, leftOut: LeftOut): string | undefined {
  if (!requestsForm.test(name)) {
    leftOut.ignore('other_metric');
    return undefined;
  }
  leftOut.ignore('other_name');
  const read = [...forms.keys()].map((known) => `"${known}"`).join(', ');
  return `Nothing was counted: ${describeSent(name, 'metric')} is not read. Send a histogram of the name ${read}; set OTEL_SEMCONV_STABILITY_OPT_IN=http for the first, or rename yours in a collector.`;
}

/**
 * Older instrumentations of Python have the route in `http.target`. The SDK folds series beyond its 2,000 into one point
 * without names.
 */
function eventOfOpenTelemetry(point: Message, { service, failsWithoutStatus }: PointSender): RawEvent {
  const attributes = new Attributes(point['attributes']);
  const isOverflow = attributes.isTrue('otel.metric.overflow');
  const ending = endingOfPoint(attributes, failsWithoutStatus && !isOverflow);
  return {
    service,
    method: methodOf(attributes) ?? (isOverflow ? otherMethod : 'GET'),
    endpoint: withoutMarks(attributes.text('http.route', 'http.target') ?? unmatched),
    status: statusOf(attributes, ending),
    at: timeOf(point['timeUnixNano']),
  };
}

function eventOfRpc(point: Message, { service }: PointSender): RawEvent {
  const attributes = new Attributes(point['attributes']);
  return {
    ...{ service, method: rpcMethod, endpoint: endpointOfRpc(attributes) },
    status: statusOfRpc(attributes, endingOfPoint(attributes)),
    at: timeOf(point['timeUnixNano']),
  };
}

/** Values of the tag `uri` for requests without a route, and for the start page. */
const uris: ReadonlyMap<string, string> = new Map([
  ['UNKNOWN', unmatched],
  ['NOT_FOUND', unmatched],
  ['REDIRECTION', unmatched],
  ['root', '/'],
]);

/** The tags of Spring and Micrometer, before the attributes of OpenTelemetry. */
function eventOfMicrometer(point: Message, { service }: PointSender): RawEvent {
  const attributes = new Attributes(point['attributes']);
  const uri = attributes.text('uri', 'http.route') ?? unmatched;
  return {
    service,
    method: attributes.text('method') ?? methodOf(attributes) ?? 'GET',
    endpoint: uris.get(uri) ?? uri,
    status: micrometerStatusOf(attributes),
    at: timeOf(point['timeUnixNano']),
  };
}
