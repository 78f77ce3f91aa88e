import Type from 'typebox';
import { Compile } from 'typebox/compile';
import {
  ChangeMe,
  ChangePassword,
  CreateSession,
  ListedSession,
  Me,
  RemoveTotp,
  SetUpTotp,
  TotpStep,
} from '../../../contract/manage/session.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  beginTotp,
  changePassword,
  changeUser,
  confirmTotp,
  dropSession,
  endSession,
  findSignedIn,
  listSessions,
  removeTotp,
  type Session,
  signIn,
  type User,
} from '../../../control/people/index.js';
import { describeErrors, parseJson } from '../../../lib/parse-body.js';
import { ServiceError } from '../../../lib/service-error.js';
import { hangUpSignal } from '../../hang-up.js';
import { answerDone, answerResource, preconditionOf } from '../../manage/answers.js';
import { personOf } from '../../manage/caller.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { describeMe } from '../../manage/me.js';
import { refuseOtherBrowserOrigin } from '../../manage/same-origin.js';
import { createSessionCookies } from '../../manage/session-cookie.js';
import type { OpenBodyRoute } from '../../route.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

/** The caller and the sessions of a person, and the changes of the own account. */
export function manageSessionRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    signInRoute(deps),
    ...sessionRoutes(deps),
    ...meRoutes(deps),
    ...passwordRoutes(deps),
    ...totpRoutes(deps),
  ];
}

function signInRoute(deps: ManageRoutesDeps): OpenBodyRoute {
  const cookies = createSessionCookies(deps);
  const check = Compile(CreateSession);
  return {
    method: 'POST',
    path: '/api/v1/session',
    sameOnEveryHost: true,
    operationId: 'signIn',
    summary: 'Sign in with a password',
    description:
      'Sign in with a password. The answer sets the cookie of the session. When the account has an authenticator ' +
      'app, a right password without a code is answered with 401 and a sentence that asks for the code',
    body: { schema: CreateSession, bytesMax },
    answers: { 200: Me },
    errors: [
      ...(['invalidBody', 'signInRefused', 'codeRequired', 'otherOrigin', 'notAllowed'] as const),
      ...(['tooManySignIns', 'storeUnavailable', 'overloaded'] as const),
    ],
    async handle(ctx, bytes) {
      // Another site could sign its visitors in as somebody else, and see what they enter.
      refuseOtherBrowserOrigin(ctx.req, deps.baseUrl());
      if (!deps.signInOptions.takesPassword) {
        throw new ServiceError('notAllowed', {
          message: 'People sign in to this installation with its identity provider.',
        });
      }
      const body = parseJson(bytes);
      if (!check.Check(body)) {
        throw new ServiceError('invalidBody', { message: describeErrors(check, body) });
      }
      const { clientAddress: address } = deps.parseOrigin(ctx);
      const signal = hangUpSignal(ctx.res);
      const started = await signIn(deps, { ...body, address, userAgent: ctx.get('user-agent'), signal });
      try {
        const user = await findSignedIn(deps, started.token);
        if (user === undefined) throw new ServiceError('signInRefused');
        const me = await describeMe(deps, { type: 'user', user });
        signal.throwIfAborted();
        cookies.set(ctx, started.token);
        answerResource(ctx, { body: me });
      } catch (error) {
        // The answer is a refusal, and nobody gets the token.
        await dropSession(deps, started, { email: body.email, address });
        throw error;
      }
    },
  };
}

function sessionRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const cookies = createSessionCookies(deps);
  return [
    manageRoute({
      method: 'DELETE',
      path: '/api/v1/session',
      operationId: 'signOut',
      summary: 'Sign out',
      permission: 'user',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, caller, by }) {
        const { sessionId: id, userId } = personOf(caller);
        await endSession({ ...deps, by }, { id, userId });
        cookies.clear(ctx);
        answerDone(ctx);
      },
    }),
    manageRoute({
      method: 'GET',
      path: '/api/v1/sessions',
      operationId: 'listSessions',
      summary: 'The browsers in which the caller has signed in, newest first',
      permission: 'user',
      query: Type.Object(listParameters),
      answers: { 200: listOf(ListedSession) },
      async manage({ ctx, caller, query }) {
        const { userId, sessionId } = personOf(caller);
        const paging = createPaging(deps.secretKey, `sessions ${userId}`);
        const { limit, after } = paging.parse(query);
        const rows = await listSessions(deps, { userId, limit: limit + 1, after: after?.map(String) });
        const toItem = (session: Session) => sessionJson(session, session.id === sessionId);
        paging.answer(ctx, { rows, limit, toItem, positionOf: ({ id }) => [id] });
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: '/api/v1/sessions/:id',
      operationId: 'endSession',
      summary: 'End a session of the caller',
      permission: 'user',
      answers: { 204: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, caller, by, params }) {
        await endSession({ ...deps, by }, { id: params['id'] ?? '', userId: personOf(caller).userId });
        answerDone(ctx);
      },
    }),
  ];
}

function meRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/me',
      operationId: 'getMe',
      summary: 'Who calls, and what the caller may do',
      permission: 'any',
      answers: { 200: Me, 304: Type.Null() },
      async manage({ ctx, caller }) {
        answerResource(ctx, { body: await describeMe(deps, caller) });
      },
    }),
    manageBodyRoute({
      method: 'PATCH',
      path: '/api/v1/me',
      operationId: 'changeMe',
      summary: 'Change the name or the language of the caller',
      permission: 'user',
      body: { schema: ChangeMe, bytesMax },
      answers: { 200: Me },
      errors: ['invalidBody', 'notFound', 'preconditionFailed'],
      async manage({ ctx, caller, by, body }) {
        const me = await describeMe(deps, caller);
        const represent = ({ name, language }: User) => ({
          body: { ...me, caller: { ...me.caller, name, language } },
        });
        const check = preconditionOf(ctx, represent);
        const user = await changeUser({ ...deps, by }, { id: personOf(caller).userId, ...body, check });
        answerResource(ctx, represent(user));
      },
    }),
  ];
}

function passwordRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/me/password',
      operationId: 'changePassword',
      summary: 'Change the password of the caller',
      description: 'Change the password of the caller. The other sessions of the caller end',
      permission: 'user',
      body: { schema: ChangePassword, bytesMax },
      answers: { 204: Type.Null() },
      errors: ['invalidBody', 'notFound', 'conflict', 'tooManySignIns', 'overloaded'],
      async manage({ ctx, caller, by, body }) {
        const { userId, sessionId } = personOf(caller);
        const { clientAddress: address } = deps.parseOrigin(ctx);
        await changePassword({ ...deps, by }, { userId, sessionId, ...body, address });
        answerDone(ctx);
      },
    }),
  ];
}

function totpRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/me/totp',
      operationId: 'setUpTotp',
      summary: 'Set up an authenticator app',
      description:
        'Set up an authenticator app: with the password the answer has its secret, and with a code of the app it is ' +
        'confirmed, the answer has the recovery codes, and the other sessions of the caller end',
      permission: 'user',
      body: { schema: SetUpTotp, bytesMax, isOptional: true },
      answers: { 200: TotpStep },
      errors: ['invalidBody', 'notFound', 'conflict', 'tooManySignIns', 'overloaded'],
      async manage({ ctx, caller, by, body: { password, code } }) {
        const { userId, sessionId } = personOf(caller);
        const { clientAddress: address } = deps.parseOrigin(ctx);
        ctx.set('cache-control', 'no-store');
        ctx.body =
          code === undefined
            ? await beginTotp({ ...deps, by }, { userId, password, address })
            : await confirmTotp({ ...deps, by }, { userId, sessionId, code });
      },
    }),
    manageBodyRoute({
      method: 'DELETE',
      path: '/api/v1/me/totp',
      operationId: 'removeTotp',
      summary: 'Remove the authenticator app of the caller',
      permission: 'user',
      body: { schema: RemoveTotp, bytesMax },
      answers: { 204: Type.Null() },
      errors: ['invalidBody', 'notFound', 'conflict', 'tooManySignIns', 'overloaded'],
      async manage({ ctx, caller, by, body }) {
        const { clientAddress: address } = deps.parseOrigin(ctx);
        await removeTotp({ ...deps, by }, { userId: personOf(caller).userId, ...body, address });
        answerDone(ctx);
      },
    }),
  ];
}

function sessionJson({ id, address, userAgent, ...times }: Session, isCurrent: boolean): object {
  return {
    ...{ id, isCurrent, address, userAgent },
    createdAt: times.createdAt.toISOString(),
    lastSeenAt: times.lastSeenAt.toISOString(),
    expiresAt: times.expiresAt.toISOString(),
  };
}
