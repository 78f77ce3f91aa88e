import type { LatencyHistogram } from '../../analytics/minute/latency-histogram.js';
import {
  delimited,
  doubleField,
  messageField,
  signedField,
  textField,
  varintField,
} from '../../lib/protobuf/write-fields.js';
import type { Family, Labels, Sample } from './family.js';

/** Numbers of io.prometheus.client.MetricType. */
const types = { gauge: 1, gaugehistogram: 5 } as const;

/**
 * Writes metrics as MetricFamily messages of protobuf, each behind its length, with native and classic histograms
 * (https://github.com/prometheus/client_model/blob/v0.6.1/io/prometheus/client/metrics.proto).
 */
export function writeProtobuf(families: readonly Family[]): Buffer {
  return Buffer.concat(families.map(writeFamily));
}

function writeFamily(family: Family): Buffer {
  const { name, help, type } = family;
  const metrics =
    family.type === 'gauge'
      ? family.samples.map((sample) => metric(sample, messageField(2, [doubleField(1, sample.value)])))
      : family.samples.map((sample) => metric(sample, messageField(7, histogramFields(sample.value))));
  return delimited([textField(1, name), textField(2, help), varintField(3, types[type]), ...metrics]);
}

function metric({ labels, atMs }: Sample<unknown>, value: Buffer): Buffer {
  const time = atMs === undefined ? [] : [varintField(6, atMs)];
  return messageField(4, [...labelFields(labels), value, ...time]);
}

function labelFields(labels: Labels): Buffer[] {
  return Object.entries(labels).map(([name, value]) =>
    messageField(1, [textField(1, name), textField(2, value)]),
  );
}

function histogramFields({ count, sumSeconds, buckets, native }: LatencyHistogram): Buffer[] {
  return [
    varintField(1, count),
    doubleField(2, sumSeconds),
    ...buckets.map(({ le, count: below }) => messageField(3, [varintField(1, below), doubleField(2, le)])),
    signedField(5, native.schema),
    doubleField(6, native.zeroThreshold),
    varintField(7, native.zeroCount),
    ...native.spans.map(({ offset, length }) =>
      messageField(12, [signedField(1, offset), varintField(2, length)]),
    ),
    ...native.deltas.map((delta) => signedField(13, delta)),
  ];
}
