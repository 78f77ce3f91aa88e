/** What is sent: `POST /api/v1/database-health/reports`, version 1. */
export type Report = {
  version: 1;
  session: string;
  sequence: number;
  service: string;
  environment: string;
  revision: string;
  startedAt: string;
  from: string;
  to: string;
  pools: PoolEntry[];
  /** Over the life of the process. */
  exporter: { dropped: number; failures: number };
};

export type Measurement =
  | 'open'
  | 'busy'
  | 'idle'
  | 'waiting'
  | 'acquisition'
  | 'failures'
  | 'created'
  | 'closed';

/** What was measured of a pool in one interval; what is not supported is null. */
export type PoolFigures = {
  coverage: 'complete' | 'partial';
  supported: Measurement[];
  snapshot: { open: number | null; busy: number | null; idle: number | null; waiting: number | null };
  peaks: { open: number | null; busy: number | null; waiting: number | null };
  /** Successful acquisitions: how many by duration, and their durations together. */
  acquisition: { counts: number[]; sumMs: number } | null;
  failures: number | null;
  created: number | null;
  closed: number | null;
};

export type PoolEntry = PoolFigures & {
  system: string;
  target: string;
  pool: string;
  serverPool: string;
  driverVersion: string;
  minimum: number | null;
  /** null when there is no limit. */
  maximum: number | null;
};

/** What a pool is called: names that anybody may see who reads the page's analytics. */
export type PoolNames = {
  /** The database that the pool leads to, such as `orders`. */
  target: string;
  /** The pool within the process, such as `main`. */
  pool: string;
  /** Tells the servers of a topology apart; `default` when not given. */
  serverPool?: string;
  /** Of the driver; looked up when not given, which a bundled program needs. */
  driverVersion?: string;
};

/** A pool to report, as pgPool(), mysqlPool(), postgresJs() and mongoClient() make it. */
export type PoolSource = { attach(): AttachedPool };

export type AttachedPool = {
  /** What was measured since the last call: one entry for each server. */
  take(): PoolEntry[];
  /** Leaves the driver as it was found. */
  detach(): void;
};

export const limits = {
  intervalMsMax: 120_000,
  serverPoolsPerHour: 16,
} as const;
