import { type HeartbeatOptions, httpDefaults, type RequestSecrets } from '../../../contract/monitors.js';
import type { Clock } from '../../../lib/clock.js';
import type { PrivateAddresses } from '../../../lib/outbound/address-guard.js';
import { createOutbound, type Outbound } from '../../../lib/outbound/request.js';
import { openColumn } from '../../../sql/sealed-columns.js';
import { checkHttp } from './check-http.js';
import { checkTcp } from './check-tcp.js';
import type { Check } from './decide-state.js';
import { type Outcome, ProbeError } from './outcome.js';
import { noPhases } from './phase-meter.js';

/** The network and the clock of checks. */
export type CheckDeps = Outbound & { clock: Clock };

/** Checks refuse connections to private addresses unless these are allowed. */
export function createCheckDeps({
  allowPrivateAddresses,
  clock,
}: {
  allowPrivateAddresses: PrivateAddresses;
  clock: Clock;
}): CheckDeps {
  return { ...createOutbound({ allowPrivateAddresses }), clock };
}

/**
 * Makes one check. Stores nothing.
 *
 * @throws ProbeError when nothing was observed: the check could not be made for a reason on our side, or the heartbeat
 *   was never called; the reason of the signal when it is aborted.
 */
export async function runCheck(
  deps: CheckDeps & { secretKey: string },
  check: Check,
  signal: AbortSignal,
): Promise<Outcome> {
  const { kind, options, timeoutMs, url } = check;
  if (kind === 'heartbeat') {
    const { periodSeconds = check.everySeconds, graceSeconds = 0 } = options;
    return checkHeartbeat({ periodSeconds, graceSeconds }, check);
  }
  if (kind === 'manual') throw new ProbeError('internal', 'The service has no checks.');
  if (url === null) throw new ProbeError('internal', 'The monitor has no URL.');
  if (kind === 'tcp') return checkTcp(deps, { url, timeoutMs }, signal);
  const secrets = openSecrets(deps.secretKey, check);
  return checkHttp(deps, { url, timeoutMs, secrets, options: { ...httpDefaults, ...options } }, signal);
}

function openSecrets(secretKey: string, { monitorId, secrets }: Check): RequestSecrets {
  if (secrets === null) return { headers: [], body: null };
  try {
    return JSON.parse(openColumn(secretKey, 'monitor', monitorId, secrets));
  } catch {
    throw new ProbeError(
      'internal',
      'The headers and body of the request were sealed with another HEARTLINE_SECRET_KEY.',
    );
  }
}

/**
 * Whether the last ping was recent enough, and reported success, when the row was read, so that a ping since then is not missed.
 *
 * @param pingFailure does not count when the monitor was resumed after that ping.
 * @param heardAt when the last ping came, or when the monitor was resumed if that was later.
 * @throws ProbeError before the first ping: it says nothing about the job that it is not set up yet.
 */
function checkHeartbeat(
  { periodSeconds, graceSeconds }: HeartbeatOptions,
  {
    lastPingAt,
    pingFailure,
    heardAt,
    readAt,
  }: Pick<Check, 'lastPingAt' | 'pingFailure' | 'heardAt' | 'readAt'>,
): Outcome {
  if (lastPingAt === null) throw new ProbeError('waiting', 'The heartbeat was never called.');
  const ageMs = readAt.getTime() - heardAt.getTime();
  const nothing = { ...noPhases, status: null, totalMs: null };
  if (pingFailure !== null && heardAt.getTime() === lastPingAt.getTime()) {
    return { ...nothing, ok: false, error: 'reported', detail: pingFailure };
  }
  if (ageMs <= (periodSeconds + graceSeconds) * 1000) {
    return { ...nothing, ok: true, error: null, detail: null };
  }
  return { ...nothing, ok: false, error: 'late', detail: `No ping for ${Math.floor(ageMs / 1000)} s.` };
}
