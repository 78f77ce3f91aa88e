import { decode, type Message } from '../../lib/protobuf/decode.js';
import { ServiceError } from '../../lib/service-error.js';
import { writeRequest, writeRequest2 } from './schemas.js';

/** The message of a body: `prometheus.WriteRequest` of 1.0, or `io.prometheus.write.v2.Request`. */
export type WriteVersion = 1 | 2;

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
 * @param noteMessages as in decode()
 * @throws ServiceError `bodyNotProtobuf` and `bodyTooLarge` as decode() does; `invalidBody` for a reference to a symbol
 *   that the body does not have
 */
export function readSeries(
  body: Buffer,
  version: WriteVersion,
  noteMessages: (count: number) => void,
): Series[] {
  const tree = decode(body, version === 1 ? writeRequest : writeRequest2, noteMessages);
  const symbols = listOf<string>(tree['symbols']);
  return listOf<Message>(tree['timeseries']).map((series, i) => ({
    labels:
      version === 1
        ? labelsOf(listOf<Message>(series['labels']))
        : symbolsOf(listOf<number>(series['labelRefs']), symbols, i),
    ...valuesOf(series),
  }));
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

function unknownSymbol(series: number, symbols: number): ServiceError {
  return new ServiceError('invalidBody', {
    message: `"timeseries" number ${series} must refer to pairs of the ${symbols} symbols of the body.`,
  });
}

/** The schema decides the type of an item; a field that is absent has the value 0, as proto3 wants it. */
const listOf = <Item>(value: unknown): readonly Item[] => (value as Item[] | undefined) ?? [];
const numberOf = (value: unknown): number => (value as number | undefined) ?? 0;
const timeOf = (value: unknown): number | undefined => numberOf(value) || undefined;
