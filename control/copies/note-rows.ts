import { inTransaction } from '../../sql/in-transaction.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { QueryLimits, Sql } from '../../sql/open-postgres.js';
import type { CopyDeps } from './take-version.js';

/** Rows noted in one transaction. A change to one of them waits until it ends, so there are few. */
const chunkRows = 1_000;
const limits: QueryLimits = { queryTimeoutMs: 5_000, transactionTimeoutMs: 10_000 };

/** A row by its columns in `copies_due`. */
type Key = { page: string; kind: string; id: string };
const first: Key = { page: '00000000-0000-0000-0000-000000000000', kind: '', id: '' };

/** A table that has rows to note; `load` returns keys behind one, in an order that an index has. */
type Source = {
  name: string;
  load(stores: CopyDeps, after: Key, doubted: bigint): PromiseLike<readonly Key[]>;
};

/** In the order in which they are noted. ClickHouse comes last, so that its copies of most rows are new by then. */
const sources: readonly Source[] = [
  ...['monitor', 'incident_update', 'deployment', 'alert'].map((kind) => ({
    name: kind,
    load: ({ sql }: CopyDeps, { id }: Key) => sql<Key[]>`
      select page_id as page, ${kind} as kind, id::text from ${sql(`${kind}s`)}
      where id > ${idOf(id)}::uuid order by ${sql(`${kind}s`)}.id limit ${chunkRows}`,
  })),
  {
    name: 'incident',
    load: ({ sql }, { id }) => sql<Key[]>`
      select page_id as page, type as kind, id::text from incidents
      where id > ${idOf(id)}::uuid order by incidents.id limit ${chunkRows}`,
  },
  {
    name: 'reporter',
    load: ({ sql }, { page, id }) => sql<Key[]>`
      select page_id as page, 'reporter' as kind, kind || ':' || source as id from sources
      where (page_id, kind, source) > (${page}::uuid, ${id.split(':', 1)[0] ?? ''}, ${id.slice(id.indexOf(':') + 1)})
      order by page_id, sources.kind, source limit ${chunkRows}`,
  },
  { name: 'stored', load: ({ clickhouse }, after, doubted) => loadStored(clickhouse, after, doubted) },
];

/** Returns the id of a row, or one below all others. */
function idOf(id: string): string {
  return id === '' ? first.page : id;
}

/** Loads keys of copies that PostgreSQL may lack: copies that no later one has replaced. */
async function loadStored(
  clickhouse: ClickHouseClient,
  after: Key,
  doubted: bigint,
): Promise<readonly Key[]> {
  const answer = await clickhouse.query({
    query: `
      SELECT toString(page_id) AS page, kind, id FROM copies FINAL
      WHERE deleted = 0 AND version <= {doubted:UInt64} AND (page_id, kind, id) > ({page:UUID}, {kind:String}, {id:String})
      ORDER BY page_id, kind, id LIMIT ${chunkRows}`,
    query_params: { ...after, doubted: `${doubted}` },
    format: 'JSONEachRow',
  });
  return answer.json<Key>();
}

type State = { notedTo: string[]; doubted: bigint };

/**
 * Goes on with the noting of all rows, by one chunk that is committed. Returns whether more remains. Rows that are noted already
 * keep their place. It may be cut off anywhere, and run in any number of instances: the next call goes on where the last one
 * came to.
 *
 * @throws the errors of the drivers.
 */
export async function noteRows(deps: CopyDeps): Promise<boolean> {
  const [state] = await deps.sql<State[]>`
    select noted_to as "notedTo", doubted from copies_state where noted_to is not null`;
  if (state === undefined) return false;
  const [name = sources[0]?.name, page = first.page, kind = first.kind, id = first.id] = state.notedTo;
  const at = sources.findIndex((source) => source.name === name);
  const keys = (await sources[at]?.load(deps, { page, kind, id }, state.doubted)) ?? [];
  const last = keys.length < chunkRows ? undefined : keys.at(-1);
  const following = sources[at + 1]?.name;
  const next = following === undefined ? null : [following];
  const notedTo = name !== undefined && last !== undefined ? [name, last.page, last.kind, last.id] : next;
  return (await storeNotes(deps.sql, keys, { from: state.notedTo, notedTo })) && notedTo !== null;
}

/** SQLSTATE of a lock and of a statement that take too long. */
const gaveWay: ReadonlySet<unknown> = new Set(['55P03', '57014']);

/** Returns `false` when it gave way to a transaction that has noted one of the rows. */
async function storeNotes(
  sql: Sql,
  keys: readonly Key[],
  { from, notedTo }: { from: readonly string[]; notedTo: readonly string[] | null },
): Promise<boolean> {
  try {
    await inTransaction(
      sql,
      async (tx) => {
        // Gives way to a transaction that has changed one row and is about to change another, before that is a deadlock.
        await tx`set local lock_timeout = '300ms'`;
        await tx`set local statement_timeout = '1s'`;
        await tx`
          insert into copies_due (page_id, kind, id, change)
          select page_id, kind, id, nextval('copies_repeats')
          from unnest(${keys.map(({ page }) => page)}::uuid[], ${keys.map(({ kind }) => kind)}::text[],
            ${keys.map(({ id }) => id)}::text[]) as known (page_id, kind, id)
          on conflict do nothing`;
        await tx`
          update copies_state set noted_to = ${notedTo === null ? null : [...notedTo]}::text[]
          where noted_to = ${[...from]}::text[]`;
      },
      limits,
    );
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && gaveWay.has(error.code)) return false;
    throw error;
  }
}
