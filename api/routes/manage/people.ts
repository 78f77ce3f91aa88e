import Type from 'typebox';
import {
  ChangeManagedPerson,
  CreatedManagedInvitation,
  CreateManagedInvitation,
  ManagedInvitation,
  ManagedPerson,
} from '../../../contract/manage/people.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  changeRole,
  createInvitation,
  type Invitation,
  invitationPath,
  listInvitations,
  listPeople,
  loadPerson,
  type Person,
  removePerson,
  revokeInvitation,
} from '../../../control/people/index.js';
import { answerCreated, answerDone, type Representation } from '../../manage/answers.js';
import { prepareInvitationMail } from '../../manage/mail-invitation.js';
import { idRef, type ManageCall, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { byId, changeRoute, deleteRoute, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

const permission = 'people.write';

/** The people of a page and the invitations to it. */
export function managePeopleRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [...peopleRoutes(deps), ...invitationRoutes(deps)];
}

function peopleRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const path = '/api/v1/pages/:page/people/:userId';
  return [
    listRoute(deps, {
      ...{ path: '/api/v1/pages/:page/people', permission, operationId: 'listPeople' },
      summary: 'The people of a page, newest roles first',
      item: ManagedPerson,
      nameOf: ({ page }) => `people ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listPeople(deps, {
          ...{ pageId: page.id, limit },
          after: after && { createdAt: new Date(Number(after[0])), id: String(after[1]) },
        }),
      toItem: personJson,
      positionOf: ({ createdAt, id }) => [createdAt.getTime(), id],
    }),
    readRoute({
      ...{ path, permission, operationId: 'getPerson' },
      summary: 'One person of a page',
      answer: ManagedPerson,
      load: (call) => loadPerson(deps, personRef(call)),
      represent: representPerson,
    }),
    changeRoute({
      ...{ method: 'PATCH', path, permission, operationId: 'changeRole' },
      summary: 'Give a person another role on a page',
      body: { schema: ChangeManagedPerson, bytesMax },
      answer: ManagedPerson,
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      represent: representPerson,
      change: ({ by, body: { role }, ...call }, check) =>
        changeRole({ ...deps, by }, { ...personRef(call), role, check }),
    }),
    deleteRoute({
      ...{ path, permission, operationId: 'removePerson' },
      summary: 'Take the role on a page from a person',
      errors: ['notFound', 'conflict', 'preconditionFailed'],
      represent: representPerson,
      remove: (call, check) => removePerson({ ...deps, by: call.by }, { ...personRef(call), check }),
    }),
  ];
}

function personRef({ page, params }: Pick<ManageCall, 'page' | 'params'>) {
  return { pageId: page.id, userId: params['userId'] ?? '' };
}

function invitationRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const path = '/api/v1/pages/:page/invitations';
  return [
    listRoute(deps, {
      ...{ path, permission, operationId: 'listInvitations' },
      summary: 'The invitations to a page that nobody has accepted, newest first',
      item: ManagedInvitation,
      nameOf: ({ page }) => `invitations ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listInvitations(deps, { pageId: page.id, limit, after: after?.map(String) }),
      ...{ toItem: invitationJson, positionOf: byId },
    }),
    manageBodyRoute({
      ...{ method: 'POST', path, permission, operationId: 'createInvitation' },
      summary: 'Invite an address to a page',
      description: 'Invite an address to a page. The answer has the link, and no later one does',
      body: { schema: CreateManagedInvitation, bytesMax },
      answers: { 201: CreatedManagedInvitation },
      errors: ['invalidBody', 'conflict'],
      async manage({ ctx, by, page, body: { email, role } }) {
        const input = { pageId: page.id, email, role };
        const mail = await prepareInvitationMail(deps, page);
        const { invitation, token } = await createInvitation({ ...deps, by }, input, mail);
        const url = new URL(invitationPath(token), deps.baseUrl()).href;
        const location = `/api/v1/pages/${page.slug}/invitations/${invitation.id}`;
        const isMailed = deps.signInOptions.mailsLinks;
        answerCreated(ctx, location, { body: invitationJson(invitation) }, { url, isMailed });
      },
    }),
    manageRoute({
      ...{ method: 'DELETE', path: `${path}/:id`, permission, operationId: 'revokeInvitation' },
      summary: 'Revoke an invitation',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        await revokeInvitation({ ...deps, by: call.by }, idRef(call));
        answerDone(call.ctx);
      },
    }),
  ];
}

function representPerson(person: Person): Representation {
  return { body: personJson(person), volatile: ['lastSignedInAt'] };
}

function personJson({ id, email, name, role, byGroups, ...person }: Person): ManagedPerson {
  return {
    ...{ id, email, name, role, byGroups, disabled: person.disabledAt !== null },
    createdAt: person.createdAt.toISOString(),
    lastSignedInAt: person.lastSignedInAt?.toISOString() ?? null,
  };
}

function invitationJson({ id, email, role, invitedBy, invitedByName, ...times }: Invitation): object {
  return {
    ...{ id, email, role, invitedBy },
    ...(invitedByName !== null && { invitedByName }),
    createdAt: times.createdAt.toISOString(),
    expiresAt: times.expiresAt.toISOString(),
  };
}
