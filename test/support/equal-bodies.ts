import { beganIn, bounds, bucketOf, type Form, phaseMs, type Series, type Served } from './equal-traffic.js';
import { attributesOf, delta } from './otlp.js';
import { classic, type TestSeries } from './remote-write.js';

/** Bodies with the requests of a phase. The first phase begins at `startMs`. */
export type Traffic = { startMs: number; traffic: readonly Served[]; series: readonly Series[] };

const servicesOf = ({ series }: Traffic): string[] => [...new Set(series.map(({ service }) => service))];

/** Events of v1. */
export function eventsOfPhase({ traffic }: Traffic, phase: number): object[] {
  return traffic
    .filter((one) => one.phase === phase)
    .map(({ endMs, phase: _, ...event }) => ({ ...event, at: new Date(endMs).toISOString() }));
}

const resourceOf = (service: string) => ({
  attributes: attributesOf({ 'service.name': service, 'service.instance.id': `${service}-1` }),
});

const attributesOfRequest = ({ endpoint, method, status }: Omit<Series, 'served'>) =>
  attributesOf({
    ...{ 'http.request.method': method, 'http.route': endpoint, 'http.response.status_code': status },
    'url.scheme': 'http',
  });

/** An ExportTraceServiceRequest. */
export function tracesOfPhase(all: Traffic, phase: number): object {
  const resourceSpans = servicesOf(all).map((service) => {
    const spans = all.traffic.flatMap((one, place) =>
      one.service === service && one.phase === phase ? [spanOfServed(one, place)] : [],
    );
    return { resource: resourceOf(service), scopeSpans: [{ spans }] };
  });
  return { resourceSpans };
}

function spanOfServed(one: Served, place: number): object {
  const end = BigInt(one.endMs) * 1_000_000n;
  const id = (place + 1).toString(16).padStart(16, '0');
  return {
    ...{ traceId: id.padStart(32, 'a'), spanId: id, name: `${one.method} ${one.endpoint}`, kind: 2 },
    startTimeUnixNano: String(end - BigInt(Math.round(one.ms * 1e6))),
    endTimeUnixNano: String(end),
    attributes: attributesOfRequest(one),
    ...(one.status >= 500 && { status: { code: 2 } }),
  };
}

/** The requests of a phase, or of all phases since the process began. */
function sinceLast(series: Series, phase: number, temporality: number): Served[] {
  const first = temporality === delta ? phase : beganIn(phase);
  return series.served.filter((one) => one.phase >= first && one.phase <= phase);
}

/** An ExportMetricsServiceRequest. */
export function metricsOfPhase(all: Traffic, phase: number, temporality: number, form: Form): object {
  const first = temporality === delta ? phase : beganIn(phase);
  const startTimeUnixNano = `${all.startMs + first * phaseMs}000000`;
  const timeUnixNano = `${all.startMs + (phase + 1) * phaseMs}000000`;
  const resourceMetrics = servicesOf(all).map((service) => {
    const dataPoints = all.series.flatMap((series) => {
      const served = sinceLast(series, phase, temporality);
      if (series.service !== service || served.length === 0) return [];
      const attributes = attributesOfRequest(series);
      return [{ attributes, startTimeUnixNano, timeUnixNano, ...histogramOfServed(form, served) }];
    });
    const histogram = { aggregationTemporality: temporality, dataPoints };
    const kind = form === 'explicit' ? { histogram } : { exponentialHistogram: histogram };
    const metric = { name: 'http.server.request.duration', unit: 's', ...kind };
    return { resource: resourceOf(service), scopeMetrics: [{ metrics: [metric] }] };
  });
  return { resourceMetrics };
}

function histogramOfServed(form: Form, served: readonly Served[]): object {
  const seconds = served.map(({ ms }) => ms / 1_000);
  const usual = { count: String(served.length), min: Math.min(...seconds), max: Math.max(...seconds) };
  const indexes = served.map(({ ms }) => bucketOf(form, ms).index);
  const isExplicit = form === 'explicit';
  const first = isExplicit ? 0 : Math.min(...indexes);
  const length = isExplicit ? bounds.length + 1 : Math.max(...indexes) - first + 1;
  const bucketCounts = Array.from({ length }, (_, i) =>
    String(indexes.filter((index) => index === first + i).length),
  );
  return isExplicit
    ? { ...usual, bucketCounts, explicitBounds: bounds }
    : { ...usual, scale: form, zeroCount: '0', positive: { offset: first, bucketCounts } };
}

/** Series of Prometheus as they are scraped at the end of a phase; before the first, all are there with zero. */
export function scrapeOfPhase({ startMs, series }: Traffic, phase: number, hasStart: boolean): TestSeries[] {
  return series.flatMap((one) => {
    const served = sinceLast(one, phase, 2);
    if (served.length === 0 && phase >= 0) return [];
    const labels = {
      ...{ job: one.service, instance: 'a:80', http_route: one.endpoint },
      ...{ http_request_method: one.method, http_response_status_code: String(one.status) },
    };
    const began = hasStart ? startMs + beganIn(phase) * phaseMs : undefined;
    const scrapedAt = startMs + (phase + 1) * phaseMs;
    return classic('http_server_request_duration_seconds', labels, scrapedAt, upToBounds(served), began);
  });
}

function upToBounds(served: readonly Served[]): Record<string, number> {
  const upTo = (bound: number): number => served.filter(({ ms }) => ms / 1_000 <= bound).length;
  const counts = Object.fromEntries(bounds.map((bound) => [String(bound), upTo(bound)]));
  return { ...counts, '+Inf': served.length };
}
