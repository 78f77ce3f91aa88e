import { secondMs } from '../../lib/times.js';
import { eventOfGrpc, eventOfHttp, type LabelledEvent, routeLabels } from './labels.js';
import type { Labels } from './read-series.js';

/** Histograms of the response times of a server. */
export type MetricForm = { perUnitMs: number; eventOf(labels: Labels): LabelledEvent };

/** The part of a histogram that a series is; `other` is no part of a histogram. */
export type SeriesPart = 'bucket' | 'count' | 'sum' | 'native' | 'other';

/** `metric` is the name without the suffix of the part. */
export type SeriesForm = MetricForm & { metric: string; part: SeriesPart };

const http = { perUnitMs: secondMs, eventOf: eventOfHttp };

/** The metrics that are read: OpenTelemetry of both conventions, Micrometer, the interceptors of gRPC, and the common name. */
const forms: ReadonlyMap<string, MetricForm> = new Map([
  ['http_server_request_duration_seconds', http],
  ['http_server_duration_milliseconds', { ...http, perUnitMs: 1 }],
  ['http_server_requests_seconds', http],
  ['http_request_duration_seconds', http],
  ['grpc_server_handling_seconds', { ...http, eventOf: eventOfGrpc }],
]);

/** The common name behind the name of a program, as `prometheus_http_request_duration_seconds`. */
const commonSuffix = '_http_request_duration_seconds';

const suffix = /_(bucket|count|sum|max|created)$/;
const parts: Readonly<Record<string, SeriesPart>> = { bucket: 'bucket', count: 'count', sum: 'sum' };

/**
 * Finds how to read a series. Returns `undefined` when its metric does not count requests of a server. A metric under a
 * name of a program's own needs a label that says which endpoint it is about.
 */
export function formOfSeries(labels: Labels): SeriesForm | undefined {
  const name = labels.get('__name__') ?? '';
  const [ending = '', word = ''] = suffix.exec(name) ?? [];
  const metric = name.slice(0, name.length - ending.length);
  const form = forms.get(metric) ?? (isCommon(metric, labels) ? http : undefined);
  if (form === undefined) return undefined;
  const isQuantile = labels.has('quantile');
  const part = ending === '' && !isQuantile ? 'native' : (parts[word] ?? 'other');
  return { ...form, metric, part };
}

function isCommon(metric: string, labels: Labels): boolean {
  return metric.endsWith(commonSuffix) && routeLabels.some((name) => labels.has(name));
}
