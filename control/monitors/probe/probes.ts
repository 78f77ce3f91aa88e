import type { Clock } from '../../../lib/clock.js';
import type { Log } from '../../../lib/log.js';
import type { PrivateAddresses } from '../../../lib/outbound/address-guard.js';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type RecorderMetrics, startRecorder } from './recorder.js';
import { createCheckDeps, runCheck } from './run-check.js';
import { type SchedulerMetrics, startScheduler } from './scheduler.js';

export type ProbeMetrics = SchedulerMetrics & RecorderMetrics;

export type ProbesDeps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  log: Log;
  /** The key that the secrets of requests are sealed with. */
  secretKey: string;
  /** Whether targets may be in loopback and private networks. */
  allowPrivateAddresses: PrivateAddresses;
  metrics?: ProbeMetrics;
  /** Pause between looks for due checks, and between writes of results. Default: 1,000. */
  everyMs?: number;
  /** Time that checks in flight have to end when the probes stop. Default: 3,000. */
  stopGraceMs?: number;
};

export type Probes = {
  /** Gives checks in flight `stopGraceMs` to end, and stores their results. */
  stop(): Promise<void>;
};

/** Makes the checks of all monitors when they are due, together with the other instances on the same stores. */
export function startProbes(deps: ProbesDeps): Probes {
  const { everyMs = 1_000, stopGraceMs = 3_000 } = deps;
  const recorder = startRecorder(deps, everyMs);
  const checkDeps = createCheckDeps(deps);
  const scheduler = startScheduler(
    {
      ...deps,
      run: (check, signal) => runCheck({ ...checkDeps, secretKey: deps.secretKey }, check, signal),
      record: (finished) => recorder.add(finished),
    },
    everyMs,
  );
  return {
    async stop() {
      await scheduler.stop(stopGraceMs);
      await recorder.stop();
    },
  };
}
