import { metricsRequest } from '../../../../ingest/otlp/schemas.js';
import { attributesOf, cumulative, delta, encodeOtlp } from '../../../support/otlp.js';

/** Processes that send at once, each with series of its own. */
export const sendersAtOnce = 4;
/** Data points in an export: a combination of endpoint, method and status each, with 4 requests since the last one. */
const points = 250;
const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Exports of 1,000 requests each as histograms in protobuf, one list for each sender. Those of `cumulative` go on where
 * the exports before `from` ended: each has 1,000 requests more than the one before it.
 */
export function exportsOf(
  temporality: 'delta' | 'cumulative',
  { from, exports, startedAtMs }: { from: number; exports: number; startedAtMs: number },
): Buffer[][] {
  return Array.from({ length: sendersAtOnce }, (_, sender) =>
    Array.from({ length: exports }, (_, i) =>
      exportOf(temporality, { sender, number: from + i + 1, startedAtMs }),
    ),
  );
}

function exportOf(
  temporality: 'delta' | 'cumulative',
  { sender, number, startedAtMs }: { sender: number; number: number; startedAtMs: number },
): Buffer {
  const times = temporality === 'cumulative' ? number : 1;
  // Points of a series are later than the ones before them.
  const time = String(BigInt(startedAtMs + 30_000 + number) * 1_000_000n);
  const dataPoints = Array.from({ length: points }, (_, i) => ({
    attributes: attributesOf({
      'http.request.method': i % 5 === 0 ? 'POST' : 'GET',
      'http.route': `/shop/area-${i % 125}/:id`,
      'http.response.status_code': i % 20 === 0 ? 500 : 200,
      'url.scheme': 'https',
      'network.protocol.version': '1.1',
      // Two points of a route differ in this.
      'server.address': i < 125 ? 'a.shop.example' : 'b.shop.example',
    }),
    startTimeUnixNano: String(BigInt(startedAtMs) * 1_000_000n),
    timeUnixNano: time,
    count: String(4 * times),
    sum: 0.4 * times,
    bucketCounts: [...bounds, 0].map((_, bucket) => String(bucket >= 3 && bucket < 7 ? times : 0)),
    explicitBounds: bounds,
  }));
  const histogram = {
    aggregationTemporality: temporality === 'cumulative' ? cumulative : delta,
    dataPoints,
  };
  const resource = {
    attributes: attributesOf({
      'service.name': `shop-${temporality}`,
      'service.instance.id': `${temporality}-${sender}`,
    }),
  };
  const metrics = [{ name: 'http.server.request.duration', unit: 's', histogram }];
  return encodeOtlp({ resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] }, metricsRequest);
}
