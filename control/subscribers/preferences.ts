import type { MonitorGroupId, MonitorId, PageId, SubscriberId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** The slugs of the services and groups that a subscriber wants to hear of; `null` for everything. */
export type Choice = { services: readonly string[]; groups: readonly string[] } | null;

export type Preferences = {
  choice: Choice;
  /** Whether it is reminded a day and an hour before maintenance. */
  reminders: boolean;
};

/** Preferences as they are stored. */
export type StoredPreferences = {
  monitorIds: MonitorId[] | null;
  groupIds: MonitorGroupId[] | null;
  reminders: boolean;
};

/**
 * Finds the services and groups of a choice. Hidden services cannot be chosen.
 *
 * @throws ServiceError `invalidBody` for a service or group that the page does not show, and for an empty choice.
 */
export async function findPreferences(
  sql: Sql | Transaction,
  pageId: PageId,
  { choice, reminders }: Preferences,
): Promise<StoredPreferences> {
  if (choice === null) return { monitorIds: null, groupIds: null, reminders };
  const [services, groups] = [[...new Set(choice.services)], [...new Set(choice.groups)]];
  if (services.length + groups.length === 0) {
    throw new ServiceError('invalidBody', { message: 'Choose at least one service or group.' });
  }
  const [monitors, found] = await Promise.all([
    sql<{ id: MonitorId; slug: string }[]>`
      select id, slug from monitors where page_id = ${pageId} and slug = any (${services}::text[]) and not hidden`,
    sql<{ id: MonitorGroupId; slug: string }[]>`
      select id, slug from monitor_groups g where page_id = ${pageId} and slug = any (${groups}::text[])
        and exists (select 1 from monitors m where m.group_id = g.id and not m.hidden)`,
  ]);
  refuseUnknown('service', services, monitors);
  refuseUnknown('group', groups, found);
  return { monitorIds: monitors.map(({ id }) => id), groupIds: found.map(({ id }) => id), reminders };
}

function refuseUnknown(what: string, wanted: readonly string[], found: readonly { slug: string }[]): void {
  const unknown = wanted.find((slug) => !found.some((one) => one.slug === slug));
  if (unknown === undefined) return;
  throw new ServiceError('invalidBody', { message: `The page has no ${what} "${unknown.slice(0, 60)}".` });
}

/** Loads the preferences of a subscriber of a page. Returns `undefined` when there is no such subscriber. */
export async function loadPreferences(
  sql: Sql | Transaction,
  { pageId, subscriberId }: { pageId: PageId; subscriberId: SubscriberId },
): Promise<Preferences | undefined> {
  const [row] = await sql<{ reminders: boolean; all: boolean; services: string[]; groups: string[] }[]>`
    select s.reminders, s.monitor_ids is null as all,
      array(select m.slug from monitors m where m.page_id = s.page_id and m.id = any (s.monitor_ids)
        and not m.hidden order by m.position, m.slug) as services,
      array(select g.slug from monitor_groups g where g.page_id = s.page_id and g.id = any (s.group_ids)
        order by g.position, g.slug) as groups
    from subscribers s where s.id = ${subscriberId} and s.page_id = ${pageId}`;
  if (row === undefined) return undefined;
  const { reminders, all, services, groups } = row;
  return { reminders, choice: all ? null : { services, groups } };
}

export type ChangedPreferences = Preferences & {
  /** A language that the page publishes. */
  language: string;
};

/**
 * Changes what a subscriber hears of, and in which language. Returns whether there is such a subscriber.
 *
 * @throws ServiceError `invalidBody` as findPreferences().
 */
export async function changePreferences(
  { sql }: { sql: Sql },
  { pageId, subscriberId }: { pageId: PageId; subscriberId: SubscriberId },
  { language, ...preferences }: ChangedPreferences,
): Promise<boolean> {
  const { monitorIds, groupIds, reminders } = await findPreferences(sql, pageId, preferences);
  const { count } = await sql`
    update subscribers set language = ${language}, reminders = ${reminders},
      monitor_ids = ${monitorIds}::uuid[], group_ids = ${groupIds}::uuid[]
    where id = ${subscriberId} and page_id = ${pageId}`;
  return count === 1;
}
