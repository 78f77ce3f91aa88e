import { limits, withCommas } from '../../contract/limits.js';
import { decode, type Message } from '../../lib/protobuf/decode.js';
import { ServiceError } from '../../lib/service-error.js';
import { writeRequest, writeRequest2 } from './schemas.js';

/** The message of a body: `prometheus.WriteRequest` of 1.0, or `io.prometheus.write.v2.Request`. */
export type WriteVersion = 1 | 2;

/** Bytes that a message of a body counts for, as in OTLP: an empty one has two. */
const bytesPerMessage = 12;

/**
 * Characters of the names and values of all series of a body: a body of 2.0 may refer to a symbol of a megabyte 100,000
 * times. 2,000 samples, which is a body of Prometheus, have about a million; 16 million take 0.2 s.
 */
const labelCharsMax = 4 * limits.otlpBodyBytes;

/** Names and values of a series, `__name__` among them. */
export type Labels = ReadonlyMap<string, string>;

/** A sample of a counter or gauge. `startMs` is when its count began, if the sender says so. */
export type Sample = { atMs: number; value: number; startMs: number | undefined };

/** A native histogram as it was sent; readNative() reads it. */
export type SentHistogram = { atMs: number; startMs: number | undefined; message: Message };

export type Series = {
  labels: Labels;
  samples: readonly Sample[];
  histograms: readonly SentHistogram[];
};

/**
 * Reads the series of a body of remote write.
 *
 * @param charge gets the bytes that the body counts for: by its messages as in decode(), 12 each, and by the characters of
 *   its labels. Called before an error, too.
 * @throws ServiceError `bodyNotProtobuf` and `bodyTooLarge` as decode() does; `invalidBody` for a reference to a symbol
 *   that the body does not have; `bodyTooLarge` for labels of more than 16 million characters that refer to symbols
 */
export function readSeries(body: Buffer, version: WriteVersion, charge: (bytes: number) => void): Series[] {
  const schema = version === 1 ? writeRequest : writeRequest2;
  const tree = decode(body, schema, (messages) => charge(messages * bytesPerMessage));
  const symbols = listOf<string>(tree['symbols']);
  let chars = 0;
  const resolve = (refs: readonly number[], series: number): Labels => {
    const labels = symbolsOf(refs, symbols, series);
    for (const [name, value] of labels) chars += name.length + value.length;
    if (chars > labelCharsMax) throw new ServiceError('bodyTooLarge', { message: tooManyChars });
    return labels;
  };
  try {
    return listOf<Message>(tree['timeseries']).map((series, i) => ({
      labels:
        version === 1
          ? labelsOf(listOf<Message>(series['labels']))
          : resolve(listOf<number>(series['labelRefs']), i),
      ...valuesOf(series),
    }));
  } finally {
    charge(chars);
  }
}

function valuesOf(series: Message): Pick<Series, 'samples' | 'histograms'> {
  const ofSeries = timeOf(series['startTimestamp']);
  const timesOf = (message: Message): { atMs: number; startMs: number | undefined } => ({
    atMs: numberOf(message['timestamp']),
    startMs: timeOf(message['startTimestamp']) ?? ofSeries,
  });
  return {
    samples: listOf<Message>(series['samples']).map((sample) => ({
      ...timesOf(sample),
      value: numberOf(sample['value']),
    })),
    histograms: listOf<Message>(series['histograms']).map((message) => ({ ...timesOf(message), message })),
  };
}

function labelsOf(pairs: readonly Message[]): Labels {
  return new Map(pairs.map(({ name = '', value = '' }) => [name as string, value as string]));
}

function symbolsOf(refs: readonly number[], symbols: readonly string[], series: number): Labels {
  const labels = new Map<string, string>();
  for (let i = 0; i < refs.length; i += 2) {
    const name = symbols[refs[i] ?? -1];
    const value = symbols[refs[i + 1] ?? -1];
    if (name === undefined || value === undefined) throw unknownSymbol(series, symbols.length);
    labels.set(name, value);
  }
  return labels;
}

const tooManyChars = `The labels of a body have at most ${withCommas(labelCharsMax)} characters, each symbol counted as often as it is referred to.`;

function unknownSymbol(series: number, symbols: number): ServiceError {
  return new ServiceError('invalidBody', {
    message: `"timeseries" number ${series} must refer to pairs of the ${symbols} symbols of the body.`,
  });
}

/** The schema decides the type of an item; a field that is absent has the value 0, as proto3 wants it. */
const listOf = <Item>(value: unknown): readonly Item[] => (value as Item[] | undefined) ?? [];
const numberOf = (value: unknown): number => (value as number | undefined) ?? 0;
const timeOf = (value: unknown): number | undefined => numberOf(value) || undefined;
