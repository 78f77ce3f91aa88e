import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import type { PageId } from '../../lib/ids.js';
import { sealSecret } from '../../lib/secret-box.js';
import type { Sql } from '../../sql/open-postgres.js';
import { checkDatabaseName, eventStoreContext, normalizeStoreUrl } from './event-store.js';

export type SetEventStoreInput = {
  pageId: PageId;
  url: string;
  database: string;
  username: string;
  password: string;
};

/**
 * From now on the page's events go to this ClickHouse and its analytics come from it; every instance notices within
 * two seconds. What waits for an earlier one is delivered to this one.
 *
 * @throws ControlError for an address or name that cannot be one.
 */
export async function setEventStore(
  { sql, clock, secretKey }: { sql: Sql; clock: Clock; secretKey: string },
  { pageId, url, database, username, password }: SetEventStoreInput,
): Promise<void> {
  const origin = normalizeStoreUrl(url);
  checkDatabaseName(database);
  if (username === '' || username.length > 200)
    throw new ControlError('The user must have 1 to 200 characters.');
  const sealed = sealSecret(secretKey, eventStoreContext(pageId), password);
  await sql`
    insert into event_stores (page_id, url, database, username, password, set_at)
    values (${pageId}, ${origin}, ${database}, ${username}, ${sealed}, ${new Date(clock.now())})
    on conflict (page_id) do update set
      url = excluded.url, database = excluded.database, username = excluded.username,
      password = excluded.password, revision = nextval('event_store_revisions'), set_at = excluded.set_at`;
}
