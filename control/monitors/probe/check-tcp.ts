import type { Socket } from 'node:net';
import { connect } from '../../../lib/outbound/connect.js';
import type { Outbound } from '../../../lib/outbound/request.js';
import { startDeadline } from '../../../lib/timeout.js';
import { parseTcpUrl } from '../parse-target.js';
import { CheckFailure, checkOwnNames, explainFailure, type Outcome, ProbeError } from './outcome.js';
import { createPhaseMeter } from './phase-meter.js';

/**
 * Opens a connection to `tcp://host:port` and closes it.
 *
 * @throws ProbeError when the check could not be made; the reason of the signal when it is aborted.
 */
export async function checkTcp(
  outbound: Outbound,
  { url, timeoutMs }: { url: string; timeoutMs: number },
  signal: AbortSignal,
): Promise<Outcome> {
  const target = parseTcpUrl(url);
  if (target === undefined)
    throw new ProbeError('internal', 'The URL of the monitor is not tcp://host:port.');
  signal.throwIfAborted();
  const began = performance.now();
  const meter = createPhaseMeter();
  const deadline = startDeadline(timeoutMs, signal);
  let socket: Socket | undefined;
  try {
    socket = await connect(outbound, target, { signal: deadline.signal, watcher: meter });
    return {
      ...{ ...meter.phases, ok: true, error: null, detail: null, status: null },
      totalMs: performance.now() - began,
    };
  } catch (error) {
    signal.throwIfAborted();
    const timedOut =
      deadline.signal.aborted &&
      new CheckFailure('timeout', `No connection within ${timeoutMs} ms.`, {
        mayBeOurs: meter.isLookingUp,
      });
    const failure = await checkOwnNames(timedOut || explainFailure(error), outbound);
    return {
      ...meter.phases,
      ...{ ok: false, error: failure.error, detail: failure.message, status: null, totalMs: null },
    };
  } finally {
    deadline.end();
    socket?.destroy();
  }
}
