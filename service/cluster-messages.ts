import type { Registry } from 'prom-client';

/** What a worker is started with. It goes over the channel between the processes: no secret is in an environment. */
export type WorkerStart = {
  databaseUrl: string;
  clickhouseUrl: string;
  secretKey: string;
  makeSqlUser: boolean;
};

export type CollectedMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export type ToWorker =
  | { type: 'start'; start: WorkerStart }
  | { type: 'stop' }
  | { type: 'collect'; id: number }
  | { type: 'metrics'; id: number; text: string };

export type FromWorker =
  | { type: 'ready' }
  | { type: 'listening'; url: string }
  /** One sentence for the person who started the service. */
  | { type: 'failed'; message: string }
  | { type: 'collected'; id: number; metrics: CollectedMetrics }
  | { type: 'askMetrics'; id: number };
