import { limits } from '../../contract/limits.js';
import { ServiceError } from '../../lib/service-error.js';
import { groupKeyOf, SeriesHash } from '../cumulative/identity.js';
import { findTimeFault, type Window } from '../read/time-window.js';
import { Ignored } from './ignored.js';
import type { LabelledEvent } from './labels.js';
import { formOfSeries, type SeriesForm } from './metrics.js';
import { type Counted, readNative } from './native.js';
import { type Labels, readSeries, type Sample, type Series, type WriteVersion } from './read-series.js';

/**
 * Buckets of a classic histogram at one time: counts by upper bound, as a canonical text such as `0.25`, `Infinity` for
 * the last, and `count` for the count beside the buckets.
 */
export type Buckets = Map<string, number>;

/** A classic histogram at one time, as far as a body has it. */
export type PartialPoint = { atMs: number; startMs: number | undefined; buckets: Buckets };

export type NativePoint = { atMs: number; startMs: number | undefined; counted: Counted };

/** The points of one histogram in a body. */
export type SentSeries = {
  /** Tells the histograms of a page apart: a UUID of metric and labels but for `le`. */
  series: string;
  /** The metric and the process that it is scraped from, as of groupKeyOf(). */
  group: string;
  /** The other labels, as of SeriesHash. */
  hash: number;
  event: LabelledEvent;
  perUnitMs: number;
  partial: Map<number, PartialPoint>;
  native: NativePoint[];
  /** Buckets that no longer exist. */
  ended: Set<string>;
};

/** `samples` and `histograms` are all that the body has, whether they are read or not. */
export type WriteRead = { series: SentSeries[]; ignored: Ignored; samples: number; histograms: number };

/** The key of the count beside the buckets. */
export const countKey = 'count';
/** The key of the last bucket, which has every request. */
export const lastKey = String(Number.POSITIVE_INFINITY);

/**
 * Reads the histograms of requests in an inflated body of remote write.
 *
 * @param charge as in readSeries()
 * @throws ServiceError as readSeries() does, `tooManySpans` for more than 10,000 points
 */
export function readHistograms(
  body: Buffer,
  { version, window }: { version: WriteVersion; window: Window },
  charge: (bytes: number) => void,
): WriteRead {
  const read: WriteRead = { series: [], ignored: new Ignored(), samples: 0, histograms: 0 };
  const known = new Map<string, SentSeries>();
  const reading = { known, window, ignored: read.ignored };
  for (const one of readSeries(body, version, charge)) {
    read.samples += one.samples.length;
    read.histograms += one.histograms.length;
    const form = formOfSeries(one.labels);
    if (form === undefined) read.ignored.add('other_metric', one.samples.length + one.histograms.length);
    else readOne(one, form, reading);
  }
  read.series = [...known.values()];
  const points = read.series.reduce((sum, { partial, native }) => sum + partial.size + native.length, 0);
  if (points > limits.otlpItemsMax) throw new ServiceError('tooManySpans');
  return read;
}

type Reading = { known: Map<string, SentSeries>; window: Window; ignored: Ignored };

function readOne(one: Series, form: SeriesForm, reading: Reading): void {
  const { labels, samples, histograms } = one;
  const { ignored } = reading;
  const key = keyOf(form, labels);
  const sent = (): SentSeries => {
    const there = reading.known.get(key) ?? startSeries(key, form, labels);
    reading.known.set(key, there);
    return there;
  };
  if (form.part === 'native') {
    // A classic metric without a suffix is a gauge.
    ignored.add('other_form', samples.length);
    for (const { atMs, startMs, message } of histograms) {
      const counted = findTimeFault(atMs, reading.window) ?? readNative(message);
      if (typeof counted === 'string') ignored.add(counted);
      else sent().native.push({ atMs, startMs, counted });
    }
    return;
  }
  const bound = form.part === 'bucket' ? boundOf(labels) : countKey;
  if (form.part === 'other') ignored.add('other_form', samples.length);
  else if (bound === undefined) ignored.add('malformed', samples.length);
  else if (form.part !== 'sum') for (const sample of samples) addSample(sent(), bound, sample, reading);
}

function addSample(
  sent: SentSeries,
  bound: string,
  { atMs, startMs, value }: Sample,
  { window, ignored }: Reading,
): void {
  const fault = findTimeFault(atMs, window);
  if (fault !== undefined) ignored.add(fault);
  // The marker of staleness is a NaN, and nothing else makes a count one.
  else if (Number.isNaN(value)) {
    sent.ended.add(bound);
    ignored.add('stale');
  } else if (!Number.isSafeInteger(value) || value < 0) ignored.add('malformed');
  else {
    const point = sent.partial.get(atMs) ?? { atMs, startMs, buckets: new Map() };
    point.buckets.set(bound, value);
    sent.partial.set(atMs, point);
  }
}

const hash = new SeriesHash();

function startSeries(key: string, form: SeriesForm, labels: Labels): SentSeries {
  hash.clear();
  for (const [name, value] of labels) if (!processLabels.has(name)) hash.add(name, 's', value);
  return {
    series: groupKeyOf([key]),
    group: groupKeyOf(['prometheus', form.metric, labels.get('job') ?? '', labels.get('instance') ?? '']),
    hash: hash.value,
    event: form.eventOf(labels),
    perUnitMs: form.perUnitMs,
    partial: new Map(),
    native: [],
    ended: new Set(),
  };
}

/** Labels that the series of a group have in common, and the ones that tell parts of a histogram apart. */
const processLabels: ReadonlySet<string> = new Set(['__name__', 'le', 'job', 'instance']);

/** Metric and labels in an order that no sender decides. */
function keyOf({ metric }: SeriesForm, labels: Labels): string {
  const own = [...labels].filter(([name]) => name !== 'le' && name !== '__name__');
  return JSON.stringify([metric, ...own.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** The bound as one text however it is written: `1` and `1.0` are the same. */
function boundOf(labels: Labels): string | undefined {
  const text = labels.get('le') ?? '';
  const bound = /^\+?inf(inity)?$/i.test(text) ? Number.POSITIVE_INFINITY : Number(text || 'none');
  return Number.isNaN(bound) ? undefined : String(bound);
}
