import { httpDefaults, type RequestSecrets } from '../../../contract/monitors.js';
import { openSecret } from '../../../lib/secret-box.js';
import { monitorSecretContext } from '../monitor.js';
import type { CheckDeps } from './check-deps.js';
import { checkHeartbeat } from './check-heartbeat.js';
import { checkHttp } from './check-http.js';
import { checkTcp } from './check-tcp.js';
import { type Outcome, ProbeError } from './outcome.js';
import type { Check } from './schedule.js';

/**
 * Makes one check, and stores nothing.
 *
 * @throws ProbeError when it could not be made for a reason on our side; the reason of the signal when aborted.
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
  if (url === null) throw new ProbeError('The monitor has no URL.');
  if (kind === 'tcp') return checkTcp(deps, { url, timeoutMs }, signal);
  const secrets = openSecrets(deps.secretKey, check);
  return checkHttp(deps, { url, timeoutMs, secrets, options: { ...httpDefaults, ...options } }, signal);
}

function openSecrets(secretKey: string, { monitorId, secrets }: Check): RequestSecrets {
  if (secrets === null) return { headers: [], body: null };
  try {
    return JSON.parse(openSecret(secretKey, monitorSecretContext(monitorId), secrets));
  } catch {
    throw new ProbeError(
      'The headers and body of the request were sealed with another HEARTLINE_SECRET_KEY.',
    );
  }
}
