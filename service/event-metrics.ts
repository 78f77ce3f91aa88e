import { Counter, Gauge, Histogram, type LabelValues, type Registry } from 'prom-client';
import { rejectionReasons } from '../contract/rejections.js';
import type { CommitMetrics } from '../ingest/commit/commit.js';
import type { IngestMetrics } from '../ingest/hand-to-commit.js';
import type { LogMetrics } from '../ingest/log/event-log.js';
import { leftOutReasons } from '../ingest/otlp/left-out.js';
import { signals } from '../ingest/otlp/tree.js';
import { ignoredReasons } from '../ingest/prometheus/ignored.js';

/**
 * The bytes in the log, the bytes that are written ahead of their events, the bytes that it may take, and the age of its
 * oldest event; 0 when it is empty.
 */
type LogState = { bytes: number; aheadBytes: number; bytesMax: number; ageMs: number };

/** The metrics of events: what was sent, what is stored, and the log in between. */
export type EventMetrics = {
  ingest: IngestMetrics;
  commit: CommitMetrics;
  observeWaitingEvents(read: () => number): void;
  log: LogMetrics;
  observeLog(read: () => LogState): void;
};

export function createEventMetrics(registers: Registry[]): EventMetrics {
  return {
    ingest: createIngestMetrics(registers),
    commit: createCommitMetrics(registers),
    observeWaitingEvents: (read) => observeWaitingEvents(registers, read),
    ...createLogMetrics(registers),
  };
}

/** Makes the metrics of the log of events. They stay at 0 in a process without a log. */
function createLogMetrics(registers: Registry[]): Pick<EventMetrics, 'log' | 'observeLog'> {
  const syncs = new Histogram({
    name: 'heartline_log_sync_seconds',
    help: 'Time until the disk has the batches of one write to the log.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5],
    registers,
  });
  const damaged = new Counter({
    name: 'heartline_log_damaged_total',
    help: 'Files of the log in which bytes between whole records could not be read.',
    registers,
  });
  let read = (): LogState => ({ bytes: 0, aheadBytes: 0, bytesMax: Number.POSITIVE_INFINITY, ageMs: 0 });
  new Gauge({
    name: 'heartline_log_bytes',
    help: 'Bytes in the log: acknowledged events that their store does not have yet.',
    registers,
    collect() {
      this.set(read().bytes);
    },
  });
  new Gauge({
    name: 'heartline_log_used_ratio',
    help: 'Share of HEARTLINE_LOG_MAX_BYTES that the log takes; from 1 on events are refused. With several processes, the largest.',
    registers,
    aggregator: 'max',
    collect() {
      const { bytes, aheadBytes, bytesMax } = read();
      this.set((bytes + aheadBytes) / bytesMax);
    },
  });
  new Gauge({
    name: 'heartline_log_oldest_seconds',
    help: 'Age of the oldest event in the log; 0 when the log is empty. With several processes, the largest.',
    registers,
    aggregator: 'max',
    collect() {
      this.set(read().ageMs / 1000);
    },
  });
  return {
    log: { synced: (seconds) => syncs.observe(seconds), damaged: () => damaged.inc() },
    observeLog(readLog) {
      read = readLog;
    },
  };
}

function createIngestMetrics(registers: Registry[]): IngestMetrics {
  const accepted = new Counter({
    name: 'heartline_events_accepted_total',
    help: 'Events stored and acknowledged.',
    registers,
  });
  const rejected = new Counter({
    name: 'heartline_events_rejected_total',
    help: 'Events that were not counted, by reason.',
    labelNames: ['reason'],
    registers,
  });
  beginAtZero(rejected, 'reason', rejectionReasons);
  const unread = new Counter({
    name: 'heartline_event_batches_unread_total',
    help: 'Batches of events that count, with a field or a value that is not read; the acknowledgement names it.',
    registers,
  });
  const ignored = new Counter({
    name: 'heartline_otlp_ignored_total',
    help: 'Spans, metrics and data points of OTLP that are not requests over HTTP or cannot be counted, by reason.',
    labelNames: ['signal', 'reason'],
    registers,
  });
  for (const signal of signals)
    for (const reason of leftOutReasons[signal]) ignored.inc({ signal, reason }, 0);
  const ignoredSamples = new Counter({
    name: 'heartline_remote_write_ignored_total',
    help: 'Samples and points of histograms that Prometheus has forwarded and that count nothing, by reason.',
    labelNames: ['reason'],
    registers,
  });
  beginAtZero(ignoredSamples, 'reason', ignoredReasons);
  return {
    accepted: (count) => accepted.inc(count),
    rejected: (reason, count) => rejected.inc({ reason }, count),
    unread: () => unread.inc(),
    ignoredSamples: (counts) => {
      for (const [reason, count] of counts) ignoredSamples.inc({ reason }, count);
    },
    ignored: (signal, counts) => {
      for (const [reason, count] of counts) ignored.inc({ signal, reason }, count);
    },
  };
}

function createCommitMetrics(registers: Registry[]): CommitMetrics {
  const blocks = new Histogram({
    name: 'heartline_block_insert_seconds',
    help: 'Time to store a block of collapsed rows, retries included.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
    registers,
  });
  const rows = new Counter({ name: 'heartline_block_rows_total', help: 'Collapsed rows stored.', registers });
  const events = new Counter({
    name: 'heartline_block_events_total',
    help: 'Events in the stored rows.',
    registers,
  });
  const failures = new Counter({
    name: 'heartline_block_insert_failures_total',
    help: 'Failed attempts to store a block.',
    registers,
  });
  return {
    inserted(block) {
      blocks.observe(block.seconds);
      rows.inc(block.rows);
      events.inc(block.events);
    },
    insertFailed: () => failures.inc(),
  };
}

function observeWaitingEvents(registers: Registry[], read: () => number): void {
  new Gauge({
    name: 'heartline_events_waiting',
    help: 'Events waiting for their block to be sent; with several processes, the largest number among them.',
    registers,
    // Each process has its own bound.
    aggregator: 'max',
    collect() {
      this.set(read());
    },
  });
}

/** Prometheus counts what is added to a series it knows: an increase needs the value before the first occurrence. */
export function beginAtZero<Label extends string>(
  counter: Counter<Label>,
  label: Label,
  values: readonly string[],
): void {
  for (const value of values) {
    const labels: LabelValues<Label> = {};
    labels[label] = value;
    counter.inc(labels, 0);
  }
}
