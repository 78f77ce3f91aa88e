import postgres from 'postgres';
import { type MonitorKind, monitorLimits, monitorSecretContext } from '../../contract/monitors.js';
import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import { type MonitorId, newId, type PageId } from '../../lib/ids.js';
import { sealSecret } from '../../lib/secret-box.js';
import { hashSecret, newSecret } from '../../lib/secrets.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { checkSlug } from '../pages/page.js';
import { firstDueAt } from './monitor.js';
import { checkMonitorName, readMonitorNames } from './monitor-names.js';
import {
  checkSettingsOfKind,
  type MonitorSettings,
  readSecrets,
  readTarget,
  readTiming,
} from './monitor-settings.js';

export type CreateMonitorInput = MonitorSettings & {
  pageSlug: string;
  slug: string;
  name: string;
  kind: MonitorKind;
  /** Its checks come from elsewhere, so the service makes none. */
  isUnscheduled?: boolean;
};

/** `token` is that of a heartbeat, whose address is `/ping/<token>`; it is in this answer and nowhere else. */
export type CreatedMonitor = { id: MonitorId; token?: string };

type Deps = { sql: Sql; clock: Clock; secretKey: string };

/**
 * Makes a monitor of the page with this slug; unless it is unscheduled, its first check is due within a minute.
 *
 * @throws ControlError when there is no such page, it has too many monitors, the slug is taken, or a setting is
 *   missing, out of range, or none of the kind's.
 */
export async function createMonitor(
  { sql, clock, secretKey }: Deps,
  input: CreateMonitorInput,
): Promise<CreatedMonitor> {
  const { slug, name, kind } = input;
  checkSlug(slug);
  checkMonitorName(name);
  checkSettingsOfKind(kind, input);
  const timing = readTiming(kind, input);
  const target = readTarget(kind, input);
  const secrets = readSecrets(input, null);
  const now = clock.now();
  const id = newId<MonitorId>(now);
  const token = kind === 'heartbeat' ? `ping_${newSecret()}` : undefined;
  const sealed = secrets && sealSecret(secretKey, monitorSecretContext(id), JSON.stringify(secrets));
  await inTransaction(sql, async (tx) => {
    const page = await lockPageWithRoom(tx, input.pageSlug);
    await tx`
      insert into monitors (id, page_id, slug, name, names, position, created_at, kind, url, options, secrets,
        heartbeat_token_hash, every_seconds, timeout_ms, failures_to_down, next_due_at)
      values (${id}, ${page.id}, ${slug}, ${name}, ${tx.json(readMonitorNames(page, input.names ?? {}))},
        ${page.nextPosition}, ${new Date(now)}, ${kind}, ${'url' in target ? target.url : null},
        ${tx.json('options' in target ? target.options : {})}, ${sealed},
        decode(${token === undefined ? null : hashSecret(token)}::text, 'hex'),
        ${timing.everySeconds}, ${timing.timeoutMs}, ${timing.failuresToDown},
        ${page.paused || input.isUnscheduled ? null : firstDueAt(now, timing.everySeconds)})`;
  }).catch((error: unknown) => {
    throw explainTaken(error, input);
  });
  return { id, ...(token !== undefined && { token }) };
}

type LockedPage = {
  id: PageId;
  languages: string[];
  defaultLanguage: string;
  paused: boolean;
  nextPosition: number;
};

/** The lock holds until the transaction ends, so that of monitors made at once none is one too many. */
async function lockPageWithRoom(tx: Transaction, slug: string): Promise<LockedPage> {
  const [page] = await tx<Omit<LockedPage, 'nextPosition'>[]>`
    select id, languages, default_language as "defaultLanguage", monitoring_paused as paused
    from pages where slug = ${slug} for update`;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
  const [monitors] = await tx<{ count: number; nextPosition: number }[]>`
    select count(*)::integer as count, coalesce(max(position) + 1, 0) as "nextPosition"
    from monitors where page_id = ${page.id}`;
  const { count = 0, nextPosition = 0 } = monitors ?? {};
  if (count >= monitorLimits.monitorsPerPage) {
    throw new ControlError(`The page has ${count} monitors, which is the most; delete one first.`);
  }
  return { ...page, nextPosition };
}

function explainTaken(error: unknown, { slug, pageSlug }: CreateMonitorInput): unknown {
  const taken = error instanceof postgres.PostgresError && error.constraint_name === 'monitors_slug_unique';
  return taken
    ? new ControlError(`The page "${pageSlug}" has a monitor with the slug "${slug}" already.`)
    : error;
}
