import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { checkOutcomes, type ProbeMetrics } from '../control/monitors/index.js';
import { type PoolReportMetrics, poolReportOutcomes } from '../database-health/pool-reports/pool-reports.js';
import { beginAtZero, createEventMetrics, type EventMetrics } from './event-metrics.js';

export type Metrics = EventMetrics & {
  registry: Registry;
  probe: ProbeMetrics;
  poolReports: PoolReportMetrics;
  request(route: string, method: string, status: number, seconds: number): void;
  /** Counts a public read that was refused, or answered with an older value, because too much is loaded. */
  publicReadShed(): void;
  /** Counts a connection that was closed at once, because as many are open as may be. */
  connectionRefused(): void;
  clickhouseRestarted(): void;
};

/** Returns the text of the metrics of this registry, alone or together with the metrics of other processes. */
export type ReadMetrics = (own: Registry) => Promise<string>;

/** Creates the Prometheus metrics of the service. The id of a page is never a label: the series would be unbounded. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const registers = [registry];
  const requests = new Histogram({
    name: 'heartline_http_request_seconds',
    help: 'Time from the request to the end of the response, by route template.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.25, 1, 5, 30],
    registers,
  });
  const restarts = new Counter({
    name: 'heartline_clickhouse_restarts_total',
    help: 'Restarts of the embedded ClickHouse because a query of a page could not be killed.',
    registers,
  });
  const shed = new Counter({
    name: 'heartline_public_reads_shed_total',
    help: 'Loads for public pages that were refused because too many run; older answers are served where there are any.',
    registers,
  });
  const refused = new Counter({
    name: 'heartline_connections_refused_total',
    help: 'Connections that were closed at once, because as many are open as may be.',
    registers,
  });

  return {
    registry,
    clickhouseRestarted: () => restarts.inc(),
    publicReadShed: () => shed.inc(),
    connectionRefused: () => refused.inc(),
    ...createEventMetrics(registers),
    probe: createProbeMetrics(registers),
    poolReports: createPoolReportMetrics(registers),
    request: (route, method, status, seconds) =>
      requests.observe({ route, method, status: String(status) }, seconds),
  };
}

/** Metrics of Node.js and of the process. */
function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  // Sums of gauges that are there by type, under a name that Prometheus keeps for counters.
  for (const kind of ['handles', 'requests', 'resources']) {
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  }
  // The slowest of several processes counts: an average hides one that blocks behind others that are idle.
  const lag = registry.getSingleMetric('nodejs_eventloop_lag_p99_seconds');
  if (lag !== undefined) Object.assign(lag, { aggregator: 'max' });
}

function createProbeMetrics(registers: Registry[]): ProbeMetrics {
  const lag = new Histogram({
    name: 'heartline_check_lag_seconds',
    help: 'Time from when a check was due until it started.',
    buckets: [0.005, 0.025, 0.1, 0.25, 1, 5, 30, 120],
    registers,
  });
  const checks = new Counter({
    name: 'heartline_checks_total',
    help: 'Checks, by outcome: ok, a class of failure, blocked or waiting when nothing was observed, none when the check could not run.',
    labelNames: ['outcome'],
    registers,
  });
  beginAtZero(checks, 'outcome', checkOutcomes);
  const stored = new Counter({ name: 'heartline_checks_stored_total', help: 'Checks stored.', registers });
  const failures = new Counter({
    name: 'heartline_check_insert_failures_total',
    help: 'Failed attempts to store checks.',
    registers,
  });
  const dropped = new Counter({
    name: 'heartline_checks_dropped_total',
    help: 'Checks lost because ClickHouse was unavailable for too long.',
    registers,
  });
  return {
    began: (lagSeconds) => lag.observe(lagSeconds),
    ended: (outcome) => checks.inc({ outcome }),
    stored: (count) => stored.inc(count),
    insertFailed: () => failures.inc(),
    dropped: (count) => dropped.inc(count),
  };
}

function createPoolReportMetrics(registers: Registry[]): PoolReportMetrics {
  const reports = new Counter({
    name: 'heartline_pool_reports_total',
    help: 'Pool reports, by outcome: stored, duplicate, refused by a limit or as a conflict, failed because of a store.',
    labelNames: ['outcome'],
    registers,
  });
  beginAtZero(reports, 'outcome', poolReportOutcomes);
  const blocks = new Histogram({
    name: 'heartline_pool_block_insert_seconds',
    help: 'Time to store a block of pool reports in ClickHouse, retries included.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
    registers,
  });
  const failures = new Counter({
    name: 'heartline_pool_block_insert_failures_total',
    help: 'Failed attempts to store a block of pool reports.',
    registers,
  });
  return {
    decided: (outcome) => reports.inc({ outcome }),
    blockStored: (seconds) => blocks.observe(seconds),
    insertFailed: () => failures.inc(),
  };
}
