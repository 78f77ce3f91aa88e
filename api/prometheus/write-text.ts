import type { LatencyHistogram } from '../../analytics/minute/latency-histogram.js';
import type { Family, Labels, Sample } from './family.js';

/** The text formats: what Prometheus reads by default, and OpenMetrics 1.0. */
export type TextFormat = 'text' | 'openmetrics';

/**
 * Writes metrics as text (https://prometheus.io/docs/instrumenting/exposition_formats/,
 * https://github.com/prometheus/OpenMetrics/blob/v1.0.0/specification/OpenMetrics.md). The first format has no type for
 * histograms of one time, so that there they are of the usual type; neither has native histograms.
 */
export function writeText(families: readonly Family[], format: TextFormat): string {
  const lines = families.flatMap((family) => [...head(family, format), ...samplesOf(family, format)]);
  const end = format === 'openmetrics' ? ['# EOF'] : [];
  return `${[...lines, ...end].join('\n')}\n`;
}

function head(family: Family, format: TextFormat): string[] {
  const { name, help } = family;
  const type = family.type === 'gaugehistogram' && format === 'text' ? 'histogram' : family.type;
  const unit = 'unit' in family && format === 'openmetrics' ? [`# UNIT ${name} ${family.unit}`] : [];
  return [`# HELP ${name} ${escapeHelp(help, format)}`, `# TYPE ${name} ${type}`, ...unit];
}

function samplesOf(family: Family, format: TextFormat): string[] {
  const { name } = family;
  if (family.type === 'gauge')
    return family.samples.map(({ labels, value, atMs }) => line(name, labels, value, timeOf(atMs, format)));
  return family.samples.flatMap((sample) => histogramLines(name, sample, format));
}

function histogramLines(
  name: string,
  { labels, value: { count, sumSeconds, buckets }, atMs }: Sample<LatencyHistogram>,
  format: TextFormat,
): string[] {
  const time = timeOf(atMs, format);
  const g = format === 'openmetrics' ? 'g' : '';
  return [
    ...buckets.map(({ le, count: below }) =>
      line(`${name}_bucket`, { ...labels, le: floatOf(le) }, below, time),
    ),
    line(`${name}_bucket`, { ...labels, le: '+Inf' }, count, time),
    line(`${name}_${g}sum`, labels, sumSeconds, time),
    line(`${name}_${g}count`, labels, count, time),
  ];
}

function line(name: string, labels: Labels, value: number, time: string): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeValue(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}${time}`;
}

/** The first format has milliseconds, OpenMetrics seconds. */
function timeOf(atMs: number | undefined, format: TextFormat): string {
  if (atMs === undefined) return '';
  return ` ${format === 'text' ? atMs : atMs / 1000}`;
}

/** Bounds are floats in OpenMetrics, and must be the same text in every scrape. */
const floatOf = (value: number): string => (Number.isInteger(value) ? `${value}.0` : `${value}`);

function escapeValue(text: string): string {
  return text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function escapeHelp(text: string, format: TextFormat): string {
  return format === 'openmetrics' ? escapeValue(text) : text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
