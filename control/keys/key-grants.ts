import type { KeyAccess } from '../../contract/permissions.js';
import { type Capability, capabilities, type PageScope, type Scope } from '../../contract/scopes.js';
import type { KeyId, PageId } from '../../lib/ids.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';

/** The column of `accounts` behind each capability. */
export const capabilityColumn = {
  'incident-writes': 'incident_writes',
  'internal-analytics': 'internal_analytics',
  'database-health': 'database_health',
} as const satisfies Record<Capability, string>;

type GrantOfAnyKey = {
  keyId: KeyId;
  /** The name of the key, or the start of the key where nobody has named it. */
  keyName: string;
  /** Milliseconds since the epoch; null for a key that works until it is revoked. */
  expiresAt: number | null;
};

/** The rights of a request with a valid key of a page. */
export type KeyGrant = GrantOfAnyKey & {
  pageId: PageId;
  /** The slug of the page. */
  slug: string;
  scope: PageScope;
  /** The permissions of a manage key; null for keys of other scopes. */
  access: KeyAccess | null;
  /** The capabilities of the account of the page. */
  capabilities: ReadonlySet<Capability>;
  databaseHealthEnabled: boolean;
};

/** The grant of a key of the installation, which may do everything. */
export type AdminGrant = GrantOfAnyKey & { scope: 'admin' };

/** A key's hash (64 hex digits) and its grant. The grant is `undefined` once the key is revoked. */
export type KeyState = { hash: string; grant: KeyGrant | AdminGrant | undefined };

/**
 * A moment in the history of the database: every transaction below this number had ended. Rows that changed later, or
 * were changing, have a `changed_in` at or above this number.
 */
export type Horizon = bigint;

type KeyStateRow = {
  hash: string;
  key_id: KeyId;
  key_name: string;
  page_id: PageId | null;
  slug: string | null;
  scope: Scope;
  access: KeyAccess | null;
  expires_at: Date | null;
  revoked: boolean;
  database_health_enabled: boolean;
  incident_writes: boolean;
  internal_analytics: boolean;
  database_health: boolean;
};

/** Loads the keys with these hashes, by their hash; those that never existed are absent. One query, by the index on the hash. */
export async function loadKeyStates(sql: Sql, hashes: readonly string[]): Promise<Map<string, KeyState>> {
  const rows = await sql<KeyStateRow[]>`${selectKeyStates(sql)}
    where k.secret_hash = any (select decode(hash, 'hex') from unnest(${[...hashes]}::text[]) as asked (hash))`;
  return new Map(rows.map((row) => [row.hash, toKeyState(row)]));
}

/** Loads the current moment. */
export async function loadHorizon(sql: Sql): Promise<Horizon> {
  const [row] = await sql<{ horizon: bigint }[]>`select ${horizonNow(sql)} as horizon`;
  if (row === undefined) throw new Error('PostgreSQL returned no row.');
  return row.horizon;
}

/**
 * Loads the keys whose row, page or account may have changed since that moment, at most `limit`, and the moment to ask from
 * next. May return an unchanged key again, because a transaction that stays open holds the horizon back.
 */
export async function loadChangedKeyStates(
  sql: Sql,
  since: Horizon,
  limit: number,
): Promise<{ states: KeyState[]; horizon: Horizon }> {
  const from = sql`${since.toString()}::xid8`;
  // One statement, so that the rows and the next horizon come from one snapshot.
  const rows = await sql<(Partial<KeyStateRow> & { horizon: bigint })[]>`
    with changed as (
      select k.id from keys k where k.changed_in >= ${from}
      union
      select k.id from keys k join pages p on p.id = k.page_id where p.changed_in >= ${from}
      union
      select k.id from keys k join pages p on p.id = k.page_id join accounts a on a.id = p.account_id
      where a.changed_in >= ${from}
      limit ${limit}
    )
    select ${horizonNow(sql)} as horizon, state.*
    from (select) as always
    left join (${selectKeyStates(sql)} where k.id in (select id from changed)) as state on true`;
  const [first] = rows;
  if (first === undefined) throw new Error('PostgreSQL returned no row.');
  return { states: rows.filter(isKeyStateRow).map(toKeyState), horizon: first.horizon };
}

function horizonNow(sql: Sql): Fragment {
  return sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
}

function selectKeyStates(sql: Sql): Fragment {
  return sql`
    select encode(k.secret_hash, 'hex') as hash, k.id as key_id, coalesce(k.name, k.display_prefix) as key_name,
      k.page_id, p.slug, k.scope, k.access, k.expires_at,
      k.revoked_at is not null or p.deleted_at is not null as revoked, p.database_health_enabled,
      a.incident_writes, a.internal_analytics, a.database_health
    from keys k left join pages p on p.id = k.page_id left join accounts a on a.id = p.account_id`;
}

/** The left join returns one row of nulls when nothing changed. */
function isKeyStateRow<Row extends Partial<KeyStateRow>>(row: Row): row is Row & KeyStateRow {
  return typeof row.hash === 'string';
}

function toKeyState(row: KeyStateRow): KeyState {
  const { hash, scope, page_id: pageId, slug } = row;
  if (row.revoked) return { hash, grant: undefined };
  const known = { keyId: row.key_id, keyName: row.key_name, expiresAt: row.expires_at?.getTime() ?? null };
  if (scope === 'admin') return { hash, grant: { ...known, scope } };
  if (pageId === null || slug === null) throw new Error('A key of a page has no page.');
  const grant = {
    ...{ ...known, pageId, slug, scope, access: row.access },
    capabilities: new Set(capabilities.filter((capability) => row[capabilityColumn[capability]])),
    databaseHealthEnabled: row.database_health_enabled,
  };
  return { hash, grant };
}
