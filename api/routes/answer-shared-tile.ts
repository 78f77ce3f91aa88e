import { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import {
  type BoardVariable,
  boardVariables,
  type FigurePath,
  type Tile,
} from '../../contract/manage/boards.js';
import type { SharedTileData } from '../../contract/public/shared-boards.js';
import type { Capability } from '../../contract/scopes.js';
import { type Board, fillFigure, valuesOf } from '../../control/boards/index.js';
import { findPage } from '../../control/pages/index.js';
import { findQuery } from '../../control/queries/index.js';
import { invalid, invalidValue, type Parameters, parseParameters } from '../../lib/query-parameters.js';
import { ServiceError } from '../../lib/service-error.js';
import { endWork, hangUpSignal } from '../hang-up.js';
import { analyticsPath, type PageRead } from '../page-read.js';
import type { LoadTile, SharedTiles } from './shared-tiles.js';
import { readSql, type SqlDeps } from './sql.js';

export type SharedTileDeps = SqlDeps & {
  /** The private reads of pages, in turns. */
  reads: readonly PageRead[];
  tiles: SharedTiles;
};

const parameterNames = ['from', 'to', ...boardVariables] as const;
const valueCharsMax = 300;

type TileParameters = Parameters<(typeof parameterNames)[number]>;

/**
 * Answers with what a tile of a shared board shows.
 *
 * @throws ServiceError `notFound` for a tile that the board does not have; as its route says
 */
export async function answerTile(deps: SharedTileDeps, ctx: Context, board: Board): Promise<void> {
  const tile = board.tiles.find(({ id }) => id === String(ctx['params'].tile));
  if (tile === undefined) throw new ServiceError('notFound');
  const given = parseParameters(ctx.query, parameterNames);
  const values = valuesOf(board, chosenOf(board, given));
  const range = { from: given.from ?? `now-${board.range}`, to: given.to ?? 'now' };
  const load = await allowedLoad(deps, ctx, { board, tile, values, range });
  const key = JSON.stringify([board.id, board.updatedAt, tile.id, range, Object.entries(values).sort()]);
  ctx.body = await deps.tiles.read(board.pageId, key, { load, signal: hangUpSignal(ctx.res) });
  ctx.type = 'application/json; charset=utf-8';
}

type AskedTile = {
  board: Board;
  tile: Tile;
  values: ReturnType<typeof valuesOf>;
  range: { from: string; to: string };
};

/**
 * Returns how to load the answer, once it may be read: what is kept in memory is no reason to show it.
 *
 * @throws ServiceError as the route says
 */
async function allowedLoad(
  deps: SharedTileDeps,
  ctx: Context,
  { board, tile, values, range }: AskedTile,
): Promise<LoadTile> {
  const { source } = tile;
  const head = () => ({ id: tile.id, readAt: new Date(deps.clock.now()).toISOString() });
  if ('text' in source) {
    return async () => asJson({ ...head(), kind: 'text', path: null, data: source.text });
  }
  if ('figure' in source) {
    const { path } = source.figure;
    const read = readOf(deps, path);
    await refuseUnavailable(deps, board, read);
    const parameters = fillFigure(source.figure, { values, ...range });
    return async (signal) => {
      const own = sharedContext(ctx, parameters, signal);
      await read.read(own, board.pageId);
      return asJson({ ...head(), kind: 'figure', path, data: own.body });
    };
  }
  await refuseUnavailable(deps, board, { capability: 'internal-analytics' });
  const sql = await statementOf(deps, board, source);
  return async (signal) => {
    const own = sharedContext(ctx, {}, signal);
    const asked = { sql, format: 'JSON', ...range, signal } as const;
    return wrapResult(await readSql(deps, own, board.pageId, asked).catch(hideStatement), head());
  };
}

/**
 * Returns a context for a read that several requests share. It has `query` in place of the query of `ctx`, which is the first
 * request, and keeps its body to itself. The work on it ends with `signal`, and not when the caller of `ctx` leaves. It drops
 * headers: an answer says when it was read, which is about the time up to which the reads have every event.
 */
function sharedContext(ctx: Context, query: Record<string, string>, signal: AbortSignal): Context {
  const res = new ServerResponse(ctx.req);
  signal.addEventListener('abort', () => endWork(res, signal.reason), { once: true });
  return Object.create(ctx, {
    query: { value: query },
    res: { value: res },
    body: { value: undefined, writable: true },
    set: { value: () => {} },
  });
}

function asJson(answer: SharedTileData): Buffer {
  return Buffer.from(JSON.stringify(answer));
}

/** @throws ServiceError `invalidParameter` for a variable that the board does not have */
function chosenOf({ variables }: Board, given: TileParameters): Partial<Record<BoardVariable, string>> {
  const chosen: Partial<Record<BoardVariable, string>> = {};
  for (const name of boardVariables) {
    const value = given[name];
    if (value === undefined) continue;
    if (variables[name] === undefined) throw invalid(`The board has no variable "${name}".`);
    if (value.length > valueCharsMax) {
      throw invalidValue(name, `a text of at most ${valueCharsMax} characters`, value);
    }
    chosen[name] = value;
  }
  return chosen;
}

/** The statement of a tile. @throws ServiceError `notFound` when its query is no longer shared */
async function statementOf(
  { sql }: SharedTileDeps,
  { pageId }: Board,
  source: Extract<Tile['source'], { sql: string } | { query: string }>,
): Promise<string> {
  if ('sql' in source) return source.sql;
  const query = await findQuery({ sql }, { pageId, userId: null, id: source.query });
  return query.sql;
}

/** The usual sentence quotes the statement, which is none of the reader's business. */
function hideStatement(error: unknown): never {
  if (!(error instanceof ServiceError) || error.kind !== 'invalidSql') throw error;
  throw new ServiceError('invalidSql', {
    message: 'The statement of this tile was refused. Open the board in the dashboard to see why.',
    cause: error,
  });
}

/** Returns the read that routes of the page use as well; a tile gives it parameters in place of the request. */
function readOf({ reads }: SharedTileDeps, path: FigurePath): PageRead {
  const read = reads.find((one) => one.path === `${analyticsPath}/${path}`);
  if (read === undefined) throw new Error(`There is no read ${path}.`);
  return read;
}

/** Puts what ClickHouse wrote into the answer without parsing it: it may have 20 MB. */
function wrapResult(result: Buffer, head: { id: string; readAt: string }): Buffer {
  const opening = JSON.stringify({ ...head, kind: 'sql', path: null }).replace(/\}$/, ',"data":');
  return Buffer.concat([Buffer.from(opening), result, Buffer.from('}')]);
}

/** @throws ServiceError `capabilityUnavailable`, `databaseHealthOff`; `notFound` when the page is gone by now */
async function refuseUnavailable(
  deps: SharedTileDeps,
  { pageId }: Board,
  { capability, feature }: { capability: Capability; feature?: PageRead['feature'] | undefined },
): Promise<void> {
  const page = await findPage(deps, { id: pageId });
  if (page === undefined) throw new ServiceError('notFound');
  if (!page.capabilities.includes(capability)) throw new ServiceError('capabilityUnavailable');
  if (feature !== undefined && !page.databaseHealthEnabled) throw new ServiceError('databaseHealthOff');
}
