import type { Scope } from '../../contract/scopes.js';
import type { KeyId, PageId } from '../../lib/ids.js';

/** A key as lists show it; the key itself is not stored. */
export type Key = {
  id: KeyId;
  pageId: PageId;
  scope: Scope;
  /** Such as `key_ingest_Ab3d`. */
  displayPrefix: string;
  createdAt: Date;
  /** At most a minute or two behind; null when never used. */
  lastUsedAt: Date | null;
  revokedAt: Date | null;
};

export type KeyRow = {
  id: KeyId;
  page_id: PageId;
  scope: Scope;
  display_prefix: string;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
};

export function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    pageId: row.page_id,
    scope: row.scope,
    displayPrefix: row.display_prefix,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
