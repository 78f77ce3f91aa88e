import type { Fragment, Sql } from './open-postgres.js';
import { resealColumn, type SealedOwner, sealedColumns } from './sealed-columns.js';

/** Rows that are read at once. */
const batchRows = 500;
/** Rows that a report names: enough to find out which they are. */
const namedMax = 20;

/** A column after its values were resealed. */
export type ResealedColumn = {
  table: string;
  column: string;
  /** Values that were looked at. */
  values: number;
  /** Values that another key than the first one had sealed. */
  resealed: number;
  /** Values that no key of the list opens. */
  unreadable: number;
  /** The ids of the first 20 of them. */
  unreadableIds: string[];
};

type Column = { owner: SealedOwner; table: string; id: string; column: string };

/**
 * Seals every sealed value of PostgreSQL with the first key of `secretKey`, one row a statement, so that no change of the
 * service waits. A value that the service changes meanwhile is kept and looked at again. It can be interrupted and
 * repeated: values that the first key opens stay as they are.
 *
 * @param onColumn is called after each column.
 */
export async function resealColumns(
  { sql, secretKey }: { sql: Sql; secretKey: string },
  onColumn: (column: ResealedColumn) => void,
): Promise<ResealedColumn[]> {
  const done: ResealedColumn[] = [];
  for (const column of listColumns()) {
    const resealed = await reseal(sql, secretKey, column);
    onColumn(resealed);
    done.push(resealed);
  }
  return done;
}

function listColumns(): Column[] {
  const all: Column[] = [];
  for (const owner of Object.keys(sealedColumns) as SealedOwner[]) {
    // Its own keys, and no others.
    const { table, id, columns } = sealedColumns[owner];
    all.push(...columns.map((column) => ({ owner, table, id, column })));
  }
  return all;
}

async function reseal(sql: Sql, secretKey: string, at: Column): Promise<ResealedColumn> {
  const { table, column } = at;
  const report: ResealedColumn = { table, column, values: 0, resealed: 0, unreadable: 0, unreadableIds: [] };
  for (let after: string | undefined; ; ) {
    const rows = await loadBatch(sql, at, after);
    for (const { id, sealed } of rows) {
      const outcome = await resealRow(sql, secretKey, at, { id, sealed });
      report.values += 1;
      if (outcome === 'resealed') report.resealed += 1;
      if (outcome === 'unreadable') {
        report.unreadable += 1;
        if (report.unreadableIds.length < namedMax) report.unreadableIds.push(id);
      }
    }
    after = rows.at(-1)?.id;
    if (rows.length < batchRows) return report;
  }
}

type Row = { id: string; sealed: Uint8Array };

function loadBatch(sql: Sql, { table, id, column }: Column, after: string | undefined): Promise<Row[]> {
  return sql<Row[]>`
    select ${sql(id)}::text as id, ${sql(column)} as sealed from ${sql(table)}
    where ${isSealed(sql, column)} ${after === undefined ? sql`` : sql`and ${sql(id)} > ${after}`}
    order by ${sql(table)}.${sql(id)} limit ${batchRows}`;
}

/** A deleted webhook keeps a row with an empty secret until its deliveries are removed. */
function isSealed(sql: Sql, column: string): Fragment {
  return sql`octet_length(${sql(column)}) > 0`;
}

/** Repeats only when the service has changed the value between the look and the update. */
async function resealRow(
  sql: Sql,
  secretKey: string,
  { owner, table, id: key, column }: Column,
  { id, sealed: found }: Row,
): Promise<'kept' | 'resealed' | 'unreadable'> {
  for (let sealed = found; ; ) {
    const fresh = resealColumn(secretKey, owner, id, sealed);
    if (fresh === undefined) return 'unreadable';
    if (fresh === sealed) return 'kept';
    const { count } = await sql`
      update ${sql(table)} set ${sql(column)} = ${fresh} where ${sql(key)} = ${id} and ${sql(column)} = ${sealed}`;
    if (count > 0) return 'resealed';
    const [now] = await sql<Row[]>`
      select ${sql(key)}::text as id, ${sql(column)} as sealed from ${sql(table)}
      where ${sql(key)} = ${id} and ${isSealed(sql, column)}`;
    if (now === undefined) return 'kept';
    sealed = now.sealed;
  }
}
