import {
  type BoardVariables,
  boardLimits,
  type ListedBoard,
  type ManagedBoard,
  type Tile,
} from '../../contract/manage/boards.js';
import type { Clock } from '../../lib/clock.js';
import type { BoardId, PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';

/** The dependencies of a change, which `by` makes. */
export type BoardDeps = { sql: Sql; clock: Clock; by: Actor };

/** The fields of a board that people set. */
export type BoardFields = {
  name: string;
  description: string;
  /** The usual time range up to now, such as `24h`. */
  range: string;
  variables: BoardVariables;
  tiles: Tile[];
};

/** A board of a page. */
export type Board = BoardFields & {
  id: BoardId;
  pageId: PageId;
  slug: string;
  createdAt: Date;
  updatedAt: Date;
};

/** Names one board. */
export type BoardRef = { pageId: PageId; slug: string };

/** A board without its tiles. */
export type BoardRow = Pick<Board, 'slug' | 'name' | 'description' | 'createdAt' | 'updatedAt'> & {
  tileCount: number;
};

/** Lists at most `limit` boards of a page, all by default, by slug, behind the slug `after`. */
export async function listBoards(
  { sql }: { sql: Sql },
  {
    pageId,
    limit = boardLimits.perPage,
    after = '',
  }: { pageId: PageId; limit?: number; after?: string | undefined },
): Promise<BoardRow[]> {
  const rows = await sql<BoardRow[]>`
    select slug, name, description, jsonb_array_length(tiles) as "tileCount", created_at as "createdAt",
      updated_at as "updatedAt"
    from boards where page_id = ${pageId} and slug > ${after} order by slug limit ${limit}`;
  return [...rows];
}

/** Returns the board with this slug, or `undefined` when the page has none. */
export async function findBoard(
  sql: Sql | Transaction,
  { pageId, slug }: BoardRef,
): Promise<Board | undefined> {
  const [board] = await sql<Board[]>`
    select ${boardColumns(sql)} from boards b where b.page_id = ${pageId} and b.slug = ${slug}`;
  return board;
}

/** @throws ServiceError `notFound` when the page has no board with this slug. */
export async function loadBoard({ sql }: { sql: Sql | Transaction }, ref: BoardRef): Promise<Board> {
  const board = await findBoard(sql, ref);
  if (board === undefined) throw noBoard(ref);
  return board;
}

/**
 * Locks the page until the transaction ends: boards keep their slugs, and boards and links are counted, under this lock.
 *
 * @throws ServiceError `notFound` when there is no such page.
 */
export async function lockPage(tx: Transaction, pageId: PageId): Promise<void> {
  const locked = await tx`select from pages where id = ${pageId} for no key update`;
  if (locked.length === 0) throw new ServiceError('notFound');
}

export function noBoard({ slug }: Pick<BoardRef, 'slug'>): ServiceError {
  return new ServiceError('notFound', { message: `The page has no board with the slug "${slug}".` });
}

/** Selects a board; `b` is its table. */
export function boardColumns(sql: Sql | Transaction): Fragment {
  return sql`
    b.id, b.page_id as "pageId", b.slug, b.name, b.description, b.range, b.variables, b.tiles,
    b.created_at as "createdAt", b.updated_at as "updatedAt"`;
}

/** Returns the fields of a board that people set. */
export function fieldsOfBoard({ name, description, range, variables, tiles }: Board): BoardFields {
  return { name, description, range, variables, tiles };
}

/** Returns a board as answers have it. */
export function boardJson(board: Board): ManagedBoard {
  return {
    ...{ slug: board.slug, ...fieldsOfBoard(board) },
    createdAt: board.createdAt.toISOString(),
    updatedAt: board.updatedAt.toISOString(),
  };
}

/** Returns a board as lists have it. */
export function listedBoardJson({ createdAt, updatedAt, ...board }: BoardRow): ListedBoard {
  return { ...board, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
