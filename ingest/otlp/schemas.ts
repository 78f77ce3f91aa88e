import type { Field, Schema } from '../../lib/protobuf/decode.js';

/**
 * The fields of OTLP that are read, with their numbers (https://github.com/open-telemetry/opentelemetry-proto, 1.x). They
 * have the names of the JSON form.
 */
type Scalar = Exclude<Field['kind'], 'message'>;
const one = (name: string, kind: Scalar): Field => ({ name, kind });
const many = (name: string, kind: Scalar): Field => ({ name, kind, isRepeated: true });
const part = (name: string, schema: Schema): Field => ({ name, kind: 'message', schema });
const parts = (name: string, schema: Schema): Field => ({ name, kind: 'message', schema, isRepeated: true });
const message = (fields: Readonly<Record<number, Field>>): Schema =>
  new Map(Object.entries(fields).map(([number, field]) => [Number(number), field]));

const anyValue = message({
  1: one('stringValue', 'text'),
  2: one('boolValue', 'flag'),
  3: one('intValue', 'int'),
  4: one('doubleValue', 'double'),
  // Read as they are: they tell resources and series apart.
  5: one('arrayValue', 'bytes'),
  6: one('kvlistValue', 'bytes'),
  7: one('bytesValue', 'bytes'),
});
const attributes = parts('attributes', message({ 1: one('key', 'text'), 2: part('value', anyValue) }));
const resource = part('resource', message({ 1: attributes }));
const scope = part('scope', message({ 1: one('name', 'text'), 2: one('version', 'text'), 3: attributes }));

const span = message({
  1: one('traceId', 'bytes'),
  2: one('spanId', 'bytes'),
  3: one('traceState', 'text'),
  4: one('parentSpanId', 'bytes'),
  6: one('kind', 'int'),
  7: one('startTimeUnixNano', 'time'),
  8: one('endTimeUnixNano', 'time'),
  9: attributes,
  11: parts('events', message({ 2: one('name', 'text'), 3: attributes })),
  15: part('status', message({ 2: one('message', 'text'), 3: one('code', 'int') })),
});

/** ExportTraceServiceRequest. */
export const tracesRequest = message({
  1: parts(
    'resourceSpans',
    message({ 1: resource, 2: parts('scopeSpans', message({ 2: parts('spans', span) })) }),
  ),
});

const commonPoint = {
  2: one('startTimeUnixNano', 'time'),
  3: one('timeUnixNano', 'time'),
  4: one('count', 'count'),
} as const;

const histogramPoint = message({
  ...commonPoint,
  6: many('bucketCounts', 'count'),
  7: many('explicitBounds', 'double'),
  9: attributes,
  10: one('flags', 'int'),
  11: one('min', 'double'),
  12: one('max', 'double'),
});

const buckets = message({ 1: one('offset', 'zigzag'), 2: many('bucketCounts', 'varintCount') });

const exponentialPoint = message({
  ...commonPoint,
  1: attributes,
  6: one('scale', 'zigzag'),
  7: one('zeroCount', 'count'),
  8: part('positive', buckets),
  10: one('flags', 'int'),
  12: one('min', 'double'),
  13: one('max', 'double'),
});

const histogramOf = (point: Schema): Schema =>
  message({ 1: parts('dataPoints', point), 2: one('aggregationTemporality', 'int') });

/** Metrics of other forms: their data points are counted, and not read. */
const otherForm = message({ 1: parts('dataPoints', message({})) });

const metric = message({
  1: one('name', 'text'),
  3: one('unit', 'text'),
  5: part('gauge', otherForm),
  7: part('sum', otherForm),
  9: part('histogram', histogramOf(histogramPoint)),
  10: part('exponentialHistogram', histogramOf(exponentialPoint)),
  11: part('summary', otherForm),
});

/** ExportMetricsServiceRequest. */
export const metricsRequest = message({
  1: parts(
    'resourceMetrics',
    message({
      1: resource,
      2: parts('scopeMetrics', message({ 1: scope, 2: parts('metrics', metric) })),
    }),
  ),
});
