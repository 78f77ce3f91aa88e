import type { Context } from 'koa';
import { boardVariables } from '../../contract/manage/boards.js';
import {
  SharedBoard,
  SharedTileData,
  SharedTileParameters,
  sharedBoardsPath,
} from '../../contract/public/shared-boards.js';
import { type OpenedBoard, openShare } from '../../control/boards/index.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import { minuteMs } from '../../lib/times.js';
import { createWindowCounter, networkOf } from '../../lib/window-counter.js';
import type { OriginParser } from '../request-origin.js';
import type { OpenRoute } from '../route.js';
import { answerTile, type SharedTileDeps } from './answer-shared-tile.js';
import { createSharedTiles } from './shared-tiles.js';

type Deps = Omit<SharedTileDeps, 'tiles'> & { parseOrigin: OriginParser };

/** Forty tiles once a minute, for several screens of one office. */
const requestsPerLink = 600;
/** Reads of a network, with whatever links; a wrong one costs a query. */
const requestsPerNetwork = 3_000;
/** Links in memory; beyond that the one that was silent longest is forgotten. */
const linksMax = 20_000;
/** Networks in memory; beyond that the one that was silent longest is forgotten. */
const networksMax = 20_000;

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
      // A statement runs for up to 10 s, after a wait for its turn: createSharedTiles() bounds both.
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
