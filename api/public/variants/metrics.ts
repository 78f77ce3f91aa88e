import { loadPageSummary, type SummaryDeps } from '../../../analytics/summary/summary.js';
import type { Service } from '../../../contract/public/summary.js';
import { hasPublicMetrics } from '../../../control/pages/index.js';
import type { Family, Sample } from '../../prometheus/family.js';
import { mediaTypes } from '../../prometheus/negotiate.js';
import { writeText } from '../../prometheus/write-text.js';
import type { Variant } from '../public-cache.js';
import { summaryCacheControl } from './summaries.js';

/** The state of a page's monitors for Prometheus, in the text format; of a page that has this switched on. */
export function metricsVariant(deps: SummaryDeps): Variant {
  return {
    name: 'metrics',
    hasFigures: true,
    contentType: mediaTypes.text,
    cacheControl: summaryCacheControl,
    async render(pageId) {
      if (!(await hasPublicMetrics(deps.sql, pageId))) return undefined;
      const read = await loadPageSummary(deps, pageId);
      const checked = read?.summary.services.filter(({ isManual }) => isManual !== true);
      return checked && writeText(familiesOf(checked), 'text');
    },
  };
}

const windows = {
  day: ['uptimeDay', 'timeDay'],
  week: ['uptimeWeek', 'timeWeek'],
  month: ['uptimeMonth', 'timeMonth'],
  year: ['uptimeYear', 'timeYear'],
} as const;

function familiesOf(services: readonly Service[]): Family[] {
  const gauge = (name: string, help: string, samplesOf: (service: Service) => Samples): Family => ({
    ...{ name, help, type: 'gauge' },
    samples: services.flatMap((service) =>
      samplesOf(service).map(([labels, value]) => ({
        labels: { monitor: service.slug, name: service.name, ...labels },
        value,
      })),
    ),
  });
  return [
    gauge('heartline_monitor_up', 'Whether the monitor is up; absent until that is known.', ({ coverage }) =>
      coverage?.state === 'up' || coverage?.state === 'down' ? [[{}, Number(coverage.state === 'up')]] : [],
    ),
    gauge('heartline_monitor_paused', 'Whether the checks of the monitor are paused.', ({ coverage }) => [
      [{}, Number(coverage?.freshness === 'paused')],
    ]),
    gauge('heartline_monitor_last_check_timestamp_seconds', 'Time of the last check.', ({ coverage }) =>
      coverage?.lastCheckedAt == null ? [] : [[{}, Date.parse(coverage.lastCheckedAt) / 1000]],
    ),
    gauge('heartline_monitor_uptime_ratio', 'Uptime in the observed time of the window, 0 to 1.', (service) =>
      eachWindow((window) => ratioOf(service[windows[window][0]])),
    ),
    gauge('heartline_monitor_response_seconds', 'Average response time in the window.', (service) =>
      eachWindow((window) => service[windows[window][1]] / 1000 || undefined),
    ),
  ];
}

type Samples = readonly (readonly [labels: Sample<number>['labels'], value: number])[];

/** A sample for each window that has a value. */
function eachWindow(valueIn: (window: keyof typeof windows) => number | undefined): Samples {
  const names = Object.keys(windows) as (keyof typeof windows)[]; // Its keys are these names.
  return names.flatMap((window) => {
    const value = valueIn(window);
    return value === undefined ? [] : [[{ window }, value] as const];
  });
}

/** Returns `undefined` for the text of a window without observations. */
function ratioOf(percentage: string): number | undefined {
  const ratio = Number((Number.parseFloat(percentage) / 100).toFixed(4));
  return Number.isNaN(ratio) ? undefined : ratio;
}
