import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import type { Observation } from '../../contract/observations.js';
import type { Sql } from '../../sql/open-postgres.js';
import { captureLog } from './capture-log.js';
import { makeMovingClock } from './moving-clock.js';
import { setPage } from './pages.js';
import { type Answer, type PostOptions, startTestService, withoutJobs } from './service.js';

type Result = Observation['sample']['result'];

/** The fields of an observation that matter to a test, at any depth. */
export type ObservationFields = Partial<Omit<Observation, 'sample'>> &
  Partial<Result> &
  Partial<Observation['sample']['measurements']>;

/** Returns an observation of a healthy database, as a request body. `now` is in milliseconds since the epoch. */
export function makeObservation(now: number, fields: ObservationFields = {}): Observation {
  const {
    engine = 'postgresql',
    outcome = 'connected',
    checkedAt = new Date(now).toISOString(),
    latencyMs = 3.25,
    capabilities = ['pg_stat_activity', 'pg_locks'],
    connections = 17,
    connectionLimit = 100,
    activeSessions = 4,
    blockedSessions = null,
    ...top
  } = fields;
  return {
    version: 1,
    observationId: randomUUID(),
    sourceId: 'orders-db',
    environment: 'production',
    target: 'eu-west/primary',
    connectionId: null,
    ...top,
    sample: {
      result: { engine, outcome, checkedAt, latencyMs, capabilities },
      measurements: { connections, connectionLimit, activeSessions, blockedSessions },
    },
  };
}

export const observationsPath = '/api/v1/database-health/observations';

/** Starts the service with two pages that accept observations, on a clock that the test can advance. */
export async function startObservationService(t: Test) {
  const clock = makeMovingClock();
  const { log, text } = captureLog();
  const api = await startTestService(t, { clock, log, roles: withoutJobs });
  const { sql } = api.stores;
  const send = (body: unknown, options: PostOptions = {}) => api.post(observationsPath, body, options);
  for (const slug of ['acme', 'other']) await setPage({ sql, clock }, { slug, databaseHealthEnabled: true });
  const make = (fields: ObservationFields = {}) => makeObservation(clock.now(), fields);
  return {
    ...{ api, sql, clock, deps: { sql, clock }, send, make, logged: text },
    ofNewSource: (fields: ObservationFields = {}) => make({ sourceId: `source ${randomUUID()}`, ...fields }),
    /** Advances the clock by a day, after which earlier requests and sources no longer count. */
    aDayLater: () => clock.advance(24 * 3_600_000 + 1),
    readAll: () => readAll(sql),
    /** Asserts that the answer is this refusal, and that nothing is stored. */
    async isRefused(t: Test, ask: () => Promise<Answer>, status: number, error: string | RegExp) {
      const before = await readAll(sql);
      const answer = await ask();
      t.equal(answer.status, status, String(error));
      t.match(answer.body, { error });
      t.strictSame(
        Object.keys(answer.body as object).filter((name) => name !== 'hint' && name !== 'field'),
        ['error', 'code'],
      );
      t.strictSame(await readAll(sql), before, 'nothing is stored');
      return answer;
    },
  };
}

async function readAll(sql: Sql): Promise<unknown> {
  return {
    observations: [...(await sql`select * from observations order by page_id, id`)],
    sources: [...(await sql`select * from observation_sources order by page_id, source_id`)],
  };
}
