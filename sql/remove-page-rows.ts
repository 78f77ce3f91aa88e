import { deleteInChunks } from './delete-in-chunks.js';
import type { Fragment, Sql } from './open-postgres.js';

/** A table whose rows name a page, or name a row of a table that does. */
type PageTable = {
  name: string;
  /** The tables that its rows refer to. */
  refersTo: string[];
  /** For a table without a page: how its rows refer to rows that have one. */
  through: { table: string; own: string[]; other: string[] } | null;
};

/**
 * Deletes every row of PostgreSQL that names a page, in chunks, from the tables that refer to others to those that are
 * referred to. The catalogue says which tables there are, so that none can be forgotten. It can be interrupted and
 * repeated.
 *
 * @param kept tables whose rows stay
 */
export async function removePageRows(
  sql: Sql,
  { pageId, kept }: { pageId: string; kept: readonly string[] },
): Promise<number> {
  let removed = 0;
  for (const { name, through } of inOrder(await loadPageTables(sql, kept))) {
    removed += await deleteInChunks(async (limit) => {
      const ids =
        through === null
          ? sql`select t.ctid from ${sql(name)} t where t.page_id = ${pageId} limit ${limit}`
          : sql`
              select t.ctid from ${sql(name)} t join ${sql(through.table)} p
                on ${joinOn(sql, through)}
              where p.page_id = ${pageId} limit ${limit}`;
      const { count } = await sql`delete from ${sql(name)} where ctid = any (array(${ids}))`;
      return count;
    });
  }
  return removed;
}

function joinOn(sql: Sql, { own, other }: NonNullable<PageTable['through']>): Fragment {
  return own
    .map((column, place) => sql`t.${sql(column)} = p.${sql(other[place] ?? '')}`)
    .reduce((all, one) => sql`${all} and ${one}`);
}

type Reference = {
  table: string;
  other: string;
  own_columns: string[];
  other_columns: string[];
  is_required: boolean;
};

async function loadPageTables(sql: Sql, kept: readonly string[]): Promise<PageTable[]> {
  const named = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace and a.attname = 'page_id'`;
  const references = await sql<Reference[]>`
    select own.relname as table, other.relname as other,
      array(select a.attname::text from unnest(f.conkey) with ordinality k (number, place)
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.number order by place) as own_columns,
      array(select a.attname::text from unnest(f.confkey) with ordinality k (number, place)
        join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.number order by place) as other_columns,
      (select bool_and(a.attnotnull) from pg_attribute a
        where a.attrelid = f.conrelid and a.attnum = any (f.conkey)) as is_required
    from pg_constraint f join pg_class own on own.oid = f.conrelid join pg_class other on other.oid = f.confrelid
    where f.contype = 'f' and own.relnamespace = current_schema()::regnamespace and own.oid <> other.oid`;
  const withPage = new Set(named.map(({ name }) => name).filter((name) => !kept.includes(name)));
  const refersTo = (table: string) =>
    references.filter((one) => one.table === table).map(({ other }) => other);
  const parts = references.filter(
    (one) =>
      one.is_required && withPage.has(one.other) && !withPage.has(one.table) && !kept.includes(one.table),
  );
  const throughOthers = new Map(parts.map((one) => [one.table, one]));
  return [
    ...[...withPage].map((name) => ({ name, refersTo: refersTo(name), through: null })),
    ...[...throughOthers.values()].map(({ table, other, own_columns: own, other_columns }) => ({
      ...{ name: table, refersTo: refersTo(table) },
      through: { table: other, own, other: other_columns },
    })),
  ];
}

/** Tables that refer to others before those. Tables that refer to each other in a circle come last. */
function inOrder(tables: readonly PageTable[]): PageTable[] {
  const left = new Map(tables.map((table) => [table.name, table]));
  const ordered: PageTable[] = [];
  while (left.size > 0) {
    const targets = new Set([...left.values()].flatMap(({ refersTo }) => refersTo));
    const free = [...left.values()].filter(({ name }) => !targets.has(name));
    const next = free.length > 0 ? free : [...left.values()];
    for (const table of next) left.delete(table.name);
    ordered.push(...next);
  }
  return ordered;
}
