import { writeRequest, writeRequest2 } from '../../ingest/prometheus/schemas.js';
import { encodeOtlp } from './otlp.js';
import { snappyBlock } from './snappy.js';

export type Labels = Readonly<Record<string, string>>;
export type TestSample = { value: number; timestamp: number };
/** A series as both versions have it, with the samples of a counter or with native histograms. */
export type TestSeries = { labels: Labels; samples?: TestSample[]; histograms?: object[]; startMs?: number };

/** A body of remote write 1.0. */
export function writeBody(series: readonly TestSeries[]): Buffer {
  const timeseries = series.map(({ labels, samples, histograms }) => ({
    labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
    ...{ samples, histograms },
  }));
  return snappyBlock(encodeOtlp({ timeseries }, writeRequest));
}

/** A body of remote write 2.0. */
export function writeBody2(series: readonly TestSeries[]): Buffer {
  const symbols = [''];
  const refOf = (text: string): number => {
    if (!symbols.includes(text)) symbols.push(text);
    return symbols.indexOf(text);
  };
  const timeseries = series.map(({ labels, samples, histograms, startMs }) => ({
    labelRefs: Object.entries(labels).flatMap(([name, value]) => [refOf(name), refOf(value)]),
    ...{ samples, histograms, startTimestamp: startMs },
  }));
  return snappyBlock(encodeOtlp({ symbols, timeseries }, writeRequest2));
}

/** The series of a classic histogram at one time. `counts` are of the requests up to each bound and of all. */
export function classic(
  metric: string,
  labels: Labels,
  timestamp: number,
  counts: Readonly<Record<string, number>>,
  startMs?: number,
): TestSeries[] {
  const all = Math.max(...Object.values(counts));
  const one = (suffix: string, value: number, more: Labels = {}): TestSeries => ({
    labels: { __name__: `${metric}_${suffix}`, ...labels, ...more },
    samples: [{ value, timestamp }],
    ...(startMs !== undefined && { startMs }),
  });
  return [
    ...Object.entries(counts).map(([le, value]) => one('bucket', value, { le })),
    one('sum', all / 10),
    one('count', all),
  ];
}

export const remoteWriteHeaders = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
};
export const remoteWriteHeaders2 = {
  ...remoteWriteHeaders,
  'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
  'x-prometheus-remote-write-version': '2.0.0',
};
