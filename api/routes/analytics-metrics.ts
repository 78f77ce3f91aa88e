import { type LatencyHistogram, toHistogram } from '../../analytics/minute/latency-histogram.js';
import { lastCompleteMinute, loadMinute, type MinuteFigures } from '../../analytics/minute/load-minute.js';
import type { PageStores } from '../../ingest/commit/page-stores.js';
import type { Clock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/times.js';
import type { PageRead } from '../page-read.js';
import type { Family, Labels, Sample } from '../prometheus/family.js';
import { answerMetrics, formatOf, plainTypes, write } from '../prometheus/negotiate.js';

type Deps = { clock: Clock; pageStores: Pick<PageStores, 'clickhouseOf' | 'settle'> };

/** The figures of the last complete minute for Prometheus. */
export function minuteMetricsRead({ clock, pageStores }: Deps): PageRead {
  return {
    method: 'GET',
    path: '/api/v1/analytics/metrics',
    operationId: 'getMinuteMetrics',
    summary: 'Requests, errors and response times of the last complete minute, for Prometheus',
    capability: 'internal-analytics',
    answers: { 200: { mediaTypes: plainTypes } },
    errors: ['sqlTooExpensive', 'ownStoreUnavailable'],
    async read(ctx, pageId) {
      const minute = lastCompleteMinute(clock.now());
      const format = formatOf(ctx.get('accept'));
      await pageStores.settle(pageId);
      const figures = await loadMinute({ clickhouse: pageStores.clickhouseOf(pageId) }, pageId, minute);
      answerMetrics(ctx, format, write(familiesOf(figures, minute + minuteMs), format));
    },
  };
}

function familiesOf(figures: readonly MinuteFigures[], atMs: number): Family[] {
  const samples = <Value>(figureOf: (one: MinuteFigures) => Value): Sample<Value>[] =>
    figures.map((one) => ({ labels: labelsOf(one), value: figureOf(one), atMs }));
  return [
    {
      name: 'heartline_last_minute_requests',
      help: 'Requests in the last complete minute, whose end is the time of the sample.',
      type: 'gauge',
      samples: samples(({ requests }) => requests),
    },
    {
      name: 'heartline_last_minute_errors',
      help: 'Requests in the last complete minute that were answered with a status of 500 or above.',
      type: 'gauge',
      samples: samples(({ errors }) => errors),
    },
    {
      name: 'heartline_last_minute_response_seconds',
      help: 'Response times in the last complete minute, as far as they were reported.',
      type: 'gaugehistogram',
      unit: 'seconds',
      samples: samples((one): LatencyHistogram => toHistogram(one.latencies, one.latencySumUs)),
    },
  ];
}

function labelsOf({ kind, service, endpoint }: MinuteFigures): Labels {
  return { kind, service, endpoint };
}
