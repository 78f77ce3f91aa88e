import type { Context } from 'koa';
import {
  type BoardVariable,
  boardVariables,
  type FigurePath,
  type Tile,
} from '../../contract/manage/boards.js';
import {
  SharedBoard,
  SharedTileData,
  SharedTileParameters,
  sharedBoardsPath,
} from '../../contract/public/shared-boards.js';
import type { Capability } from '../../contract/scopes.js';
import { type Board, fillFigure, type OpenedBoard, openShare, valuesOf } from '../../control/boards/index.js';
import { findPage } from '../../control/pages/index.js';
import { findQuery } from '../../control/queries/index.js';
import { invalid, invalidValue, type Parameters, parseParameters } from '../../lib/query-parameters.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import { minuteMs } from '../../lib/times.js';
import { createWindowCounter, networkOf } from '../../lib/window-counter.js';
import { analyticsPath, type PageRead } from '../page-read.js';
import type { OriginParser } from '../request-origin.js';
import type { OpenRoute } from '../route.js';
import { createSharedTiles, type SharedTiles } from './shared-tiles.js';
import { readSql, type SqlDeps } from './sql.js';

type Deps = SqlDeps & {
  parseOrigin: OriginParser;
  /** The private reads of pages, in turns. */
  reads: readonly PageRead[];
};

/** Forty tiles once a minute, for several screens of one office. */
const requestsPerLink = 600;
/** Reads of a network, with whatever links; a wrong one costs a query. */
const requestsPerNetwork = 3_000;
/** Links in memory; beyond that the one that was silent longest is forgotten. */
const linksMax = 20_000;
/** Networks in memory; beyond that the one that was silent longest is forgotten. */
const networksMax = 20_000;
const parameterNames = ['from', 'to', ...boardVariables] as const;
const valueCharsMax = 300;

type TileParameters = Parameters<(typeof parameterNames)[number]>;

/** Boards behind a secret address: the board, and each of its tiles with what it shows. */
export function sharedBoardRoutes(deps: Deps): OpenRoute[] {
  const networks = createWindowCounter<string>({
    ...{ clock: deps.clock, windowMs: minuteMs, keysMax: networksMax },
  });
  const links = createWindowCounter<string>({
    ...{ clock: deps.clock, windowMs: minuteMs, keysMax: linksMax },
  });
  const tiles = createSharedTiles(deps.clock);
  const open = async (ctx: Context): Promise<OpenedBoard> => {
    const { clientAddress } = deps.parseOrigin(ctx);
    refuseAfter(networks.count(networkOf(clientAddress), requestsPerNetwork));
    ctx.set('cache-control', 'private, no-store');
    const token = String(ctx['params'].board);
    const opened = await openShare(deps, { token, now: deps.clock.now() }).catch((cause: unknown) => {
      throw storeUnavailable(cause);
    });
    if (opened === undefined) throw new ServiceError('notFound');
    refuseAfter(links.count(token, requestsPerLink));
    return opened;
  };
  return [
    {
      method: 'GET',
      path: `${sharedBoardsPath}/:board`,
      operationId: 'getSharedBoard',
      summary: 'A board behind a secret address',
      description:
        'A board behind a secret address, without statements and queries. A wrong, an expired and a deleted address are the same 404',
      sameOnEveryHost: true,
      answers: { 200: SharedBoard },
      errors: ['notFound', 'rateLimited', 'storeUnavailable'],
      async handle(ctx) {
        ctx.body = toShared(await open(ctx), deps.clock.now());
      },
    },
    {
      method: 'GET',
      path: `${sharedBoardsPath}/:board/tiles/:tile`,
      operationId: 'getSharedTile',
      summary: 'What a tile of a board behind a secret address shows',
      description:
        'What a tile of a board behind a secret address shows, over a time range. It takes turns with the other reads and statements of the page',
      sameOnEveryHost: true,
      // A statement runs for up to 10 s, after a wait for its turn.
      boundsItself: true,
      query: SharedTileParameters,
      answers: { 200: SharedTileData },
      errors: [
        ...(['invalidParameter', 'notFound', 'rateLimited', 'storeUnavailable', 'overloaded'] as const),
        ...(['invalidSql', 'sqlTooExpensive', 'sqlResultTooLarge', 'ownEventStore'] as const),
        ...(['ownStoreUnavailable', 'capabilityUnavailable', 'databaseHealthOff'] as const),
      ],
      async handle(ctx) {
        const { board } = await open(ctx);
        await answerTile({ ...deps, tiles }, ctx, board);
      },
    },
  ];
}

