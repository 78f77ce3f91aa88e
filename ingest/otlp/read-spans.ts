import { limits } from '../../contract/limits.js';
import { describeSent } from '../../lib/mistakes/describe-sent.js';
import type { Message } from '../../lib/protobuf/decode.js';
import { type RawEvent, releaseKey } from '../read/raw-event.js';
import { endpointOfMessage, isMessage, messageMethod } from './consumer.js';
import { exceptionOf, sampleOf } from './exception.js';
import { findInnerExceptions, type InnerExceptions } from './inner-exceptions.js';
import type { LeftOut } from './left-out.js';
import { type Ending, failed, statusOf, statusOfEnding } from './outcome.js';
import { withoutMarks } from './route.js';
import { endpointOfRpc, isRpc, rpcMethod, statusOfRpc } from './rpc.js';
import { adjustedCount, roundById, weightMax } from './sampling.js';
import {
  Attributes,
  endedInError,
  hexOf,
  httpKeys,
  listOf,
  methodOf,
  nanosecondsOf,
  objectOf,
  releaseOfResource,
  serviceOfResource,
  spanKinds,
  textOf,
  timeOf,
  unmatched,
} from './tree.js';

const tooMany = `The spans of a body stand for at most ${limits.otlpRequestsMax.toLocaleString('en')} requests.`;
const estimates =
  'Spans are sampled ("ot=th:" in "tracestate"): each counts for as many requests as its sampler has left out, so figures are estimates.';
const overWeight = `A span stands for at most ${weightMax.toLocaleString('en')} requests; "ot=th:" says more.`;

/**
 * Requests of spans. `weights` has how many requests each stands for; `undefined` when all stand for themselves. Calls of
 * procedures that are requests of HTTP as well come last, from the place `overHttpFrom` on.
 */
export type SpanRequests = { events: RawEvent[]; weights: number[] | undefined; overHttpFrom: number };

/**
 * Reads the spans of an ExportTraceServiceRequest: a span of kind SERVER with a method of HTTP or of RPC is a request, and
 * so is one of kind CONSUMER with a message. Spans of other kinds are ignored.
 */
export function readSpans(tree: Message, leftOut: LeftOut): SpanRequests {
  const alone: Weighted[] = [];
  const overHttp: Weighted[] = [];
  let requests = 0;
  let found: InnerExceptions | undefined;
  const innerOf = (span: Message): Attributes | undefined => {
    found ??= findInnerExceptions(tree);
    return found(span);
  };
  for (const resourceSpans of listOf(tree['resourceSpans'])) {
    const { resource, scopeSpans } = objectOf(resourceSpans);
    const service = serviceOfResource(resource);
    const release = releaseOfResource(resource);
    for (const scope of listOf(scopeSpans)) {
      for (const one of listOf(objectOf(scope)['spans'])) {
        const span = objectOf(one);
        const event = readSpan(span, service, innerOf, leftOut);
        if (event === undefined) continue;
        const weight = weightOf(span, leftOut);
        if (requests + weight > limits.otlpRequestsMax) {
          leftOut.refuse('too_many_requests', tooMany);
          continue;
        }
        requests += weight;
        if (release !== undefined) event[releaseKey] = release;
        (isRpcOverHttp(event, span) ? overHttp : alone).push({ event, weight });
      }
    }
  }
  const all = alone.concat(overHttp);
  return {
    events: all.map(({ event }) => event),
    weights: requests === all.length ? undefined : all.map(({ weight }) => weight),
    overHttpFrom: alone.length,
  };
}

type Weighted = { event: RawEvent; weight: number };

/** Whether the metrics of HTTP count the call as well: the server of ASP.NET Core that takes it speaks HTTP. */
function isRpcOverHttp({ method }: RawEvent, { attributes }: Message): boolean {
  const methodKeys: readonly unknown[] = httpKeys.method;
  return method === rpcMethod && listOf(attributes).some((one) => methodKeys.includes(objectOf(one)['key']));
}

/** A weight is at least 1, so a sum that is their number says that all are 1. */
function weightOf(span: Message, leftOut: LeftOut): number {
  const count = adjustedCount(textOf(span['traceState']));
  if (count === 1) return 1;
  leftOut.say('estimates', estimates);
  if (count === weightMax) leftOut.say('over_weight', overWeight);
  return roundById(count, hexOf(span['spanId']));
}

