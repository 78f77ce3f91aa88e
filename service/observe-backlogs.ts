import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../lib/clock.js';
import type { Log } from '../lib/log.js';
import { withQueryTimeout } from '../sql/query-timeout.js';
import type { Backlogs } from './load-backlogs.js';

type Deps = { registry: Registry; read: () => Promise<Backlogs>; clock: Clock; log: Log };

/** Of two questions within this time the second one gets the answer of the first. */
const freshMs = 5_000;
const waitMs = 2_000;

/**
 * Gauges of what waits in PostgreSQL. They are the same on every process, so of several the largest counts. While
 * PostgreSQL does not answer they are left out: an alert on missing values is right then.
 */
export function observeBacklogs({ registry, read, clock, log }: Deps): void {
  const ask = rememberBriefly(read, clock, log);

  function gauge<Label extends string>(
    name: string,
    help: string,
    label: Label,
    values: (backlogs: Backlogs) => readonly (readonly [labelValue: string, value: number])[],
  ): void {
    new Gauge({
      ...{ name, help, labelNames: [label], registers: [registry], aggregator: 'max' as const },
      async collect() {
        const backlogs = await ask();
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
    'Buffered batches that their event store has still to take.',
    'store',
    ({ batches }) => batches.map(({ store, waiting }) => [store, waiting]),
  );
  gauge(
    'heartline_delivery_batches_exhausted',
    'Buffered batches that wait for a person.',
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
    'Age of the oldest buffered batch; 0 when there is none.',
    'store',
    ({ batches }) => batches.map(({ store, oldestSeconds }) => [store, oldestSeconds]),
  );
  gauge(
    'heartline_outbox_waiting',
    'Emails, webhook deliveries and translations that are still to be made.',
    'kind',
    ({ outbox }) => outbox.map(({ kind, waiting }) => [kind, waiting]),
  );
  gauge(
    'heartline_outbox_oldest_seconds',
    'Age of the oldest of them; 0 when there is none.',
    'kind',
    ({ outbox }) => outbox.map(({ kind, oldestSeconds }) => [kind, oldestSeconds]),
  );
  gauge(
    'heartline_job_last_success_age_seconds',
    'Time since a scheduled job last succeeded, on any instance.',
    'job',
    ({ jobs }) => jobs.map(({ job, successAgeSeconds }) => [job, successAgeSeconds]),
  );
}

/** One question for all gauges, and for whoever scrapes too often; undefined when there is no answer in time. */
function rememberBriefly(
  read: () => Promise<Backlogs>,
  clock: Clock,
  log: Log,
): () => Promise<Backlogs | undefined> {
  let asked: { at: number; answer: Promise<Backlogs | undefined> } | undefined;
  return () => {
    const now = clock.now();
    if (asked === undefined || Math.abs(now - asked.at) >= freshMs) {
      const answer = withQueryTimeout(read(), waitMs).catch((err) => {
        log.warn({ err }, 'What waits in PostgreSQL could not be counted for the metrics.');
        return undefined;
      });
      asked = { at: now, answer };
    }
    return asked.answer;
  };
}
