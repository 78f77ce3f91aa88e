import { isDeepStrictEqual } from 'node:util';
import { boardLimits } from '../../contract/manage/boards.js';
import { type BoardId, newId, type PageId, parseId, type QueryId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { checkResourceSlug } from '../../lib/slug.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import {
  type Board,
  type BoardDeps,
  type BoardFields,
  type BoardRef,
  fieldsOfBoard,
  findBoard,
  lockPage,
  noBoard,
} from './board.js';
import { invalidTile, parseBoard, type SentBoard } from './parse-board.js';
import { recordEndOfShares } from './shares.js';

/** May refuse a change by throwing. */
type Check<T> = (current: T) => void;

/**
 * Creates the board with this slug, or replaces its fields. The same fields again change nothing.
 *
 * @param check gets the board as it is, or `undefined` when there is none, in the transaction of the change.
 * @throws ServiceError `invalidBody` for a slug or a field that cannot be, and for a query that the page does not share;
 *   `conflict` when the page has as many as it may have; `notFound` when there is no such page; what `check` throws.
 */
export async function putBoard(
  { sql, ...deps }: BoardDeps,
  { pageId, slug, ...sent }: BoardRef & SentBoard,
  check?: Check<Board | undefined>,
): Promise<{ board: Board; isNew: boolean }> {
  checkResourceSlug(slug);
  const fields = parseBoard(sent);
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, pageId);
    const before = await findBoard(tx, { pageId, slug });
    check?.(before);
    if (before === undefined) await refuseTooMany(tx, pageId, 1);
    const board = await writeBoard(tx, deps, { ref: { pageId, slug }, before, fields });
    return { board, isNew: before === undefined };
  });
}

/**
 * Creates the boards whose slugs the page does not have, with fields that parseBoard() made.
 *
 * @throws ServiceError `conflict` when the page has no room for all of them; `notFound` when there is no such page.
 */
export async function addMissingBoards(
  { sql, ...deps }: BoardDeps,
  pageId: PageId,
  wanted: readonly { slug: string; fields: BoardFields }[],
): Promise<{ added: Board[]; kept: string[] }> {
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, pageId);
    const rows = await tx<{ slug: string }[]>`
      select slug from boards where page_id = ${pageId} and slug = any (${wanted.map(({ slug }) => slug)}::text[])`;
    const kept = rows.map(({ slug }) => slug).sort();
    const missing = wanted.filter(({ slug }) => !kept.includes(slug));
    await refuseTooMany(tx, pageId, missing.length);
    const added: Board[] = [];
    for (const { slug, fields } of missing) {
      added.push(await writeBoard(tx, deps, { ref: { pageId, slug }, before: undefined, fields }));
    }
    return { added, kept };
  });
}

/**
 * Deletes a board and the links to it, each of which has its row in the audit log.
 *
 * @throws ServiceError `notFound` when the page has no such board; what `check` throws.
 */
export async function deleteBoard(
  { sql, clock, by }: BoardDeps,
  { pageId, slug }: BoardRef,
  check?: Check<Board>,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await lockPage(tx, pageId);
    const before = await findBoard(tx, { pageId, slug });
    if (before === undefined) throw noBoard({ slug });
    check?.(before);
    const audit = { by, now: clock.now() };
    await recordEndOfShares(tx, audit, before);
    await tx`delete from boards where id = ${before.id} and page_id = ${pageId}`;
    await record(tx, audit, { before, after: null });
  });
}

async function refuseTooMany(tx: Transaction, pageId: PageId, more: number): Promise<void> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from boards where page_id = ${pageId}`;
  const count = row?.count ?? 0;
  if (count + more <= boardLimits.perPage) return;
  throw new ServiceError('conflict', {
    message: `The page has ${count} boards, and ${boardLimits.perPage} are the most; delete one first.`,
  });
}

type Change = { ref: BoardRef; before: Board | undefined; fields: BoardFields };

async function writeBoard(
  tx: Transaction,
  { clock, by }: Omit<BoardDeps, 'sql'>,
  { ref, before, fields }: Change,
): Promise<Board> {
  if (before !== undefined && isDeepStrictEqual(fieldsOfBoard(before), fields)) return before;
  await checkQueries(tx, ref.pageId, { before, fields });
  const now = clock.now();
  const { name, description, range } = fields;
  const columns = {
    ...{ name, description, range, updated_at: new Date(now) },
    ...{ variables: tx.json(fields.variables), tiles: tx.json(fields.tiles) },
  };
  if (before === undefined) {
    const own = { id: newId<BoardId>(now), page_id: ref.pageId, slug: ref.slug };
    await tx`insert into boards ${tx({ ...own, created_at: new Date(now), ...columns })}`;
  } else await tx`update boards set ${tx(columns)} where id = ${before.id} and page_id = ${ref.pageId}`;
  const after = await findBoard(tx, ref);
  if (after === undefined) throw new Error('The board that was just written is gone.');
  await record(tx, { by, now }, { before: before ?? null, after });
  return after;
}

/** Queries of tiles that stay as they were are not looked at. The rows of the others stay until the transaction ends. */
async function checkQueries(
  tx: Transaction,
  pageId: PageId,
  { before, fields }: Pick<Change, 'before' | 'fields'>,
): Promise<void> {
  const known = (before?.tiles ?? []).flatMap(({ source }) => ('query' in source ? [source.query] : []));
  for (const [at, tile] of fields.tiles.entries()) {
    if (!('query' in tile.source) || known.includes(tile.source.query)) continue;
    const id = parseId<QueryId>(tile.source.query) ?? null;
    const { count } = await tx`
      select 1 from queries where page_id = ${pageId} and id = ${id} and owner_id is null for key share`;
    if (count > 0) continue;
    throw invalidTile(at, tile, `names the query "${tile.source.query}", which the page does not share`);
  }
}

function record(
  tx: Transaction,
  audit: { by: Actor; now: number },
  sides: { before: Board | null; after: Board } | { before: Board; after: null },
): Promise<void> {
  const { before, after } = sides;
  const { id, pageId, slug } = sides.after ?? sides.before;
  const verb = before === null ? 'create' : after === null ? 'delete' : 'update';
  return recordChange(tx, audit, {
    pageId,
    action: `board.${verb}`,
    target: { type: 'board', id, name: slug },
    before: before && { slug, ...fieldsOfBoard(before) },
    after: after && { slug, ...fieldsOfBoard(after) },
  });
}
