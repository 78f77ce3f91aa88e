import { validateHeaderName, validateHeaderValue } from 'node:http';
import { monitorLimits, type RequestSecrets } from '../../contract/monitors.js';
import type { MonitorId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { openColumn } from '../../sql/sealed-columns.js';
import type { Monitor, MonitorTarget } from './monitor.js';
import { checkRange, invalidSetting, type MonitorSettings } from './monitor-settings.js';

type Given = Pick<MonitorSettings, 'headers' | 'body'>;

type Move = { secretKey: string; monitor: Monitor; target: MonitorTarget; settings: Given };

/**
 * A caller who may change a monitor must not learn its headers by sending them to a server of their own. Operators at the
 * shell can read them anyway.
 *
 * @throws ServiceError `invalidBody` when the target is another server, unless the settings say what each part of the
 *   stored secrets becomes.
 */
export async function refuseKeptSecretsElsewhere(
  sql: Sql | Transaction,
  { secretKey, monitor, target, settings }: Move,
): Promise<void> {
  if (!monitor.hasSecrets || originOf(monitor) === originOf(target)) return;
  refuseKeptSecrets(await readSecrets(sql, secretKey, monitor.id), settings);
}

function originOf(target: MonitorTarget): string {
  return 'url' in target ? new URL(target.url).origin : '';
}

/** @param stored `undefined` when they cannot be opened, so that any part may be there. */
function refuseKeptSecrets(stored: RequestSecrets | null | undefined, { headers, body }: Given): void {
  const keepsHeaders = headers === undefined && (stored === undefined || (stored?.headers.length ?? 0) > 0);
  const keepsBody = body === undefined && (stored === undefined || (stored?.body ?? '') !== '');
  if (!keepsHeaders && !keepsBody) return;
  const missing = [...(keepsHeaders ? ['"headers"'] : []), ...(keepsBody ? ['"body"'] : [])].join(' and ');
  throw new ServiceError('invalidBody', {
    code: 'monitor.headers_cross_origin',
    field: keepsHeaders ? '/headers' : '/body',
    message: `The requests of this monitor carry headers or a body that are not sent to another server unasked. Send ${missing} with the new address; null drops them.`,
  });
}

/**
 * The secrets that a monitor has, and those that it would have with the settings; `stored` is `undefined` when they cannot
 * be opened.
 *
 * @throws ServiceError `conflict` when a part is kept that cannot be opened, `invalidBody` as parseSecrets().
 */
export async function mergeSecrets(
  sql: Sql | Transaction,
  secretKey: string,
  id: MonitorId,
  settings: Given,
): Promise<{ stored: RequestSecrets | null | undefined; secrets: RequestSecrets | null }> {
  const stored = await readSecrets(sql, secretKey, id);
  // Secrets that are replaced as a whole need not open: the key that they are sealed with may be lost.
  if (stored === undefined && (settings.headers === undefined || settings.body === undefined)) {
    throw new ServiceError('conflict', {
      message: 'The headers and body were sealed with another HEARTLINE_SECRET_KEY; give both of them again.',
    });
  }
  return { stored, secrets: parseSecrets(settings, stored ?? null) };
}

/** Returns `undefined` for secrets that were sealed with another key. */
async function readSecrets(
  sql: Sql | Transaction,
  secretKey: string,
  id: MonitorId,
): Promise<RequestSecrets | null | undefined> {
  const [row] = await sql<{ secrets: Buffer | null }[]>`select secrets from monitors where id = ${id}`;
  if (!row?.secrets) return null;
  try {
    return JSON.parse(openColumn(secretKey, 'monitor', id, row.secrets));
  } catch {
    return undefined;
  }
}

/** Headers that belong to the connection and not to the request. */
const connectionHeaders =
  /^(connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*)$/i;

/**
 * Returns the secrets of a request after a change; null when it has none. Error messages do not contain their values.
 *
 * @throws ServiceError `invalidBody` for headers that HTTP does not allow, and beyond the limits of size and number.
 */
export function parseSecrets(
  settings: MonitorSettings,
  before: RequestSecrets | null,
): RequestSecrets | null {
  const headers = settings.headers ?? before?.headers ?? [];
  const body = settings.body ?? before?.body ?? '';
  for (const [name, value] of headers) checkHeader(name, value);
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  checkRange('headers', 'The number of headers', headers.length, 0, monitorLimits.headers, '');
  checkRange('headers', 'The size of all headers', bytes, 0, monitorLimits.headerBytes, 'bytes');
  checkRange('body', 'The body', Buffer.byteLength(body), 0, monitorLimits.requestBodyBytes, 'bytes');
  return headers.length === 0 && body === '' ? null : { headers, body: body || null };
}

function checkHeader(name: string, value: string): void {
  if (connectionHeaders.test(name)) throw invalidSetting('headers', `The header "${name}" cannot be set.`);
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw invalidSetting('headers', `The header "${name}" has a name or a value that HTTP does not allow.`);
  }
}
