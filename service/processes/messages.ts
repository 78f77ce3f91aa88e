import type { Worker } from 'node:cluster';
import type { Registry } from 'prom-client';
import type { PageId } from '../../lib/ids.js';
import type { EventLogPlace } from '../options.js';
import type { OthersSettled } from '../settle-everywhere.js';

/** The start of a process. It goes over the channel between the processes, so that no environment holds a secret. */
export type ProcessStart = {
  databaseUrl: string;
  clickhouseUrl: string;
  secretKey: string;
  makeSqlUser: boolean;
  eventLog?: EventLogPlace | undefined;
  /** The port for OTLP over gRPC that all of them share. */
  otlpGrpcPort?: number | undefined;
};

export type CollectedMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** When the oldest event of a page arrived that still waits in a process, in milliseconds since the epoch. */
export type Settled = Pick<OthersSettled, 'oldest'>;

export type ToProcess =
  | { type: 'start'; start: ProcessStart }
  | { type: 'announced' }
  | { type: 'stop' }
  | { type: 'collect'; id: number }
  | { type: 'metrics'; id: number; text: string }
  | { type: 'settle'; id: number; pageId: PageId }
  | { type: 'othersSettled'; id: number; settled: OthersSettled }
  | { type: 'clickhouseRestart'; id: number; restarts: boolean };

export type FromProcess =
  | { type: 'ready' }
  | { type: 'listening'; url: string }
  /** One sentence for the person who started the service. */
  | { type: 'failed'; message: string }
  | { type: 'collected'; id: number; metrics: CollectedMetrics }
  | { type: 'askMetrics'; id: number }
  | { type: 'settled'; id: number; settled: Settled }
  | { type: 'askSettle'; id: number; pageId: PageId }
  | { type: 'restartClickHouse'; id: number; reason: string };

/** Sends a message to a process. Drops it when the process is ending: its channel is closed then. */
export function tellProcess(worker: Worker, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
