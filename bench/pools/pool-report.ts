/** Times in milliseconds since the epoch. */
export type PoolReportFields = {
  session: string;
  sequence: number;
  /** Start of the session. */
  beganAt: number;
  endsAt: number;
  intervalMs: number;
  pools: number;
};

/** A report of connection pools with every value measured, as a process sends it. */
export function makePoolReport(fields: PoolReportFields): object {
  const { session, sequence, beganAt, endsAt, intervalMs, pools } = fields;
  return {
    ...{ version: 1, session, sequence, service: 'checkout', environment: 'production', revision: 'f3c9a51' },
    startedAt: new Date(beganAt).toISOString(),
    from: new Date(endsAt - intervalMs).toISOString(),
    to: new Date(endsAt).toISOString(),
    pools: Array.from({ length: pools }, (_, i) => makePool(i)),
    exporter: { dropped: 0, failures: 0 },
  };
}

function makePool(i: number): object {
  return {
    ...{ system: 'mongodb', target: 'orders', pool: `pool-${i}`, serverPool: 'primary' },
    ...{ driverVersion: '7.1.0', coverage: 'complete' },
    supported: ['open', 'busy', 'idle', 'waiting', 'acquisition', 'failures', 'created', 'closed'],
    snapshot: { open: 10, busy: 4, idle: 6, waiting: 1 },
    peaks: { open: 12, busy: 9, waiting: 3 },
    acquisition: { counts: [500, 40, 30, 20, 10, 5, 3, 2, 1, 0, 0], sumMs: 6_123.25 },
    ...{ failures: 2, created: 3, closed: 1, minimum: 0, maximum: 100 },
  };
}
