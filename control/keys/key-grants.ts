import { type Capability, capabilities, type Scope } from '../../contract/scopes.js';
import type { KeyId, PageId } from '../../lib/ids.js';
import type { Fragment, Sql } from '../../sql/open-postgres.js';
import { capabilityColumn } from '../pages/page.js';

/** What a request that carries a valid key may do, and for which page. */
export type KeyGrant = {
  keyId: KeyId;
  pageId: PageId;
  /** Of the page. */
  slug: string;
  scope: Scope;
  /** What the account of the page may do. */
  capabilities: ReadonlySet<Capability>;
  databaseHealthEnabled: boolean;
};

/** A key's hash (64 hex digits) and its grant, undefined once it is revoked. */
export type KeyState = { hash: string; grant: KeyGrant | undefined };

/**
 * A moment in the database's history: every transaction below this number had ended. What changed later, or
 * was being changed, has a `changed_in` from this number upward.
 */
export type Horizon = bigint;

type KeyStateRow = {
  hash: string;
  key_id: KeyId;
  page_id: PageId;
  slug: string;
  scope: Scope;
  revoked: boolean;
  database_health_enabled: boolean;
  incident_writes: boolean;
  internal_analytics: boolean;
  database_health: boolean;
};

/** The key with this hash, unless it never existed. One query by the index on the hash. */
export async function readKeyState(sql: Sql, hash: string): Promise<KeyState | undefined> {
  const [row] = await sql<
    KeyStateRow[]
  >`${selectKeyStates(sql)} where k.secret_hash = decode(${hash}, 'hex')`;
  return row === undefined ? undefined : toKeyState(row);
}

/** The present moment. */
export async function readHorizon(sql: Sql): Promise<Horizon> {
  const [row] = await sql<{ horizon: bigint }[]>`select ${horizonNow(sql)} as horizon`;
  if (row === undefined) throw new Error('PostgreSQL answered without a row.');
  return row.horizon;
}

/**
 * The keys whose row, page or account may have changed since that moment, at most `limit`, and the moment from
 * which to ask next. A key may come again although nothing changed: a transaction that stays open holds the
 * horizon back.
 */
export async function readChangedKeyStates(
  sql: Sql,
  since: Horizon,
  limit: number,
): Promise<{ states: KeyState[]; horizon: Horizon }> {
  const from = sql`${since.toString()}::xid8`;
  // One statement, so that the rows and the next horizon are of one snapshot.
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
  if (first === undefined) throw new Error('PostgreSQL answered without a row.');
  return { states: rows.filter(isKeyStateRow).map(toKeyState), horizon: first.horizon };
}

function horizonNow(sql: Sql): Fragment {
  return sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
}

function selectKeyStates(sql: Sql): Fragment {
  return sql`
    select encode(k.secret_hash, 'hex') as hash, k.id as key_id, k.page_id, p.slug, k.scope,
      k.revoked_at is not null as revoked, p.database_health_enabled,
      a.incident_writes, a.internal_analytics, a.database_health
    from keys k join pages p on p.id = k.page_id join accounts a on a.id = p.account_id`;
}

/** The left join answers one row of nulls when nothing changed. */
function isKeyStateRow<Row extends Partial<KeyStateRow>>(row: Row): row is Row & KeyStateRow {
  return typeof row.hash === 'string';
}

function toKeyState(row: KeyStateRow): KeyState {
  if (row.revoked) return { hash: row.hash, grant: undefined };
  const grant = {
    keyId: row.key_id,
    pageId: row.page_id,
    slug: row.slug,
    scope: row.scope,
    capabilities: new Set(capabilities.filter((capability) => row[capabilityColumn[capability]])),
    databaseHealthEnabled: row.database_health_enabled,
  };
  return { hash: row.hash, grant };
}
