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
import { answerCreated, answerDone, type Representation } from '../../manage/answers.js';
import type { Caller } from '../../manage/caller.js';
import { idRef, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { byId, changeRoute, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

const path = '/api/v1/pages/:page/keys';
const onePath = `${path}/:id`;
const permission = 'keys.write';

/** The keys of a page. A key never makes, names or revokes manage keys. */
export function manageKeysRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path, permission, operationId: 'listKeys' },
      summary: 'The keys of a page, newest first, revoked ones included',
      item: ManagedKey,
      nameOf: ({ page }) => `keys ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listManagedKeys(deps, { pageId: page.id, limit, after: after?.map(String) }),
      ...{ toItem: keyJson, positionOf: byId },
    }),
    manageBodyRoute({
      ...{ method: 'POST', path, permission, operationId: 'createKey' },
      summary: 'Create a key',
      description: 'Create a key. The answer has it, and no later one does',
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
        answerCreated(ctx, `/api/v1/pages/${page.slug}/keys/${created.id}`, represent(created), { key });
      },
    }),
    readRoute({
      ...{ path: onePath, permission, operationId: 'getKey' },
      summary: 'A key of a page, without the key itself',
      answer: ManagedKey,
      load: (call) => loadKey(deps, idRef(call)),
      represent,
    }),
    changeRoute({
      ...{ method: 'PATCH', path: onePath, permission, operationId: 'renameKey' },
      summary: 'Give a key another name',
      body: { schema: ChangeManagedKey, bytesMax },
      answer: ManagedKey,
      represent,
      change({ caller, by, body, ...call }, precondition) {
        const check = (key: Key) => {
          refuseManageKey(caller, key.scope);
          precondition(key);
        };
        return renameKey({ ...deps, by }, { ...idRef(call), ...body, check });
      },
    }),
    manageRoute({
      ...{ method: 'DELETE', path: onePath, permission, operationId: 'revokeKey' },
      summary: 'Revoke a key for good',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage({ caller, by, ...call }) {
        const check = (key: Key) => {
          refuseManageKey(caller, key.scope);
          if (key.revokedAt !== null) throw new ServiceError('notFound');
        };
        await revokeKey({ ...deps, by }, { ...idRef(call), check });
        answerDone(call.ctx);
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

function represent(key: Key): Representation {
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
