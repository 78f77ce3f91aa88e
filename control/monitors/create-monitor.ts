import postgres from 'postgres';
import { type MonitorKind, monitorLimits, type RequestSecrets } from '../../contract/monitors.js';
import type { Clock } from '../../lib/clock.js';
import { type MonitorId, newId, type PageId } from '../../lib/ids.js';
import { hashSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { checkSlug } from '../../lib/slug.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { sealColumn } from '../../sql/sealed-columns.js';
import type { Actor } from '../audit/index.js';
import { parseDependsOn } from './dependencies.js';
import { lockMonitorsOf, numberMonitors, placeMonitor } from './groups/place-monitor.js';
import { newHeartbeatToken } from './heartbeats.js';
import { firstDueAt, loadMonitor, type Monitor, type MonitorTarget } from './monitor.js';
import {
  checkSettingsOfKind,
  type MonitorSettings,
  parseTarget,
  parseTiming,
  type Timing,
} from './monitor-settings.js';
import { parseMonitorName, parseMonitorNames, parsePublicSettings } from './public-settings.js';
import { recordMonitor } from './record-monitor.js';
import { parseSecrets } from './request-secrets.js';

export type CreateMonitorInput = MonitorSettings & {
  pageId: PageId;
  slug: string;
  name: string;
  kind: MonitorKind;
  /** The checks of the monitor come from elsewhere, so the service makes none. */
  isUnscheduled?: boolean;
};

/** `token` is the token of a heartbeat, whose address is `/ping/<token>`. Nothing else returns or stores it. */
export type CreatedMonitor = { id: MonitorId; monitor: Monitor; token?: string };

type Deps = { sql: Sql; clock: Clock; secretKey: string; by: Actor };

/**
 * Creates a monitor of a page. Unless the monitor is unscheduled, its first check is due within a minute.
 *
 * @throws ServiceError `conflict` when the page has too many monitors or one with the slug, `invalidBody` when a setting
 *   is missing, out of range, or not one of the kind.
 */
export async function createMonitor(deps: Deps, input: CreateMonitorInput): Promise<CreatedMonitor> {
  return inTransaction(deps.sql, (tx) => createMonitorIn(tx, deps, input)).catch(async (error: unknown) => {
    throw isSlugTaken(error) ? await slugTaken(deps.sql, input) : error;
  });
}

/** Creates a monitor in a transaction, as createMonitor() does; throws the driver's error for a slug that is taken. */
export async function createMonitorIn(
  tx: Transaction,
  { clock, secretKey, by }: Omit<Deps, 'sql'>,
  input: CreateMonitorInput,
): Promise<CreatedMonitor> {
  const { slug, kind } = input;
  const { name, timing, target, secrets } = parseNewMonitor(input);
  const isScheduled = kind !== 'manual' && !input.isUnscheduled;
  const now = clock.now();
  const id = newId<MonitorId>(now);
  const token = kind === 'heartbeat' ? newHeartbeatToken() : undefined;
  const sealed = secrets && sealColumn(secretKey, 'monitor', id, JSON.stringify(secrets));
  const page = await lockPageWithRoom(tx, input.pageId);
  const shown = parsePublicSettings(page, input);
  const dependsOn = await parseDependsOn(tx, input, input.dependsOn ?? []);
  await tx`
    insert into monitors (id, page_id, slug, name, names, position, created_at, kind, url, options, secrets,
      heartbeat_token_hash, every_seconds, timeout_ms, failures_to_down, degraded_over_ms, hidden, description, descriptions,
      link, depends_on, next_due_at)
    values (${id}, ${input.pageId}, ${slug}, ${name}, ${tx.json(parseMonitorNames(page, input.names ?? {}))},
      ${page.nextPosition}, ${new Date(now)}, ${kind}, ${'url' in target ? target.url : null},
      ${tx.json('options' in target ? target.options : {})}, ${sealed},
      decode(${token === undefined ? null : hashSecret(token)}::text, 'hex'),
      ${timing.everySeconds}, ${timing.timeoutMs}, ${timing.failuresToDown}, ${timing.degradedOverMs},
      ${shown.hidden}, ${shown.description}, ${tx.json(shown.descriptions)}, ${shown.link}, ${dependsOn},
      ${page.paused || !isScheduled ? null : firstDueAt(now, timing.everySeconds)})`;
  if (input.group) await placeMonitor(tx, { id, pageId: input.pageId }, input.group);
  else await numberMonitors(tx, input.pageId);
  const monitor = await loadMonitor({ sql: tx }, { id });
  await recordMonitor(tx, { by, now }, { verb: 'create', before: null, after: monitor });
  return { id, monitor, ...(token !== undefined && { token }) };
}

type NewMonitor = Omit<CreateMonitorInput, 'pageId' | 'isUnscheduled'>;

/**
 * Returns the settings of a monitor to create, as they are stored. Needs no store, so that a plan can say what would be refused.
 *
 * @throws ServiceError `invalidBody` when a setting is missing, out of range, or not one of the kind
 */
export function parseNewMonitor(input: NewMonitor): {
  name: string;
  timing: Timing;
  target: MonitorTarget;
  secrets: RequestSecrets | null;
} {
  checkSlug(input.slug);
  checkSettingsOfKind(input.kind, input);
  return {
    name: parseMonitorName(input.name),
    timing: parseTiming(input.kind, input),
    target: parseTarget(input.kind, input),
    secrets: parseSecrets(input, null),
  };
}

type LockedPage = {
  languages: string[];
  defaultLanguage: string;
  paused: boolean;
  nextPosition: number;
};

/** The lock holds until the transaction ends, so that monitors created at once cannot exceed the limit together. */
async function lockPageWithRoom(tx: Transaction, pageId: PageId): Promise<LockedPage> {
  const [page] = await tx<Omit<LockedPage, 'nextPosition'>[]>`
    select languages, default_language as "defaultLanguage", monitoring_paused as paused
    from pages where id = ${pageId} for no key update`;
  if (page === undefined)
    throw new ServiceError('notFound', { message: `There is no page with the id "${pageId}".` });
  await lockMonitorsOf(tx, pageId);
  const [monitors] = await tx<{ count: number; nextPosition: number }[]>`
    select count(*)::integer as count, coalesce(max(position) + 1, 0) as "nextPosition"
    from monitors where page_id = ${pageId}`;
  const { count = 0, nextPosition = 0 } = monitors ?? {};
  if (count >= monitorLimits.monitorsPerPage) {
    throw new ServiceError('conflict', {
      message: `The page has ${count} monitors, which is the most; delete one first.`,
    });
  }
  return { ...page, nextPosition };
}

function isSlugTaken(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.constraint_name === 'monitors_slug_unique';
}

async function slugTaken(sql: Sql, { slug, pageId }: CreateMonitorInput): Promise<ServiceError> {
  const [page] = await sql<{ slug: string }[]>`select slug from pages where id = ${pageId}`;
  return new ServiceError('conflict', {
    ...{ code: 'monitor.slug_taken', field: '/slug' },
    message: `The page "${page?.slug}" has a monitor with the slug "${slug}" already.`,
  });
}
