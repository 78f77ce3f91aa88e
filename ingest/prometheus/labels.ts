import { limits } from '../../contract/limits.js';
import { withoutMarks } from '../otlp/route.js';
import { rpcMethod } from '../otlp/rpc.js';
import { otherMethod, unmatched } from '../otlp/tree.js';
import type { RawEvent } from '../read/raw-event.js';
import type { Labels } from './read-series.js';

/** Labels by their meaning; the first that a series has counts. */
const names = {
  service: ['service_name', 'application', 'service', 'job'],
  method: ['http_request_method', 'http_method', 'method'],
  endpoint: ['http_route', 'route', 'uri', 'handler', 'path'],
  status: ['http_response_status_code', 'http_status_code', 'status_code', 'status', 'code'],
} as const;

/** The labels without which a histogram of another name than the usual ones is not read. */
export const routeLabels: readonly string[] = names.endpoint;

/** An event as the labels of a histogram describe it, without its time and response time. */
export type LabelledEvent = Pick<RawEvent, 'service' | 'method' | 'endpoint' | 'status'>;

/** Reads the labels of requests over HTTP. */
export function eventOfHttp(labels: Labels): LabelledEvent {
  const method = textOf(labels, names.method);
  const endpoint = withoutMarks(textOf(labels, names.endpoint) ?? unmatched);
  return {
    service: textOf(labels, names.service),
    method: method === '_OTHER' ? otherMethod : (method ?? 'GET'),
    endpoint: uris.get(endpoint) ?? endpoint,
    status: statusOf(labels),
  };
}

/** Reads the labels of the interceptors of gRPC. Only some of them have `grpc_code`. */
export function eventOfGrpc(labels: Labels): LabelledEvent {
  const [service = '', method = ''] = [labels.get('grpc_service'), labels.get('grpc_method')];
  const code = labels.get('grpc_code') ?? 'OK';
  return {
    service: textOf(labels, names.service),
    method: rpcMethod,
    endpoint: service === '' && method === '' ? unmatched : `${service}/${method}`,
    status: grpcStatuses.get(code.replaceAll('_', '').toUpperCase()) ?? serverError,
  };
}

/** Values of the tag `uri` of Micrometer for requests without a route, and for the start page. */
const uris: ReadonlyMap<string, string> = new Map([
  ['UNKNOWN', unmatched],
  ['NOT_FOUND', unmatched],
  ['REDIRECTION', unmatched],
  ['root', '/'],
]);

const fine = 200;
const serverError = 500;
/** The greatest number of three digits. */
const threeDigitsMax = 999;
const statusClass = /^([1-5])xx$/i;
/** The tag `outcome` of Micrometer. */
const outcomes: ReadonlyMap<string, number> = new Map([
  ['REDIRECTION', 302],
  ['CLIENT_ERROR', 400],
  ['SERVER_ERROR', serverError],
]);

/**
 * The status that a request counts with: a number, or a class such as `5xx`, which counts as 500. Without either,
 * `outcome`, `exception` and `error_type` decide. A number that is no status is returned as it is, to be rejected.
 */
function statusOf(labels: Labels): number {
  const sent = textOf(labels, names.status) ?? '';
  const ofClass = statusClass.exec(sent)?.[1];
  if (ofClass !== undefined) return Number(ofClass) * 100;
  const number = Number(sent);
  if (number > 0) return number > limits.statusMax && number <= threeDigitsMax ? serverError : number;
  const outcome = outcomes.get(labels.get('outcome') ?? '');
  if (outcome !== undefined) return outcome;
  const error = textOf(labels, ['exception', 'error_type']) ?? 'none';
  return error.toLowerCase() === 'none' ? fine : serverError;
}

/** The status of HTTP for each code of gRPC, as google/rpc/code.proto maps them. */
const grpcStatuses: ReadonlyMap<string, number> = new Map([
  ['OK', fine],
  ['CANCELLED', 499],
  ['CANCELED', 499],
  ['INVALIDARGUMENT', 400],
  ['NOTFOUND', 404],
  ['ALREADYEXISTS', 409],
  ['PERMISSIONDENIED', 403],
  ['UNAUTHENTICATED', 401],
  ['RESOURCEEXHAUSTED', 429],
  ['FAILEDPRECONDITION', 400],
  ['ABORTED', 409],
  ['OUTOFRANGE', 400],
  ['UNIMPLEMENTED', 501],
  ['UNAVAILABLE', 503],
  ['DEADLINEEXCEEDED', 504],
]);

/** The first of these labels that is not blank. */
function textOf(labels: Labels, wanted: readonly string[]): string | undefined {
  for (const name of wanted) {
    const text = labels.get(name);
    if (text !== undefined && text.trim() !== '') return text;
  }
  return undefined;
}
