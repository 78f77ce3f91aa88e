import { decode, type Field, type Schema } from '../../lib/protobuf/decode.js';

/** Reads what Prometheus reads as protobuf: io.prometheus.client.MetricFamily messages, each behind its length. */
const schema = (fields: Readonly<Record<number, Field>>): Schema =>
  new Map(Object.entries(fields).map(([number, field]) => [Number(number), field]));

const pair = schema({ 1: { name: 'name', kind: 'text' }, 2: { name: 'value', kind: 'text' } });
const span = schema({ 1: { name: 'offset', kind: 'zigzag' }, 2: { name: 'length', kind: 'varintCount' } });
const histogram = schema({
  1: { name: 'count', kind: 'varintCount' },
  2: { name: 'sum', kind: 'double' },
  5: { name: 'schema', kind: 'zigzag' },
  7: { name: 'zeroCount', kind: 'varintCount' },
  12: { name: 'spans', kind: 'message', schema: span, isRepeated: true },
  13: { name: 'deltas', kind: 'zigzag', isRepeated: true },
});
const gauge = schema({ 1: { name: 'value', kind: 'double' } });
const metric = schema({
  1: { name: 'labels', kind: 'message', schema: pair, isRepeated: true },
  2: { name: 'gauge', kind: 'message', schema: gauge },
  7: { name: 'histogram', kind: 'message', schema: histogram },
});
const family = schema({
  1: { name: 'name', kind: 'text' },
  3: { name: 'type', kind: 'varintCount' },
  4: { name: 'metrics', kind: 'message', schema: metric, isRepeated: true },
});

type RawHistogram = {
  count: number;
  sum: number;
  schema: number;
  zeroCount: number;
  spans?: { offset?: number; length: number }[];
  deltas?: number[];
};
type RawMetric = {
  labels?: { name: string; value: string }[];
  gauge?: { value: number };
  histogram?: RawHistogram;
};

/** A native histogram with the upper bound and the count of each of its buckets. */
export type NativeHistogram = RawHistogram & { native: { upper: number; count: number }[] };

export type MetricFamily = {
  name: string;
  type: number;
  metrics: {
    labels: Record<string, string>;
    value: number | undefined;
    histogram: NativeHistogram | undefined;
  }[];
};

export function readFamilies(bytes: Buffer): MetricFamily[] {
  const families: MetricFamily[] = [];
  for (let at = 0; at < bytes.length; ) {
    let length = 0;
    for (let shift = 0, byte = 0x80; byte >= 0x80; shift += 7) {
      byte = bytes[at++] ?? 0;
      length += (byte & 0x7f) * 2 ** shift;
    }
    const {
      name,
      type,
      metrics = [],
    } = decode(bytes.subarray(at, at + length), family) as {
      name: string;
      type: number;
      metrics?: RawMetric[];
    };
    families.push({ name, type, metrics: metrics.map(readMetric) });
    at += length;
  }
  return families;
}

function readMetric({ labels = [], gauge, histogram }: RawMetric): MetricFamily['metrics'][number] {
  return {
    labels: Object.fromEntries(labels.map(({ name, value }) => [name, value])),
    value: gauge?.value,
    histogram: histogram && { ...histogram, native: bucketsOf(histogram) },
  };
}

/** Bucket `i` ends at 2^(i / 2^schema). */
function bucketsOf({ schema, spans = [], deltas = [] }: RawHistogram): NativeHistogram['native'] {
  const buckets: NativeHistogram['native'] = [];
  let index = 0;
  let count = 0;
  for (const { offset = 0, length } of spans) {
    index += offset;
    for (let i = 0; i < length; i += 1, index += 1) {
      count += deltas[buckets.length] ?? 0;
      buckets.push({ upper: 2 ** (index / 2 ** schema), count });
    }
  }
  return buckets;
}
