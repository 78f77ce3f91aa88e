import { setTimeout as sleep } from 'node:timers/promises';
import { createKey, revokeKey } from '../../control/keys/index.js';
import { listMonitors, startHeartbeat } from '../../control/monitors/index.js';
import { findPage } from '../../control/pages/index.js';
import type { PageId } from '../../lib/ids.js';
import type { DemoDeps } from './demo-deps.js';
import type { FilledPage } from './fill.js';
import { isDemoMonitor } from './monitors.js';
import { noiseAt } from './noise.js';
import { makeTraffic, type TrafficBatch } from './traffic.js';
import { writeChecks } from './write-checks.js';

export type LiveCounts = { accepted: number; checks: number; failedRequests: number };

type Live = {
  /** Address of the running service, without a final slash. */
  serviceUrl: string;
  signal: AbortSignal;
  onProgress(counts: LiveCounts): void;
};

const everyMs = 2_000;
const pingEveryMs = 60_000;
const requestTimeoutMs = 10_000;

/**
 * Posts the traffic of the demo to the running service until the signal, writes the checks of its monitors as they fall
 * due, and pings its heartbeat, which keeps the page fresh. Creates a key for this and revokes it at the end.
 *
 * @throws Error when the service refuses the key, or a store is unavailable.
 */
export async function runLive(deps: DemoDeps, filled: FilledPage, live: Live): Promise<LiveCounts> {
  const counts: LiveCounts = { accepted: 0, checks: 0, failedRequests: 0 };
  const tokens = await startHeartbeats(deps, filled.page.id);
  const { id, key } = await createKey(deps, {
    pageId: filled.page.id,
    scope: 'ingest',
    name: 'heartline demo',
  });
  try {
    for (let round = 0; !live.signal.aborted; round += 1) {
      await Promise.all(
        makeTraffic(everyMs / 1000, deps.clock.now(), randomOf(round)).map((batch) =>
          postBatch(live, key, batch, counts),
        ),
      );
      if (round % (pingEveryMs / everyMs) === 0) {
        for (const token of tokens) await request(live, `/ping/${token}`, {}, counts);
      }
      if (!(await findPage(deps, { id: filled.page.id }))?.monitoringPaused)
        counts.checks += await writeChecks(deps, filled);
      live.onProgress(counts);
      await sleep(everyMs, undefined, { signal: live.signal }).catch(() => {});
    }
    return counts;
  } finally {
    await revokeKey(deps, { id });
  }
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

async function postBatch(live: Live, key: string, batch: TrafficBatch, counts: LiveCounts): Promise<void> {
  const { path, body } = batch;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await request(live, path, { method: 'POST', headers, body: JSON.stringify(body) }, counts);
  if (answer?.ok) counts.accepted += body.events.length;
  if (answer?.status === 401)
    throw new Error('The service does not know the key of the demo: it runs on other stores.');
}

/** Returns `undefined` when there is no response: the service may be restarting. */
async function request(
  { serviceUrl, signal }: Live,
  path: string,
  init: RequestInit,
  counts: LiveCounts,
): Promise<Response | undefined> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
  try {
    const answer = await fetch(serviceUrl + path, { ...init, signal: ending });
    await answer.arrayBuffer();
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
