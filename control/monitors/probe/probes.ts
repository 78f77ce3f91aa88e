import type { Clock } from '../../../lib/clock.js';
import type { Log } from '../../../lib/log.js';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { createCheckDeps } from './check-deps.js';
import { type RecorderMetrics, startRecorder } from './recorder.js';
import { runCheck } from './run-check.js';
import { type SchedulerMetrics, startScheduler } from './scheduler.js';

export type ProbeMetrics = SchedulerMetrics & RecorderMetrics;

export type ProbesDeps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  log: Log;
  /** The one that the secrets of requests are sealed with. */
  secretKey: string;
  /** Whether targets may be in loopback and private networks. */
  allowPrivateAddresses: boolean;
  metrics?: ProbeMetrics;
  /** How often due checks are looked for, and results stored; 1 s when not given. */
  everyMs?: number;
};

export type Probes = {
  /** Lets what is under way end, for some seconds, and stores what it came to. */
  stop(): Promise<void>;
};

const stopGraceMs = 3_000;

/** Makes the checks of all monitors when they are due, together with all other instances on the same stores. */
export function startProbes(deps: ProbesDeps): Probes {
  const { everyMs = 1_000 } = deps;
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
