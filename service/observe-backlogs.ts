import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import { shareResult } from '../lib/share-result.js';
import { withQueryTimeout } from '../sql/query-timeout.js';
import type { Backlogs } from './backlogs.js';

type Deps = { registry: Registry; load: () => Promise<Backlogs>; clock: Clock; log: Log };

/** A second query within this time gets the result of the first. */
const freshMs = 5_000;
const waitMs = 2_000;

/**
 * Gauges of the backlogs in PostgreSQL. Every process reports the same values, so that the largest counts when they are
 * aggregated. The gauges are missing while PostgreSQL does not answer: an alert on missing values is right then.
 */
export function observeBacklogs({ registry, load, clock, log }: Deps): void {
  // One query serves all gauges, and scrapes in quick succession. Without an answer in time, the gauges are missing.
  const loadBriefly = shareResult<Backlogs | undefined>(
    () =>
      withQueryTimeout(load(), waitMs).catch((err) => {
        log.warn(
          { err },
          'The backlogs in PostgreSQL were not counted; the metrics lack them until the next scrape.',
        );
        return undefined;
      }),
    { clock, freshMs },
  );

  function gauge<Label extends string>(
    name: string,
    help: string,
    label: Label,
    values: (backlogs: Backlogs) => readonly (readonly [labelValue: string, value: number])[],
  ): void {
    new Gauge({
      ...{ name, help, labelNames: [label], registers: [registry], aggregator: 'max' as const },
      async collect() {
        const backlogs = await loadBriefly();
        this.reset();
        if (backlogs === undefined) return;
        for (const [labelValue, value] of values(backlogs)) {
          const labels: Partial<Record<Label, string>> = {};
          labels[label] = labelValue;
          this.set(labels, value);
        }
      },
    });
  }

  gauge(
    'heartline_delivery_batches_waiting',
    'Buffered batches waiting for their event store.',
    'store',
    ({ batches }) => batches.map(({ store, waiting }) => [store, waiting]),
  );
  gauge(
    'heartline_delivery_batches_exhausted',
    'Buffered batches that were given up and wait for an operator.',
    'store',
    ({ batches }) => batches.map(({ store, exhausted }) => [store, exhausted]),
  );
  gauge(
    'heartline_delivery_batches_removed',
    'Buffered batches that were removed to make room.',
    'store',
    ({ batches }) => batches.map(({ store, removed }) => [store, removed]),
  );
  gauge(
    'heartline_delivery_oldest_seconds',
    'Age of the oldest batch that waits for its event store; 0 without one.',
    'store',
    ({ batches }) => batches.map(({ store, oldestSeconds }) => [store, oldestSeconds]),
  );
  gauge(
    'heartline_outbox_waiting',
    'Emails, webhook deliveries, messages to channels and people, and translations that are pending; no translation is, without a translator.',
    'kind',
    ({ outbox }) => outbox.map(({ kind, waiting }) => [kind, waiting]),
  );
  gauge(
    'heartline_outbox_oldest_seconds',
    'Age of the oldest pending email or translation; how long a webhook delivery or message has been due; 0 without one.',
    'kind',
    ({ outbox }) => outbox.map(({ kind, oldestSeconds }) => [kind, oldestSeconds]),
  );
  gauge(
    'heartline_copies_waiting',
    'Rows that wait to be copied to ClickHouse, because they changed or because all rows are copied again.',
    'reason',
    ({ copies }) => copies.map(({ reason, waiting }) => [reason, waiting]),
  );
  gauge(
    'heartline_copies_oldest_seconds',
    'Age of the oldest note of a row that waits to be copied to ClickHouse; 0 without one.',
    'reason',
    ({ copies }) => copies.map(({ reason, oldestSeconds }) => [reason, oldestSeconds]),
  );
  gauge(
    'heartline_job_last_success_age_seconds',
    'Time since the last success of a scheduled job, on any instance; since the start of the process before the first.',
    // Prometheus renames a label `job` to `exported_job`, because it gives every series its own.
    'job_name',
    ({ jobs }) => jobs.map(({ name, successAgeSeconds }) => [name, successAgeSeconds]),
  );
}
