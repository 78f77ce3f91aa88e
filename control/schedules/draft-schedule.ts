import type { PutSchedule } from '../../contract/manage/schedules.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Schedule, ScheduledPerson } from './find-schedules.js';
import { parseSchedule } from './parse-schedule.js';

/**
 * Makes a schedule that is not saved, without overrides, from its time zone and layers: for its shifts. Somebody without a
 * role on the page covers nothing, as in a schedule that is saved.
 *
 * @throws ServiceError `invalidBody` with the name of the field, as putSchedule() does
 */
export async function draftSchedule(
  sql: Sql,
  { pageId, ...given }: { pageId: PageId } & Pick<PutSchedule, 'timeZone' | 'layers'>,
): Promise<Pick<Schedule, 'timeZone' | 'layers' | 'overrides'>> {
  const { timeZone, layers } = parseSchedule({ name: 'draft', ...given });
  const emails = [...new Set(layers.flatMap(({ people }) => people))];
  const rows = await sql<Omit<ScheduledPerson, 'mayBeTold'>[]>`
    select u.id as "userId", u.email, u.name from users u join page_roles r on r.user_id = u.id
    where r.page_id = ${pageId} and u.disabled_at is null and u.email = any (${emails}::text[])`;
  const byEmail = new Map(rows.map((row) => [row.email, { ...row, mayBeTold: true }]));
  return {
    timeZone,
    layers: layers.map((layer) => ({
      ...layer,
      people: layer.people.map((email) => byEmail.get(email ?? '') ?? null),
    })),
    overrides: [],
  };
}
