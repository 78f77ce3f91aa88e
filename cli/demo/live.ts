import { setTimeout as sleep } from 'node:timers/promises';
import { createKey, revokeKey } from '../../control/keys/index.js';
import { listMonitors, startHeartbeat } from '../../control/monitors/index.js';
import { findPage } from '../../control/pages/index.js';
import type { PageId } from '../../lib/ids.js';
import { withTimeout } from '../../lib/timeout.js';
import { minuteMs } from '../../lib/times.js';
import { writeObservations } from './databases/write-observations.js';
import { writePools } from './databases/write-pools.js';
import type { DemoDeps } from './extent.js';
import { type FilledPage, loadTimes } from './fill.js';
import { isDemoMonitor } from './monitors.js';
import { noiseAt } from './noise.js';
import { makeTraffic, type TrafficBatch } from './traffic/live-traffic.js';
import { writeChecks } from './write-checks.js';

export type LiveCounts = { accepted: number; checks: number; failedRequests: number };

/** `serviceEnded` says that the traffic ended because the service did, and not by the signal. */
export type LiveEnd = LiveCounts & { serviceEnded: boolean };

type Live = {
  /** Address of the running service, without a final slash. */
  serviceUrl: string;
  signal: AbortSignal;
  /** Between two rounds; as long as the traffic of a round takes by default. */
  pauseMs?: number;
  onProgress(counts: LiveCounts): void;
};

const everyMs = 2_000;
const requestTimeoutMs = 10_000;
/** Rounds without any response after which the service has ended: a restart takes less than these 30 seconds. */
const silentRoundsMax = 15;

/**
 * Posts the traffic of the demo to the running service until the signal, writes the checks of its monitors as they fall
 * due and the reports of its databases, and pings its heartbeat, which keeps the page fresh. Creates a key for this and
 * revokes it at the end. Ends also when the service does: at once when its stores end with it, otherwise after 30 seconds
 * without a response.
 *
 * @throws Error when the service refuses the key, or a store is unavailable while the service answers.
 */
export async function runLive(deps: DemoDeps, filled: FilledPage, live: Live): Promise<LiveEnd> {
  const counts: LiveCounts = { accepted: 0, checks: 0, failedRequests: 0 };
  const tokens = await startHeartbeats(deps, filled.page.id);
  const { id, key } = await createKey(deps, {
    ...{ pageId: filled.page.id, scope: 'ingest', name: 'heartline demo' },
  });
  const isOver = await endsWithService(live, async () => {
    let silentRounds = 0;
    for (let round = 0; !live.signal.aborted && silentRounds < silentRoundsMax; round += 1) {
      const answered = await runRound(deps, filled, { ...live, round, key, tokens, counts });
      silentRounds = answered ? 0 : silentRounds + 1;
      live.onProgress(counts);
      await sleep(live.pauseMs ?? everyMs, undefined, { signal: live.signal }).catch(() => {});
    }
    return silentRounds >= silentRoundsMax;
  });
  const isGone = await endsWithService(live, async () => {
    await revokeKey(deps, { id });
    return false;
  });
  return { ...counts, serviceEnded: isOver || isGone };
}

type Round = Live & { round: number; key: string; tokens: string[]; counts: LiveCounts };

/** One round of requests and checks. Returns whether the service answered any of the requests. */
async function runRound(deps: DemoDeps, filled: FilledPage, turn: Round): Promise<boolean> {
  const { round, key, tokens, counts } = turn;
  const batches = makeTraffic({
    ...(await loadTimes(deps, filled)),
    ...{ now: deps.clock.now(), seconds: everyMs / 1000, isFirst: round === 0, random: randomOf(round) },
  });
  const answers = await Promise.all(batches.map((batch) => postBatch(turn, key, batch, counts)));
  if (round % (minuteMs / everyMs) === 0) {
    for (const token of tokens) await request(turn, `/ping/${token}`, {}, counts);
    await writeDatabases(deps, filled);
  }
  if (!(await findPage(deps, { id: filled.page.id }))?.monitoringPaused)
    counts.checks += await writeChecks(deps, filled);
  return answers.some((answer) => answer !== undefined);
}

/** Writes what the databases of a page look like now and have since the last call. Call it once a minute. */
export async function writeDatabases(
  deps: DemoDeps,
  filled: FilledPage,
  onProgress?: (share: number) => void,
): Promise<void> {
  await writePools(deps, filled, await loadTimes(deps, filled), onProgress);
  await writeObservations(deps, filled);
}

/** Does work on the stores. Returns `true` when that fails because the service, and its stores with it, have ended. */
async function endsWithService({ serviceUrl }: Live, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (await isServiceAt(serviceUrl)) throw error;
    return true;
  }
}

/** Whether the service answers at the address within 5 s. */
export async function isServiceAt(serviceUrl: string): Promise<boolean> {
  return withTimeout((signal) => fetch(`${serviceUrl}/healthz`, { signal }), 5_000).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Gives the heartbeats new tokens and returns them. Only hashes are stored, so an earlier token is lost. */
export async function startHeartbeats(deps: DemoDeps, pageId: PageId): Promise<string[]> {
  const own = (await listMonitors(deps, pageId)).filter(
    (monitor) => monitor.kind === 'heartbeat' && isDemoMonitor(monitor.slug),
  );
  return Promise.all(
    own.map(({ id, everySeconds }) => startHeartbeat(deps, { monitorId: id, everySeconds })),
  );
}

async function postBatch(
  live: Live,
  key: string,
  batch: TrafficBatch,
  counts: LiveCounts,
): Promise<Response | undefined> {
  const { path, body } = batch;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await request(live, path, { method: 'POST', headers, body: JSON.stringify(body) }, counts);
  if (answer?.ok) counts.accepted += body.events.length;
  if (answer?.status === 401)
    throw new Error('The service does not know the key of the demo: it runs on other stores.');
  return answer;
}

/** Returns `undefined` when there is no response: the service may be restarting. */
async function request(
  { serviceUrl, signal }: Live,
  path: string,
  init: RequestInit,
  counts: LiveCounts,
): Promise<Response | undefined> {
  const exchange = async (ending: AbortSignal): Promise<Response> => {
    const answer = await fetch(serviceUrl + path, { ...init, signal: ending });
    await answer.arrayBuffer();
    return answer;
  };
  try {
    const answer = await withTimeout(exchange, requestTimeoutMs, { signal });
    if (!answer.ok) counts.failedRequests += 1;
    return answer;
  } catch {
    if (!signal.aborted) counts.failedRequests += 1;
    return undefined;
  }
}

/** Random numbers that differ from round to round and are the same in each run. */
function randomOf(round: number): () => number {
  let place = 0;
  return () => {
    place += 1;
    return noiseAt(round + 1, place);
  };
}
