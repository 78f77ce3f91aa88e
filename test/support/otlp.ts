import { decode, type Field, type Schema } from '../../lib/protobuf/decode.js';

/** Writes an object of the JSON form of OTLP as protobuf, by the fields that are read. */
export function encodeOtlp(message: object, schema: Schema): Buffer {
  const values = message as Record<string, unknown>;
  return Buffer.concat(
    [...schema].flatMap(([number, field]) => {
      const value = values[field.name];
      if (value === undefined) return [];
      return (field.isRepeated ? (value as unknown[]) : [value]).map((one) => writeField(number, field, one));
    }),
  );
}

function writeField(number: number, field: Field, value: unknown): Buffer {
  switch (field.kind) {
    case 'message':
      return bytesField(number, encodeOtlp(value as object, field.schema));
    case 'text':
      return bytesField(number, Buffer.from(value as string));
    case 'bytes':
      return bytesField(
        number,
        typeof value === 'object' ? writeArray(value) : Buffer.from(value as string, 'hex'),
      );
    case 'time':
    case 'count':
      return fixed64(number, (bytes) => bytes.writeBigUInt64LE(BigInt(value as string | number)));
    case 'double':
      return fixed64(number, (bytes) => bytes.writeDoubleLE(value as number));
    case 'zigzag': {
      const whole = BigInt(value as number);
      return varintField(number, whole < 0n ? -2n * whole - 1n : 2n * whole);
    }
    default:
      return varintField(number, BigInt.asUintN(64, BigInt(value as string | number | boolean)));
  }
}

/** An ArrayValue of texts, such as the arguments of a process. */
function writeArray(value: object | null): Buffer {
  const { values } = value as { values: { stringValue: string }[] };
  return Buffer.concat(
    values.map(({ stringValue }) => bytesField(1, bytesField(1, Buffer.from(stringValue)))),
  );
}

function fixed64(number: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(8);
  write(bytes);
  return Buffer.concat([varint(BigInt(number * 8 + 1)), bytes]);
}

function bytesField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(BigInt(number * 8 + 2)), varint(BigInt(bytes.length)), bytes]);
}

function varintField(number: number, value: bigint): Buffer {
  return Buffer.concat([varint(BigInt(number * 8)), varint(value)]);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

const partial: Schema = new Map<number, Field>([
  [1, { name: 'rejected', kind: 'int' }],
  [2, { name: 'errorMessage', kind: 'text' }],
]);
const answer: Schema = new Map<number, Field>([
  [1, { name: 'partialSuccess', kind: 'message', schema: partial }],
]);
const errorInfo: Schema = new Map<number, Field>([
  [1, { name: 'reason', kind: 'text' }],
  [2, { name: 'domain', kind: 'text' }],
]);
const detail: Schema = new Map<number, Field>([
  [1, { name: 'type', kind: 'text' }],
  [2, { name: 'value', kind: 'message', schema: errorInfo }],
]);
const status: Schema = new Map<number, Field>([
  [1, { name: 'code', kind: 'int' }],
  [2, { name: 'message', kind: 'text' }],
  [3, { name: 'details', kind: 'message', schema: detail }],
]);

export const decodeAnswer = (bytes: Buffer): Record<string, unknown> => decode(bytes, answer);
export const decodeStatus = (bytes: Buffer): Record<string, unknown> => decode(bytes, status);

type Value = string | number | boolean;

function anyValueOf(value: Value): object {
  if (typeof value === 'string') return { stringValue: value };
  return typeof value === 'boolean' ? { boolValue: value } : { intValue: String(value) };
}

/** Attributes in the JSON form. */
export function attributesOf(values: Readonly<Record<string, Value>>): object[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: anyValueOf(value),
  }));
}

export type SpanOptions = {
  kind?: number;
  attributes?: Readonly<Record<string, Value>>;
  endMs?: number;
  ms?: number;
  /** The status of the span is an error with this message. */
  message?: string;
  events?: object[];
  /** `tracestate` of the span. */
  traceState?: string;
  spanId?: string;
};

export const usualAttributes = {
  'http.request.method': 'GET',
  'http.route': '/carts/:id',
  'http.response.status_code': 200,
};

/** A span in the JSON form: one of a server that has answered in 12.5 ms, unless the options say otherwise. */
export function spanOf({
  kind = 2,
  attributes = usualAttributes,
  endMs,
  ms = 12.5,
  message,
  events,
  traceState,
  spanId = 'eee19b7ec3c1b174',
}: SpanOptions = {}) {
  const end = BigInt(endMs ?? Date.now()) * 1_000_000n;
  return {
    ...{
      traceId: '5b8efff798038103d269b633813fc60c',
      spanId,
      name: 'GET /carts/:id',
      kind,
    },
    startTimeUnixNano: String(end - BigInt(Math.round(ms * 1e6))),
    endTimeUnixNano: String(end),
    attributes: attributesOf(attributes),
    ...(traceState !== undefined && { traceState }),
    ...(events !== undefined && { events }),
    ...(message !== undefined && { status: { code: 2, message } }),
  };
}

/** An ExportTraceServiceRequest of one service. */
export function tracesOf(service: string, spans: readonly object[]): object {
  const resource = { attributes: attributesOf({ 'service.name': service }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
}

/** An ExportMetricsServiceRequest of one service. */
export function metricsOf(service: string, metrics: readonly object[]): object {
  const resource = { attributes: attributesOf({ 'service.name': service }) };
  return { resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] };
}

export const delta = 1;
export const cumulative = 2;

/** A histogram of seconds with one data point; `point` takes the place of its usual members. */
export function histogramOf(point: object, more: object = {}, aggregationTemporality = delta): object {
  const usual = {
    attributes: attributesOf(usualAttributes),
    timeUnixNano: String(BigInt(Date.now()) * 1_000_000n),
    ...{ count: '6', bucketCounts: ['1', '2', '3'], explicitBounds: [0.01, 0.1], min: 0.004, max: 0.3 },
  };
  return {
    ...{ name: 'http.server.request.duration', unit: 's' },
    histogram: { aggregationTemporality, dataPoints: [{ ...usual, ...point }] },
    ...more,
  };
}
