/** The body of `POST /api/v1/database-health/reports`, version 1. */
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
  /** Totals over the life of the process. */
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

/** Measurements of a pool in one interval; `null` if not supported. */
export type PoolFigures = {
  coverage: 'complete' | 'partial';
  supported: Measurement[];
  snapshot: { open: number | null; busy: number | null; idle: number | null; waiting: number | null };
  peaks: { open: number | null; busy: number | null; waiting: number | null };
  /** Successful acquisitions: counts by duration, and the sum of their durations. */
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
  /** `null` if there is no limit. */
  maximum: number | null;
};

/** Names of a pool, visible to everybody who reads the page's analytics. */
export type PoolNames = {
  /** The database of the pool, such as `orders`. */
  target: string;
  /** The pool within the process, such as `main`. */
  pool: string;
  /** Distinguishes the servers of a topology; `default` by default. */
  serverPool?: string;
  /** Version of the driver. Found automatically, except in a bundled program. */
  driverVersion?: string;
};

/** A pool to report, created by pgPool(), mysqlPool(), postgresJs() or mongoClient(). */
export type PoolSource = { attach(): AttachedPool };

export type AttachedPool = {
  /** Returns the measurements since the previous call, one entry for each server. */
  take(): PoolEntry[];
  /** Restores the driver. */
  detach(): void;
};

export const limits = {
  intervalMsMax: 120_000,
  serverPoolsPerHour: 16,
} as const;
