import type { PageId } from '../../lib/ids.js';
import { withTimeout } from '../../lib/timeout.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { underCopyLock } from './copy-lock.js';
import { loadShown, type RowRef, rowKey } from './load-shown.js';
import { makeStamps } from './stamps.js';
import { type CopyDeps, isLastTaken, keepVersion, takeVersion } from './take-version.js';

/** Rows of one insert. An incident and its updates may be large. */
const rowsMax = 1_000;
/** ClickHouse is given up after this time, and the rows are copied again. */
const insertMsMax = 8_000;

type Note = RowRef & { change: string };

/**
 * Copies rows of PostgreSQL that have changed to ClickHouse, a bounded number of them. Returns whether more wait. It may be cut
 * off anywhere: the notes of the changes go after ClickHouse has the rows, so that the next call repeats them.
 *
 * A lock lets one instance copy at a time. The version of the copies is taken and committed first, and the rows are read then;
 * an instance that loses the lock with its connection can read no more. So a copy with a higher version was read later, whenever
 * either of them arrives, and the newest one wins.
 *
 * @throws Error when ClickHouse does not store the copies; the errors of the drivers.
 */
export async function copyRows(deps: CopyDeps): Promise<boolean> {
  const due = await deps.sql`select from copies_due limit 1`;
  if (due.length === 0) return false;
  const version = await takeVersion(deps);
  if (version === undefined) return false;
  return (await underCopyLock(deps.sql, (tx) => copyUnderLock(tx, deps.clickhouse, version))) ?? false;
}

async function copyUnderLock(
  tx: Transaction,
  clickhouse: ClickHouseClient,
  version: string,
): Promise<boolean> {
  if (!(await isLastTaken(tx, version))) return false;
  const notes = await tx<Note[]>`
    select page_id as "pageId", kind, id, change::text as change from copies_due
    order by copies_due.change limit ${rowsMax}`;
  if (notes.length === 0) return false;
  const pages = await loadLivePages(tx, notes);
  const rows = notes.filter(({ pageId }) => pages.has(pageId));
  if (rows.length > 0) {
    await insertCopies(clickhouse, await makeCopies(tx, rows, version), version);
    await keepVersion(tx, version);
  }
  const forgotten = await forget(tx, notes);
  // A note that changes meanwhile is copied again, but not at once: its transaction may last.
  return notes.length === rowsMax && forgotten === notes.length;
}

/** A deleted page is left out, and its notes go: a job removes its rows from both stores. */
async function loadLivePages(tx: Transaction, notes: readonly Note[]): Promise<ReadonlySet<PageId>> {
  const pageIds = [...new Set(notes.map(({ pageId }) => pageId))];
  const pages = await tx<{ id: PageId }[]>`
    select id from pages where id = any (${pageIds}::uuid[]) and deleted_at is null`;
  return new Set(pages.map(({ id }) => id));
}

type Copy = { page_id: PageId; kind: string; id: string; version: string; deleted: 0 | 1; data: string };

/** Reads the rows as they are now. A row that is gone becomes a mark that it is. */
async function makeCopies(tx: Transaction, rows: readonly RowRef[], version: string): Promise<Copy[]> {
  const shown = await loadShown(tx, rows);
  return rows.map((row): Copy => {
    const data = shown.get(rowKey(row));
    const { pageId: page_id, kind, id } = row;
    return { ...{ page_id, kind, id, version }, deleted: data === undefined ? 1 : 0, data: data ?? '' };
  });
}

async function insertCopies(
  clickhouse: ClickHouseClient,
  copies: readonly Copy[],
  version: string,
): Promise<void> {
  const values = [...copies, ...makeStamps(version)];
  const insert = (signal: AbortSignal) =>
    clickhouse.insert({ table: 'copies', values, format: 'JSONEachRow', abort_signal: signal });
  await withTimeout(insert, insertMsMax, {
    error: () =>
      new Error(
        `ClickHouse did not store ${copies.length} copies of rows within ${insertMsMax / 1_000} s. They are copied again.`,
      ),
  });
}

/**
 * Deletes notes as they were read. One that a transaction is changing stays: waiting for it, with the locks of the others held,
 * could be a deadlock.
 */
async function forget(tx: Transaction, notes: readonly Note[]): Promise<number> {
  const { count } = await tx`
    delete from copies_due where ctid = any (array(
      select due.ctid from copies_due due
      join unnest(${notes.map(({ pageId }) => pageId)}::uuid[], ${notes.map(({ kind }) => kind)}::text[],
          ${notes.map(({ id }) => id)}::text[], ${notes.map(({ change }) => change)}::text[]::bigint[])
        as read (page_id, kind, id, change) using (page_id, kind, id, change)
      for update of due skip locked))`;
  return count;
}
