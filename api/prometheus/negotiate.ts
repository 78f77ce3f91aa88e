import type { Context } from 'koa';
import type { Family } from './family.js';
import { writeProtobuf } from './write-protobuf.js';
import { writeText } from './write-text.js';

/** The formats of an answer, the usual one first, and how each writes metrics. */
export const mediaTypes = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  protobuf: 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited',
} as const;
export type Format = keyof typeof mediaTypes;

/** The same without parameters. */
export const plainTypes = Object.values(mediaTypes).map((type) => type.replace(/;.*/, ''));

/** The name of a format in `Accept`, with the parameters that choose it; Prometheus asks for several, by preference. */
const wanted: readonly (readonly [Format, RegExp])[] = [
  [
    'protobuf',
    /^application\/vnd\.google\.protobuf\b(?=.*proto=io\.prometheus\.client\.MetricFamily)(?=.*encoding=delimited)/,
  ],
  ['openmetrics', /^application\/openmetrics-text\b(?!.*version=0\.)/],
  ['text', /^(?:text\/plain|text\/\*|\*\/\*)/],
];

/** Returns the most preferred format of an `Accept` that we have; text when none is asked for. */
export function formatOf(accept = ''): Format {
  let best: { format: Format; quality: number } = { format: 'text', quality: 0 };
  for (const range of accept.split(',').map((part) => part.trim())) {
    const format = wanted.find(([, form]) => form.test(range))?.[0];
    const quality = Number(/;\s*q=([\d.]+)/.exec(range)?.[1] ?? 1);
    if (format !== undefined && quality > best.quality) best = { format, quality };
  }
  return best.format;
}

/** Writes metrics in a format. */
export function write(families: readonly Family[], format: Format): string | Buffer {
  return format === 'protobuf' ? writeProtobuf(families) : writeText(families, format);
}

/** Answers with what was written in a format. */
export function answerMetrics(ctx: Context, format: Format, body: string | Buffer): void {
  ctx.set('content-type', mediaTypes[format]);
  ctx.vary('accept');
  ctx.body = body;
}
