import type { AnnouncementId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { loadAnnouncedEntry } from '../incidents/index.js';
import type { ClaimedDelivery } from './queue.js';

/** Returns the body of a delivery; `undefined` when its incident was deleted, and the delivery with it. */
export type ComposeBody = (
  delivery: Pick<ClaimedDelivery, 'announcementId' | 'body'>,
) => Promise<string | undefined>;

/**
 * Returns a function for deliveries that are sent at the same time. It composes the body of an announcement once, for
 * any number of webhooks, and keeps it for as long as the function is in use.
 */
export function createBodyComposer({ sql }: { sql: Sql }): ComposeBody {
  const bodies = new Map<AnnouncementId, Promise<string | undefined>>();
  return async ({ announcementId: id, body: stored }) => {
    if (id === null) return stored ?? undefined;
    const body = bodies.get(id) ?? composeBody(sql, id);
    bodies.set(id, body);
    return body;
  };
}

async function composeBody(sql: Sql, id: AnnouncementId): Promise<string | undefined> {
  const announced = await loadAnnouncedEntry(sql, id);
  return announced && deliveryBody(announced.kind, announced.createdAt, announced.entry);
}

/** Returns the body of a delivery, byte for byte. `data` is an incident as the ledger shows it. */
export function deliveryBody(kind: string, at: Date, data: object): string {
  return JSON.stringify({ type: kind, timestamp: at.toISOString(), data });
}