function readSpan(
  span: Message,
  service: string | undefined,
  innerOf: InnerExceptions,
  leftOut: LeftOut,
): RawEvent | undefined {
  const isServer = spanKinds.server.has(span['kind']);
  if (!isServer && !spanKinds.consumer.has(span['kind'])) {
    leftOut.ignore('other_kind');
    return undefined;
  }
  const attributes = new Attributes(span['attributes']);
  const named = isServer ? nameServed(span, attributes) : nameConsumed(span, attributes);
  if (named === undefined) {
    noteUnnamed(attributes, isServer, leftOut);
    return undefined;
  }
  const { status } = named;
  const isFailed = typeof status === 'number' && status >= failed;
  const exception = exceptionOf(span) ?? (isFailed ? innerOf(span) : undefined);
  return {
    service,
    ...named,
    ms: durationMs(span),
    message: messageOf(span, exception) ?? attributes.text('error.type'),
    at: timeOf(span['endTimeUnixNano']),
    ...sampleOf(span, attributes, { status, exception }),
  };
}

/** The instrumentations of Python have a span for each connection of a WebSocket, which is no request. */
const webSocketSchemes: ReadonlySet<string | undefined> = new Set(['ws', 'wss']);

function noteUnnamed(attributes: Attributes, isServer: boolean, leftOut: LeftOut): void {
  const sent = describeKeys(attributes);
  if (!isServer) leftOut.refuse('no_message', `A span of a consumer needs "messaging.system"; ${sent}.`);
  else if (webSocketSchemes.has(attributes.text('url.scheme', 'http.scheme'))) leftOut.ignore('web_socket');
  else
    leftOut.refuse('no_method', `A span of a server needs "http.request.method" or "rpc.system"; ${sent}.`);
}

type Named = Pick<RawEvent, 'method' | 'endpoint' | 'status'>;

/** ASP.NET Core has the attributes of HTTP on calls of gRPC, whose status of HTTP is 200: the code of gRPC counts. */
function nameServed(span: Message, attributes: Attributes): Named | undefined {
  const ending = endingOf(span, attributes);
  if (isRpc(attributes))
    return {
      method: rpcMethod,
      endpoint: endpointOfRpc(attributes),
      status: statusOfRpc(attributes, ending),
    };
  const method = methodOf(attributes);
  if (method === undefined) return undefined;
  const endpoint = withoutMarks(attributes.text('http.route') ?? unmatched);
  return { method, endpoint, status: statusOf(attributes, ending) };
}

function nameConsumed(span: Message, attributes: Attributes): Named | undefined {
  if (!isMessage(attributes)) return undefined;
  const status = statusOfEnding(attributes.text('error.type'), endingOf(span, attributes));
  return { method: messageMethod, endpoint: endpointOfMessage(attributes), status };
}

const keysShown = 3;

function describeKeys(attributes: Attributes): string {
  const keys = attributes.keys(keysShown).map((key) => describeSent(key, 'attribute'));
  return keys.length === 0 ? 'it has no attributes' : `it has ${keys.join(', ')}`;
}

function endingOf(span: Message, attributes: Attributes): Ending {
  return {
    hasFailed: endedInError(span),
    errors() {
      const exception = exceptionOf(span);
      const texts = [
        attributes.text('error.type'),
        exception?.text('exception.type'),
        exception?.text('exception.message'),
        textOf(objectOf(span['status'])['message']),
      ];
      return texts.filter((text) => text !== undefined);
    },
  };
}

function durationMs({ startTimeUnixNano, endTimeUnixNano }: Message): number | undefined {
  const [start, end] = [nanosecondsOf(startTimeUnixNano), nanosecondsOf(endTimeUnixNano)];
  return start === undefined || end === undefined || end < start ? undefined : Number(end - start) / 1e6;
}

/** The message of the span's status, or else of its exception. */
function messageOf(span: Message, exception: Attributes | undefined): string | undefined {
  const message = textOf(objectOf(span['status'])['message']);
  return message !== undefined && message !== '' ? message : exception?.text('exception.message');
}
