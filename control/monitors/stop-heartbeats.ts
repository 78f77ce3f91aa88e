import type { PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';

/** Makes the addresses of the heartbeats of a page unknown. Locks the monitors in the order of ids, as others do. */
export async function stopPageHeartbeats(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`
    update monitors m set heartbeat_token_hash = null
    from (
      select id from monitors where page_id = ${pageId} and heartbeat_token_hash is not null
      order by id for update) mine
    where m.id = mine.id`;
}
