import type { Field, Schema } from '../../lib/protobuf/decode.js';

/**
 * The fields of remote write that are read, by their numbers. Both versions have the same histogram and, but for the
 * start of a count, the same sample. Exemplars and metadata are skipped.
 */
type Scalar = Exclude<Field['kind'], 'message'>;
const one = (name: string, kind: Scalar): Field => ({ name, kind });
const many = (name: string, kind: Scalar): Field => ({ name, kind, isRepeated: true });
const parts = (name: string, schema: Schema): Field => ({ name, kind: 'message', schema, isRepeated: true });

const sample: Schema = new Map([
  [1, one('value', 'double')],
  [2, one('timestamp', 'int')],
  [3, one('startTimestamp', 'int')],
]);

const spans: Schema = new Map([
  [1, one('offset', 'zigzag')],
  [2, one('length', 'varintCount')],
]);

const histogram: Schema = new Map([
  [1, one('count', 'varintCount')],
  [2, one('countFloat', 'double')],
  [3, one('sum', 'double')],
  [4, one('schema', 'zigzag')],
  [6, one('zeroCount', 'varintCount')],
  [8, parts('negativeSpans', spans)],
  [11, parts('positiveSpans', spans)],
  [12, many('positiveDeltas', 'zigzag')],
  [14, one('resetHint', 'int')],
  [15, one('timestamp', 'int')],
  [16, many('customValues', 'double')],
  [17, one('startTimestamp', 'int')],
]);

const label: Schema = new Map([
  [1, one('name', 'text')],
  [2, one('value', 'text')],
]);

/** `prometheus.WriteRequest` (https://github.com/prometheus/prometheus/blob/main/prompb/types.proto). */
export const writeRequest: Schema = new Map([
  [
    1,
    parts(
      'timeseries',
      new Map([
        [1, parts('labels', label)],
        [2, parts('samples', sample)],
        [4, parts('histograms', histogram)],
      ]),
    ),
  ],
]);

/**
 * `io.prometheus.write.v2.Request`
 * (https://github.com/prometheus/prometheus/blob/main/prompb/io/prometheus/write/v2/types.proto). The start of a count
 * was a field of the series, `created_timestamp`, in the drafts that Prometheus 3.0 to 3.7 send.
 */
export const writeRequest2: Schema = new Map([
  [4, many('symbols', 'text')],
  [
    5,
    parts(
      'timeseries',
      new Map([
        [1, many('labelRefs', 'varintCount')],
        [2, parts('samples', sample)],
        [3, parts('histograms', histogram)],
        [6, one('startTimestamp', 'int')],
      ]),
    ),
  ],
]);
