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
import {
  answerCreated,
  answerDone,
  answerResource,
  preconditionOf,
  type Representation,
} from '../../manage/answers.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { prepareInvitationMail } from '../../manage/mail-invitation.js';
import { manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

/** The people of a page and the invitations to it. */
export function managePeopleRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [...peopleRoutes(deps), ...invitationRoutes(deps)];
}

function peopleRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const path = '/api/v1/pages/:page/people/:userId';
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page/people',
      operationId: 'listPeople',
      summary: 'The people of a page, newest roles first',
      permission: 'people.write',
      query: Type.Object(listParameters),
      answers: { 200: listOf(ManagedPerson) },
      async manage({ ctx, page, query }) {
        const paging = createPaging(deps.secretKey, `people ${page.id}`);
        const { limit, after } = paging.parse(query);
        const rows = await listPeople(deps, {
          pageId: page.id,
          limit: limit + 1,
          after: after && { createdAt: new Date(Number(after[0])), id: String(after[1]) },
        });
        const positionOf = ({ createdAt, id }: Person) => [createdAt.getTime(), id];
        paging.answer(ctx, { rows, limit, toItem: personJson, positionOf });
      },
    }),
    manageRoute({
      method: 'GET',
      path,
      operationId: 'getPerson',
      summary: 'One person of a page',
      permission: 'people.write',
      answers: { 200: ManagedPerson, 304: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, page, params }) {
        const person = await loadPerson(deps, { pageId: page.id, userId: params['userId'] ?? '' });
        answerResource(ctx, representPerson(person));
      },
    }),
    manageBodyRoute({
      method: 'PATCH',
      path,
      operationId: 'changeRole',
      summary: 'Give a person another role on a page',
      permission: 'people.write',
      body: { schema: ChangeManagedPerson, bytesMax },
      answers: { 200: ManagedPerson },
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      async manage({ ctx, by, page, params, body: { role } }) {
        const check = preconditionOf(ctx, representPerson);
        const ref = { pageId: page.id, userId: params['userId'] ?? '' };
        answerResource(ctx, representPerson(await changeRole({ ...deps, by }, { ...ref, role, check })));
      },
    }),
    manageRoute({
      method: 'DELETE',
      path,
      operationId: 'removePerson',
      summary: 'Take the role on a page from a person',
      permission: 'people.write',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'conflict', 'preconditionFailed'],
      async manage({ ctx, by, page, params }) {
        const check = preconditionOf(ctx, representPerson);
        await removePerson({ ...deps, by }, { pageId: page.id, userId: params['userId'] ?? '', check });
        answerDone(ctx);
      },
    }),
  ];
}

function invitationRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const path = '/api/v1/pages/:page/invitations';
  return [
    manageRoute({
      method: 'GET',
      path,
      operationId: 'listInvitations',
      summary: 'The invitations to a page that nobody has accepted, newest first',
      permission: 'people.write',
      query: Type.Object(listParameters),
      answers: { 200: listOf(ManagedInvitation) },
      async manage({ ctx, page, query }) {
        const paging = createPaging(deps.secretKey, `invitations ${page.id}`);
        const { limit, after } = paging.parse(query);
        const rows = await listInvitations(deps, {
          pageId: page.id,
          limit: limit + 1,
          after: after?.map(String),
        });
        paging.answer(ctx, { rows, limit, toItem: invitationJson, positionOf: ({ id }) => [id] });
      },
    }),
    manageBodyRoute({
      method: 'POST',
      path,
      operationId: 'createInvitation',
      summary: 'Invite an address to a page',
      description: 'Invite an address to a page. The answer has the link, and no later one does',
      permission: 'people.write',
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
      method: 'DELETE',
      path: `${path}/:id`,
      operationId: 'revokeInvitation',
      summary: 'Revoke an invitation',
      permission: 'people.write',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, by, page, params }) {
        await revokeInvitation({ ...deps, by }, { id: params['id'] ?? '', pageId: page.id });
        answerDone(ctx);
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