/** @throws ServiceError `rateLimited` when a window is used up */
function refuseAfter(msLeft: number | undefined): void {
  if (msLeft === undefined) return;
  throw new ServiceError('rateLimited', { retryAfterSeconds: Math.max(1, Math.ceil(msLeft / 1_000)) });
}

function toShared({ board, expiresAt }: OpenedBoard, now: number): SharedBoard {
  const { name, description, range, variables, tiles } = board;
  return {
    ...{ name, description, range },
    variables: boardVariables.flatMap((one) => {
      const variable = variables[one];
      return variable === undefined ? [] : [{ name: one, initial: variable.initial ?? null }];
    }),
    tiles: tiles.map(({ source: _, ...tile }) => tile),
    expiresAt: expiresAt?.toISOString() ?? null,
    readAt: new Date(now).toISOString(),
  };
}

/** @throws ServiceError as the route says */
async function answerTile(deps: Deps & { tiles: SharedTiles }, ctx: Context, board: Board): Promise<void> {
  const tile = board.tiles.find(({ id }) => id === String(ctx['params'].tile));
  if (tile === undefined) throw new ServiceError('notFound');
  const given = parseParameters(ctx.query, parameterNames);
  const values = valuesOf(board, chosenOf(board, given));
  const range = { from: given.from ?? `now-${board.range}`, to: given.to ?? 'now' };
  const load = await allowedLoad(deps, ctx, { board, tile, values, range });
  const key = JSON.stringify([board.id, board.updatedAt, tile.id, range, Object.entries(values).sort()]);
  ctx.body = await deps.tiles.read(board.pageId, key, load);
  ctx.type = 'application/json; charset=utf-8';
  // The answer says when it was read; the reads say up to when they have every event, which is about the same.
  ctx.remove('heartline-as-of');
}

type AskedTile = {
  board: Board;
  tile: Tile;
  values: ReturnType<typeof valuesOf>;
  range: { from: string; to: string };
};

/**
 * Returns how to load the answer, once it may be read: what is kept in memory is no reason to show it. It is loaded for whoever
 * asks, so that it goes on when the first of them leaves.
 *
 * @throws ServiceError as the route says
 */
async function allowedLoad(
  deps: Deps,
  ctx: Context,
  { board, tile, values, range }: AskedTile,
): Promise<() => Promise<Buffer>> {
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
    return async () => {
      const own: Context = Object.create(ctx, { query: { value: parameters } });
      await read.read(own, board.pageId);
      return asJson({ ...head(), kind: 'figure', path, data: own.body });
    };
  }
  await refuseUnavailable(deps, board, { capability: 'internal-analytics' });
  const sql = await statementOf(deps, board, source);
  return async () => {
    const asked = { sql, format: 'JSON', ...range } as const;
    return wrapResult(await readSql(deps, ctx, board.pageId, asked).catch(hideStatement), head());
  };
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
  { sql }: Deps,
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
function readOf({ reads }: Deps, path: FigurePath): PageRead {
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
  deps: Deps,
  { pageId }: Board,
  { capability, feature }: { capability: Capability; feature?: PageRead['feature'] | undefined },
): Promise<void> {
  const page = await findPage(deps, { id: pageId });
  if (page === undefined) throw new ServiceError('notFound');
  if (!page.capabilities.includes(capability)) throw new ServiceError('capabilityUnavailable');
  if (feature !== undefined && !page.databaseHealthEnabled) throw new ServiceError('databaseHealthOff');
}
