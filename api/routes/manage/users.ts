import Type from 'typebox';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import { ChangeManagedUser, ManagedUser } from '../../../contract/manage/users.js';
import { changeUser, deleteUser, findUser, listUsers, type User } from '../../../control/people/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { answerDone, answerResource, preconditionOf, type Representation } from '../../manage/answers.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

/** The people who have accounts, for those who run the installation. */
export function manageUsersRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/users',
      operationId: 'listUsers',
      summary: 'The people with accounts, newest first',
      permission: 'installation.write',
      query: Type.Object(listParameters),
      answers: { 200: listOf(ManagedUser) },
      async manage({ ctx, query }) {
        const paging = createPaging(deps.secretKey, 'users');
        const { limit, after } = paging.parse(query);
        const rows = await listUsers(deps, { limit: limit + 1, after: after?.map(String) });
        paging.answer(ctx, { rows, limit, toItem: userJson, positionOf: ({ id }) => [id] });
      },
    }),
    manageRoute({
      method: 'GET',
      path: '/api/v1/users/:id',
      operationId: 'getUser',
      summary: 'A person with an account',
      permission: 'installation.write',
      answers: { 200: ManagedUser, 304: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, params }) {
        const user = await findUser(deps.sql, params['id'] ?? '');
        if (user === undefined) throw new ServiceError('notFound');
        answerResource(ctx, representUser(user));
      },
    }),
    manageBodyRoute({
      method: 'PATCH',
      path: '/api/v1/users/:id',
      operationId: 'changeUser',
      summary: 'Change, disable or promote a person',
      permission: 'installation.write',
      body: { schema: ChangeManagedUser, bytesMax },
      answers: { 200: ManagedUser },
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      async manage({ ctx, by, params, body: { name, admin, disabled } }) {
        const check = preconditionOf(ctx, representUser);
        const changes = { name, isAdmin: admin, isDisabled: disabled };
        const user = await changeUser({ ...deps, by }, { id: params['id'] ?? '', ...changes, check });
        answerResource(ctx, representUser(user));
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: '/api/v1/users/:id',
      operationId: 'deleteUser',
      summary: 'Delete the account of a person',
      permission: 'installation.write',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'conflict', 'preconditionFailed'],
      async manage({ ctx, by, params }) {
        const check = preconditionOf(ctx, representUser);
        await deleteUser({ ...deps, by }, { id: params['id'] ?? '', check });
        answerDone(ctx);
      },
    }),
  ];
}

function representUser(user: User): Representation {
  return { body: userJson(user), volatile: ['lastSignedInAt'] };
}

function userJson(user: User): ManagedUser {
  const { id, email, name, language, hasPassword, hasTotp } = user;
  return {
    ...{ id, email, name, admin: user.isAdmin, disabled: user.disabledAt !== null },
    ...{ language, hasPassword, hasTotp, identityProvider: user.issuer },
    createdAt: user.createdAt.toISOString(),
    lastSignedInAt: user.lastSignedInAt?.toISOString() ?? null,
  };
}
