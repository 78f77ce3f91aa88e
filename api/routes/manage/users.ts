import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import { ChangeManagedUser, ManagedUser } from '../../../contract/manage/users.js';
import { changeUser, deleteUser, findUser, listUsers, type User } from '../../../control/people/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import type { Representation } from '../../manage/answers.js';
import { byId, changeRoute, deleteRoute, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

const path = '/api/v1/users/:id';
const permission = 'installation.write';

/** The people who have accounts, for those who run the installation. */
export function manageUsersRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path: '/api/v1/users', permission, operationId: 'listUsers' },
      summary: 'The people with accounts, newest first',
      item: ManagedUser,
      nameOf: () => 'users',
      load: (_, { limit, after }) => listUsers(deps, { limit, after: after?.map(String) }),
      ...{ toItem: userJson, positionOf: byId },
    }),
    readRoute({
      ...{ path, permission, operationId: 'getUser' },
      summary: 'A person with an account',
      answer: ManagedUser,
      async load({ params }) {
        const user = await findUser(deps.sql, params['id'] ?? '');
        if (user === undefined) throw new ServiceError('notFound');
        return user;
      },
      represent,
    }),
    changeRoute({
      ...{ method: 'PATCH', path, permission, operationId: 'changeUser' },
      summary: 'Change, disable or promote a person',
      body: { schema: ChangeManagedUser, bytesMax },
      answer: ManagedUser,
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      represent,
      change({ by, params, body: { name, admin, disabled } }, check) {
        const changes = { name, isAdmin: admin, isDisabled: disabled };
        return changeUser({ ...deps, by }, { id: params['id'] ?? '', ...changes, check });
      },
    }),
    deleteRoute({
      ...{ path, permission, operationId: 'deleteUser' },
      summary: 'Delete the account of a person',
      errors: ['notFound', 'conflict', 'preconditionFailed'],
      represent,
      remove: ({ by, params }, check) => deleteUser({ ...deps, by }, { id: params['id'] ?? '', check }),
    }),
  ];
}

function represent(user: User): Representation {
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
