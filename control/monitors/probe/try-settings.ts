import type { MonitorKind } from '../../../contract/monitors.js';
import type { PageId } from '../../../lib/ids.js';
import { findRefusal, type Route } from '../../../lib/outbound/connect.js';
import { metadataMessage } from '../../../lib/outbound/egress-error.js';
import { ServiceError } from '../../../lib/service-error.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { loadMonitor, type MonitorTarget } from '../monitor.js';
import { checkSettingsOfKind, type MonitorSettings, parseTarget, parseTiming } from '../monitor-settings.js';
import { parseTcpUrl } from '../parse-target.js';
import { mergeSecrets, parseSecrets, refuseKeptSecretsElsewhere } from '../request-secrets.js';
import { checkHttp, type HttpCheck } from './check-http.js';
import { checkTcp } from './check-tcp.js';
import type { Outcome } from './outcome.js';
import type { CheckDeps } from './run-check.js';

/** Settings that nobody has saved. */
export type TrialInput = MonitorSettings & {
  pageId: PageId;
  kind: MonitorKind;
  /** The monitor whose headers and body the trial uses where the settings have none. */
  slug?: string;
};

/** A trial whose settings are valid. */
type Trial = ({ kind: 'http' } & HttpCheck) | { kind: 'tcp'; url: string; timeoutMs: number };

/**
 * Makes a trial of the settings, as createMonitor() or changeMonitor() would read them. Stores nothing.
 *
 * @throws ServiceError `invalidBody` for a heartbeat, for a service without checks, for settings that could not be saved, and for another server while
 *   headers or body of the monitor are kept; `notFound` without the monitor; `conflict` when its headers and body cannot
 *   be opened.
 */
export async function planTrial(
  { sql, secretKey }: { sql: Sql; secretKey: string },
  { pageId, slug, kind, ...settings }: TrialInput,
): Promise<Trial> {
  if (kind === 'manual') {
    throw new ServiceError('invalidBody', { message: 'A service without checks has nothing to try.' });
  }
  if (kind === 'heartbeat') {
    throw new ServiceError('invalidBody', {
      message: 'A heartbeat waits for calls, and nothing can be tried before the job calls its address.',
    });
  }
  checkSettingsOfKind(kind, settings);
  const { timeoutMs } = parseTiming(kind, settings);
  const target = parseTarget(kind, settings);
  if (target.kind === 'tcp') return { kind: 'tcp', url: target.url, timeoutMs };
  if (target.kind !== 'http') throw new Error('The target is of another kind than its monitor.');
  const secrets =
    slug === undefined
      ? parseSecrets(settings, null)
      : await secretsOf({ sql, secretKey }, { pageId, slug }, target, settings);
  const { url, options } = target;
  return { kind: 'http', url, options, timeoutMs, secrets: secrets ?? { headers: [], body: null } };
}

async function secretsOf(
  { sql, secretKey }: { sql: Sql; secretKey: string },
  ref: { pageId: PageId; slug: string },
  target: MonitorTarget,
  settings: MonitorSettings,
) {
  return inTransaction(sql, async (tx) => {
    // The address and the secrets that belong to it: a change of both waits.
    await tx`select 1 from monitors where page_id = ${ref.pageId} and slug = ${ref.slug} for share`;
    const monitor = await loadMonitor({ sql: tx }, ref);
    await refuseKeptSecretsElsewhere(tx, { secretKey, monitor, target, settings });
    return (await mergeSecrets(tx, secretKey, monitor.id, settings)).secrets;
  });
}

/**
 * Makes one check with the settings of a trial.
 *
 * @throws ProbeError when nothing was observed; the reason of the signal when it is aborted.
 */
export function runTrial(deps: CheckDeps, trial: Trial, signal: AbortSignal): Promise<Outcome> {
  return trial.kind === 'tcp' ? checkTcp(deps, trial, signal) : checkHttp(deps, trial, signal);
}

/**
 * Returns a warning when the address of a monitor's URL is blocked now, so that the monitor cannot be checked; else
 * `undefined`. The address may change with the next answer of a name server, so this refuses nothing.
 */
export async function explainBlockedTarget(route: Route, url: string): Promise<string | undefined> {
  const target = parseTcpUrl(url) ?? parseWebUrl(url);
  const refusal = target && (await findRefusal(route, target.host));
  if (target === undefined || refusal === undefined) return undefined;
  if (refusal === 'metadata') return `The monitor cannot be checked. ${metadataMessage}`;
  return `The monitor cannot be checked: ${target.host} is not, or does not lead to, a public address. To check it, allow \
private addresses under Installation in the dashboard, or with HEARTLINE_ALLOW_PRIVATE_ADDRESSES=on. Until then nothing \
of it is observed.`;
}

function parseWebUrl(url: string): { host: string; port: number } | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || usual) };
}
