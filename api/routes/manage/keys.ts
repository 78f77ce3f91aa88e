import Type from 'typebox';
import {
  ChangeManagedKey,
  CreatedManagedKey,
  CreateManagedKey,
  ManagedKey,
} from '../../../contract/manage/keys.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  createKey,
  type Key,
  listManagedKeys,
  loadKey,
  renameKey,
  revokeKey,
} from '../../../control/keys/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { parseTimestamp } from '../../../lib/timestamp.js';
import {
  answerCreated,
  answerDone,
  answerResource,
  preconditionOf,
  type Representation,
} from '../../manage/answers.js';
import type { Caller } from '../../manage/caller.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

/** The keys of a page. A key never makes, names or revokes manage keys. */
export function manageKeysRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/keys',
      operationId: 'listKeys',
      summary: 'The keys of a page, newest first, revoked ones included',
      permission: 'keys.write',
      query: Type.Object(listParameters),
      answers: { 200: listOf(ManagedKey) },
      async manage({ ctx, page, query }) {
        const paging = createPaging(deps.secretKey, `keys ${page.id}`);
        const { limit, after } = paging.parse(query);
        const rows = await listManagedKeys(deps, {
          pageId: page.id,
          limit: limit + 1,
          after: after?.map(String),
        });
        paging.answer(ctx, { rows, limit, toItem: keyJson, positionOf: ({ id }) => [id] });
      },
    }),
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/keys',
      operationId: 'createKey',
      summary: 'Create a key',
      description: 'Create a key. The answer has it, and no later one does',
      permission: 'keys.write',
      body: { schema: CreateManagedKey, bytesMax },
      answers: { 201: CreatedManagedKey },
      errors: ['invalidBody', 'conflict'],
      async manage({ ctx, caller, by, page, body: { expiresAt, ...settings } }) {
        refuseManageKey(caller, settings.scope);
        const input = {
          pageId: page.id,
          ...settings,
          expiresAt: expiresAt === undefined ? undefined : parseTime(expiresAt),
        };
        const { key, ...created } = await createKey({ ...deps, by }, input);
        answerCreated(ctx, `/api/v1/pages/${page.slug}/keys/${created.id}`, representKey(created), { key });
      },
    }),
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/keys/:id',
      operationId: 'getKey',
      summary: 'A key of a page, without the key itself',
      permission: 'keys.write',
      answers: { 200: ManagedKey, 304: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, page, params }) {
        answerResource(ctx, representKey(await loadKey(deps, { id: params['id'] ?? '', pageId: page.id })));
      },
    }),
    manageBodyRoute({
      method: 'PATCH',
      path: '/api/v1/pages/:page/keys/:id',
      operationId: 'renameKey',
      summary: 'Give a key another name',
      permission: 'keys.write',
      body: { schema: ChangeManagedKey, bytesMax },
      answers: { 200: ManagedKey },
      errors: ['invalidBody', 'notFound', 'preconditionFailed'],
      async manage({ ctx, caller, by, page, params, body }) {
        const precondition = preconditionOf(ctx, representKey);
        const check = (key: Key) => {
          refuseManageKey(caller, key.scope);
          precondition(key);
        };
        const ref = { id: params['id'] ?? '', pageId: page.id };
        answerResource(ctx, representKey(await renameKey({ ...deps, by }, { ...ref, ...body, check })));
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: '/api/v1/pages/:page/keys/:id',
      operationId: 'revokeKey',
      summary: 'Revoke a key for good',
      permission: 'keys.write',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, caller, by, page, params }) {
        const check = (key: Key) => {
          refuseManageKey(caller, key.scope);
          if (key.revokedAt !== null) throw new ServiceError('notFound');
        };
        await revokeKey({ ...deps, by }, { id: params['id'] ?? '', pageId: page.id, check });
        answerDone(ctx);
      },
    }),
  ];
}

/** @throws ServiceError `notAllowed` */
function refuseManageKey(caller: Caller, scope: string): void {
  if (caller.type === 'key' && caller.grant.scope === 'manage' && scope === 'manage') {
    throw new ServiceError('notAllowed', { message: 'A key does not manage keys with the scope manage.' });
  }
}

function parseTime(text: string): Date {
  const time = parseTimestamp(text);
  if (Number.isNaN(time)) {
    throw new ServiceError('invalidBody', {
      message: '/expiresAt must be a time such as 2027-01-31T00:00:00Z.',
    });
  }
  return new Date(time);
}

function representKey(key: Key): Representation {
  return { body: keyJson(key), volatile: ['lastUsedAt'] };
}

function keyJson({ id, name, scope, access, displayPrefix, createdBy, ...times }: Key): object {
  return {
    ...{ id, name, scope, access, displayPrefix, createdBy },
    createdAt: times.createdAt.toISOString(),
    lastUsedAt: times.lastUsedAt?.toISOString() ?? null,
    expiresAt: times.expiresAt?.toISOString() ?? null,
    revokedAt: times.revokedAt?.toISOString() ?? null,
  };
}
