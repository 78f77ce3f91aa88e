import Type from 'typebox';
import {
  AddedBoards,
  AddStarterBoards,
  BoardShare,
  boardLimits,
  CreateBoardShare,
  CreatedBoardShare,
  ListedBoard,
  ManagedBoard,
  PutBoard,
} from '../../../contract/manage/boards.js';
import { manageBodyBytesMax } from '../../../contract/manage/shared.js';
import {
  addStarters,
  type Board,
  boardJson,
  createShare,
  deleteBoard,
  deleteShare,
  listBoards,
  listedBoardJson,
  listShares,
  loadBoard,
  putBoard,
  shareJson,
} from '../../../control/boards/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { parseTimestamp } from '../../../lib/timestamp.js';
import { sharedBoardPath } from '../../../web/account/manage-paths.js';
import { answerDone, answerPut, putPreconditionOf, type Representation } from '../../manage/answers.js';
import { manageBodyRoute, manageRoute, slugRef } from '../../manage/manage-route.js';
import { deleteRoute, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

const list = '/api/v1/pages/:page/boards';
const one = `${list}/:slug` as const;
const shares = `${one}/shares` as const;
const read = 'telemetry.read';
const write = 'page.write';

/** The boards of a page, and the links by which others read one. */
export function manageBoardsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [...readRoutes(deps), ...writeRoutes(deps), starterRoute(deps), ...shareRoutes(deps)];
}

function readRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path: list, permission: read, operationId: 'listBoards' },
      summary: 'The boards of a page without their tiles, by slug',
      item: ListedBoard,
      nameOf: ({ page }) => `boards ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listBoards(deps, { pageId: page.id, limit, after: after && String(after[0]) }),
      toItem: listedBoardJson,
      positionOf: ({ slug }) => [slug],
    }),
    readRoute({
      ...{ path: one, permission: read, operationId: 'getBoard' },
      summary: 'A board with its tiles',
      answer: ManagedBoard,
      load: (call) => loadBoard(deps, slugRef(call)),
      represent,
    }),
  ];
}

function writeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      ...{ method: 'PUT', path: one, permission: write, operationId: 'putBoard' },
      summary: 'Create a board, or replace it',
      description:
        'Create a board, or replace it with all of its tiles. If-Match with the tag of the board that was read refuses to replace another one; If-None-Match: * replaces none',
      body: { schema: PutBoard, bytesMax: boardLimits.bodyBytes },
      answers: { 200: ManagedBoard, 201: ManagedBoard },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage({ by, body: { slug, ...fields }, ...call }) {
        const { ctx, page } = call;
        const ref = slugRef(call);
        if (slug !== undefined && slug !== ref.slug) {
          throw new ServiceError('invalidBody', { message: '/slug must be the slug of the path.' });
        }
        const check = putPreconditionOf(ctx, represent);
        const { board, isNew } = await putBoard({ ...deps, by }, { ...ref, ...fields }, check);
        answerPut(ctx, isNew, `/api/v1/pages/${page.slug}/boards/${board.slug}`, represent(board));
      },
    }),
    deleteRoute({
      ...{ path: one, permission: write, operationId: 'deleteBoard' },
      summary: 'Delete a board and the links to it',
      represent,
      remove: (call, check) => deleteBoard({ ...deps, by: call.by }, slugRef(call), check),
    }),
  ];
}

function starterRoute(deps: CommandRoutesDeps): ManageRouteList[number] {
  return manageBodyRoute({
    ...{ method: 'POST', path: `${list}/starters`, permission: write, operationId: 'addStarterBoards' },
    summary: 'Add boards that are ready to use',
    description:
      'Add boards that are ready to use, all by default. A board whose slug is taken stays as it is',
    body: { schema: AddStarterBoards, bytesMax: manageBodyBytesMax, isOptional: true },
    answers: { 200: AddedBoards },
    errors: ['invalidBody', 'conflict'],
    async manage({ ctx, by, page, body: { slugs } }) {
      const { added, kept } = await addStarters({ ...deps, by }, { pageId: page.id, slugs });
      ctx.set('cache-control', 'no-store');
      ctx.body = { added: added.map(boardJson), kept };
    },
  });
}

function shareRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'GET', path: shares, permission: read, operationId: 'listBoardShares' },
      summary: 'The links to a board, the oldest first, without their tokens',
      answers: { 200: Type.Object({ items: Type.Array(BoardShare) }) },
      errors: ['notFound'],
      async manage(call) {
        const found = await listShares(deps, slugRef(call));
        call.ctx.set('cache-control', 'private, no-cache');
        call.ctx.body = { items: found.map(shareJson) };
      },
    }),
    manageBodyRoute({
      ...{ method: 'POST', path: shares, permission: write, operationId: 'createBoardShare' },
      summary: 'Make a link by which anybody who has it reads a board',
      description:
        'Make a link by which anybody who has it reads a board with its figures, until it ends or is deleted. Its token is in this answer and in no later one',
      body: { schema: CreateBoardShare, bytesMax: manageBodyBytesMax },
      answers: { 201: CreatedBoardShare },
      errors: ['invalidBody', 'notFound', 'conflict'],
      async manage({ by, body: { name, expiresAt }, ...call }) {
        const { ctx } = call;
        const until = expiresAt === undefined ? undefined : parseTime(expiresAt);
        const fields = { ...slugRef(call), name, expiresAt: until };
        const { share, token } = await createShare({ ...deps, by }, fields);
        const url = `${deps.baseUrl().replace(/\/$/, '')}${sharedBoardPath(token)}`;
        // Without a location and a tag: a link is in the list of links, and no address shows it alone.
        ctx.status = 201;
        ctx.set('cache-control', 'no-store');
        ctx.body = { ...shareJson(share), token, url };
      },
    }),
    manageRoute({
      ...{ method: 'DELETE', path: `${shares}/:id`, permission: write, operationId: 'deleteBoardShare' },
      summary: 'Delete a link to a board, which opens nothing any more',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage({ by, ...call }) {
        await deleteShare({ ...deps, by }, { ...slugRef(call), id: call.params['id'] ?? '' });
        answerDone(call.ctx);
      },
    }),
  ];
}

/** @throws ServiceError `invalidBody` */
function parseTime(text: string): Date {
  const time = parseTimestamp(text);
  if (!Number.isNaN(time)) return new Date(time);
  throw new ServiceError('invalidBody', {
    message: '/expiresAt must be a time such as 2027-01-31T00:00:00Z.',
  });
}

function represent(board: Board): Representation {
  return { body: boardJson(board) };
}
