import { isLine, lineRule } from '../../contract/line.js';
import { type BoardShare as BoardShareJson, boardLimits } from '../../contract/manage/boards.js';
import { type BoardId, type BoardShareId, newId, type PageId, parseId } from '../../lib/ids.js';
import { hashSecret, newSecret } from '../../lib/secrets/secrets.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, personNameOf, recordChange, type ShownActor, toShownActor } from '../audit/index.js';
import { type Board, type BoardDeps, type BoardRef, boardColumns, loadBoard, lockPage } from './board.js';

/** A link by which anybody who has it reads a board. */
export type BoardShare = {
  id: BoardShareId;
  name: string;
  /** null for a link that never ends. */
  expiresAt: Date | null;
  createdAt: Date;
  createdBy: ShownActor;
};

type Row = Omit<BoardShare, 'createdBy'> & ShownActorColumns;
type ShownActorColumns = {
  createdByType: ShownActor['type'];
  createdById: string;
  createdByName: string;
  createdByPersonName: string | null;
};

/** Who makes a change, and when: in milliseconds since the epoch. */
type Audit = { by: Actor; now: number };

/** The form of a token. Other texts never reach the database. */
const tokenForm = /^brd_[0-9A-Za-z]{43}$/;

/** Lists the links to a board, the oldest first. @throws ServiceError `notFound` when the page has no such board. */
export async function listShares({ sql }: { sql: Sql }, ref: BoardRef): Promise<BoardShare[]> {
  const { id, pageId } = await loadBoard({ sql }, ref);
  return selectShares(sql, { pageId, boardId: id });
}

/**
 * Makes a link to a board. Nothing else returns or stores its token.
 *
 * @throws ServiceError `notFound` when the page has no such board; `invalidBody` for a name that is no line and for an end
 *   that has passed; `conflict` when the board has as many links as it may have.
 */
export async function createShare(
  { sql, clock, by }: BoardDeps,
  { name, expiresAt, ...ref }: BoardRef & { name: string; expiresAt: Date | undefined },
): Promise<{ share: BoardShare; token: string }> {
  const now = clock.now();
  if (!isLine('line', name)) {
    throw new ServiceError('invalidBody', { message: `/name ${lineRule('line')}.` });
  }
  if (expiresAt !== undefined && expiresAt.getTime() <= now) {
    throw new ServiceError('invalidBody', { message: '/expiresAt must be in the future.' });
  }
  const token = `brd_${newSecret()}`;
  const id = newId<BoardShareId>(now);
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, ref.pageId);
    const board = await loadBoard({ sql: tx }, ref);
    await refuseTooMany(tx, board);
    await tx`
      insert into board_shares (id, page_id, board_id, name, token_hash, expires_at, created_at, created_by_type,
        created_by_id, created_by_name)
      values (${id}, ${board.pageId}, ${board.id}, ${name.trim()}, decode(${hashSecret(token)}, 'hex'),
        ${expiresAt ?? null}, ${new Date(now)}, ${by.type}, ${by.id}, ${by.name})`;
    const [share] = await selectShares(tx, { pageId: board.pageId, boardId: board.id, id });
    if (share === undefined) throw new Error('The link that was just made is gone.');
    await record(tx, { by, now }, { board, before: null, after: share });
    return { share, token };
  });
}

/** Takes a link away: it opens nothing any more. @throws ServiceError `notFound` */
export async function deleteShare(
  { sql, clock, by }: BoardDeps,
  { id, ...ref }: BoardRef & { id: string },
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await lockPage(tx, ref.pageId);
    const board = await loadBoard({ sql: tx }, ref);
    const { pageId, id: boardId } = board;
    const shareId = parseId<BoardShareId>(id);
    const [share] = shareId === undefined ? [] : await selectShares(tx, { pageId, boardId, id: shareId });
    if (share === undefined) throw new ServiceError('notFound', { message: 'The board has no such link.' });
    await tx`delete from board_shares where id = ${share.id} and page_id = ${pageId}`;
    await record(tx, { by, now: clock.now() }, { board, before: share, after: null });
  });
}

