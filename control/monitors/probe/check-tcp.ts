import { Socket } from 'node:net';
import { parseTcpUrl } from '../parse-target.js';
import type { CheckDeps } from './check-deps.js';
import { startDeadline } from './deadline.js';
import { explainFailure } from './explain-failure.js';
import { createPhaseMeter } from './measure-phases.js';
import { CheckFailure, type Outcome, ProbeError } from './outcome.js';

/**
 * Whether a connection can be made to `tcp://host:port`.
 *
 * @throws ProbeError when that could not be found out; the reason of the signal when it is aborted.
 */
export async function checkTcp(
  { agents, lookup }: CheckDeps,
  { url, timeoutMs }: { url: string; timeoutMs: number },
  signal: AbortSignal,
): Promise<Outcome> {
  const target = parseTcpUrl(url);
  if (target === undefined) throw new ProbeError('The URL of the monitor is not tcp://host:port.');
  signal.throwIfAborted();
  const began = performance.now();
  const meter = createPhaseMeter();
  const deadline = startDeadline(timeoutMs, signal);
  // The agent is for HTTP, but its connections are plain ones, and go through its filter.
  const socket = agents.http.createConnection({ ...target, lookup });
  if (!(socket instanceof Socket)) throw new ProbeError('The connection is not a socket.');
  try {
    meter.watch(socket, false);
    await connected(socket, deadline.signal);
    return {
      ...{ ...meter.phases, ok: true, error: null, detail: null, status: null },
      totalMs: performance.now() - began,
    };
  } catch (error) {
    signal.throwIfAborted();
    const timedOut =
      deadline.signal.aborted && new CheckFailure('timeout', `No connection within ${timeoutMs} ms.`);
    const failure = timedOut || explainFailure(error);
    return {
      ...meter.phases,
      ...{ ok: false, error: failure.error, detail: failure.message, status: null, totalMs: null },
    };
  } finally {
    deadline.end();
    socket.destroy();
  }
}

function connected(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.on('connect', resolve).on('error', reject);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
