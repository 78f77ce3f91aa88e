import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { LogMetrics } from '../ingest/log/event-log.js';

/** What is in the log now, how many bytes it may take, and how old its oldest event is; 0 when it is empty. */
type LogState = { bytes: number; bytesMax: number; ageMs: number };

export type LogInstruments = {
  log: LogMetrics;
  observeLog(read: () => LogState): void;
};

/** The metrics of the log of events. In a process that acknowledges from the store they stay at 0. */
export function createLogMetrics(registers: Registry[]): LogInstruments {
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
  let read = (): LogState => ({ bytes: 0, bytesMax: Number.POSITIVE_INFINITY, ageMs: 0 });
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
      const { bytes, bytesMax } = read();
      this.set(bytes / bytesMax);
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