/** Writes the rows of the audit log for the links to a board that the transaction deletes, which takes them away. */
export async function recordEndOfShares(tx: Transaction, audit: Audit, board: Board): Promise<void> {
  for (const share of await selectShares(tx, { pageId: board.pageId, boardId: board.id })) {
    await record(tx, audit, { board, before: share, after: null });
  }
}

/** A board as a link opens it. */
export type OpenedBoard = { board: Board; expiresAt: Date | null };

/** Finds the board that a token opens now; `undefined` for a wrong, an expired and a revoked one. */
export async function openShare(
  { sql }: { sql: Sql },
  { token, now }: { token: string; now: number },
): Promise<OpenedBoard | undefined> {
  if (!tokenForm.test(token)) return undefined;
  const [row] = await sql<(Board & { expiresAt: Date | null })[]>`
    select ${boardColumns(sql)}, s.expires_at as "expiresAt"
    from board_shares s
      join boards b on b.id = s.board_id and b.page_id = s.page_id
      join pages p on p.id = s.page_id and p.deleted_at is null
    where s.token_hash = decode(${hashSecret(token)}, 'hex')
      and (s.expires_at is null or s.expires_at > ${new Date(now)})`;
  if (row === undefined) return undefined;
  const { expiresAt, ...board } = row;
  return { board, expiresAt };
}

async function selectShares(
  sql: Sql | Transaction,
  { pageId, boardId, id }: { pageId: PageId; boardId: BoardId; id?: BoardShareId },
): Promise<BoardShare[]> {
  const isPerson = sql`s.created_by_type = 'user'`;
  const rows = await sql<Row[]>`
    select s.id, s.name, s.expires_at as "expiresAt", s.created_at as "createdAt",
      s.created_by_type as "createdByType", s.created_by_id as "createdById", s.created_by_name as "createdByName",
      ${personNameOf(sql, isPerson, sql`s.created_by_id`)} as "createdByPersonName"
    from board_shares s
    where s.page_id = ${pageId} and s.board_id = ${boardId}
      and (${id ?? null}::uuid is null or s.id = ${id ?? null})
    order by s.id`;
  return rows.map(({ createdByType, createdById, createdByName, createdByPersonName, ...share }) => {
    const actor = { type: createdByType, id: createdById, name: createdByName };
    return { ...share, createdBy: toShownActor({ ...actor, personName: createdByPersonName }) };
  });
}

async function refuseTooMany(tx: Transaction, { id, pageId }: Board): Promise<void> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from board_shares where board_id = ${id} and page_id = ${pageId}`;
  if ((row?.count ?? 0) < boardLimits.sharesPerBoard) return;
  throw new ServiceError('conflict', {
    message: `The board has ${boardLimits.sharesPerBoard} links, which is the most; delete one first.`,
  });
}

/** Returns a link as answers have it. */
export function shareJson({ id, name, expiresAt, createdAt, createdBy }: BoardShare): BoardShareJson {
  return {
    ...{ id, name, createdBy },
    ...{ expiresAt: expiresAt?.toISOString() ?? null, createdAt: createdAt.toISOString() },
  };
}

/** The log has the name of a link and its end, and never its token. */
function record(
  tx: Transaction,
  audit: Audit,
  { board, before, after }: { board: Board; before: BoardShare | null; after: BoardShare | null },
): Promise<void> {
  const fieldsOf = ({ name, expiresAt }: BoardShare) => ({ link: name, expiresAt });
  return recordChange(tx, audit, {
    pageId: board.pageId,
    action: after === null ? 'board.unshare' : 'board.share',
    target: { type: 'board', id: board.id, name: board.slug },
    before: before && fieldsOf(before),
    after: after && fieldsOf(after),
  });
}
