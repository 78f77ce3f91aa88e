import {
  ChangeContactWay,
  ConfirmContactWay,
  ContactWay,
  CreateContactWay,
  TestedContactWay,
} from '../../../contract/manage/contact-ways.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  changeWay,
  confirmWay,
  createWay,
  deleteWay,
  type ListedWay,
  listWays,
  loadWay,
  parseWayQuietHours,
  testWay,
  toContactWay,
  type WayDeps,
  type WayOwner,
} from '../../../control/contact-ways/index.js';
import { answerCreated, answerResource, type Representation } from '../../manage/answers.js';
import { personOf } from '../../manage/caller.js';
import { type ManageCall, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { byId, changeRoute, deleteRoute, idAt, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

const path = '/api/v1/me/contact-ways';
const onePath = `${path}/:id`;
const permission = 'user';

/** The ways in which the caller is told of alerts. Nobody else sees or changes them. */
export function manageContactWaysRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [...readRoutes(deps), ...writeRoutes(deps), ...proofRoutes(deps)];
}

function readRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path, permission, operationId: 'listContactWays' },
      summary: 'The ways in which you are told of alerts, newest first',
      description:
        'The ways in which you are told of alerts, newest first. Without a confirmed one, alerts come to the email of your account',
      item: ContactWay,
      nameOf: ({ caller }) => `contact-ways ${personOf(caller).userId}`,
      load: ({ caller }, { limit, after }) =>
        listWays(deps, { userId: personOf(caller).userId, limit, after: idAt(after) }),
      ...{ toItem: toContactWay, positionOf: byId },
    }),
    readRoute({
      ...{ path: onePath, permission, operationId: 'getContactWay' },
      summary: 'A way in which you are told of alerts',
      answer: ContactWay,
      load: (call) => loadWay(deps, { id: idOf(call), userId: personOf(call.caller).userId }),
      represent,
    }),
  ];
}

function writeRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      ...{ method: 'POST', path, permission, operationId: 'createContactWay' },
      summary: 'Add a way in which you are told of alerts',
      description:
        'Add a way in which you are told of alerts. A phone, and an email other than that of your account, are sent a code of six digits, with which you confirm them. No answer shows a URL or a token',
      body: { schema: CreateContactWay, bytesMax },
      answers: { 201: ContactWay },
      errors: ['invalidBody', 'conflict', 'rateLimited'],
      async manage(call) {
        const { quietHours = null, ...input } = call.body;
        const way = { ...input, quietHours: parseWayQuietHours(quietHours) };
        const created = await createWay(wayDeps(deps, call), ownerOf(call), way);
        answerCreated(call.ctx, `${path}/${created.id}`, represent(created));
      },
    }),
    changeRoute({
      ...{ method: 'PATCH', path: onePath, permission, operationId: 'changeContactWay' },
      summary: 'Change a way in which you are told of alerts',
      description:
        'Change a way in which you are told of alerts. Messages that wait go to the new address; a new phone or email is sent a code, and gets no alert before it is confirmed',
      body: { schema: ChangeContactWay, bytesMax },
      answer: ContactWay,
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed', 'rateLimited'],
      represent,
      async change(call, check) {
        const { quietHours, ...changes } = call.body;
        const hours = quietHours === undefined ? {} : { quietHours: parseWayQuietHours(quietHours) };
        const input = { id: idOf(call), ...changes, ...hours, check };
        const changed = await changeWay(wayDeps(deps, call), ownerOf(call), input);
        deps.onAnnounced();
        return changed;
      },
    }),
    deleteRoute({
      ...{ path: onePath, permission, operationId: 'deleteContactWay' },
      summary: 'Delete a way in which you are told of alerts',
      represent,
      remove: (call, check) => deleteWay(wayDeps(deps, call), ownerOf(call), { id: idOf(call), check }),
    }),
  ];
}

function proofRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'POST', path: `${onePath}/test`, permission, operationId: 'testContactWay' },
      summary: 'Send a test to a way in which you are told of alerts',
      description:
        'Send a test to a way in which you are told of alerts, at once and whatever its quiet hours. The answer says whether it was taken',
      answers: { 200: TestedContactWay },
      errors: ['notFound', 'conflict', 'rateLimited'],
      async manage(call) {
        call.ctx.body = await testWay(wayDeps(deps, call), ownerOf(call), idOf(call));
      },
    }),
    manageBodyRoute({
      ...{ method: 'POST', path: `${onePath}/confirm`, permission, operationId: 'confirmContactWay' },
      summary: 'Confirm a way in which you are told of alerts, or have a new code sent',
      description:
        'Confirm a way in which you are told of alerts with the code that was sent to it; without a code, a new one is sent. A code works for 10 minutes, and five wrong ones end it',
      body: { schema: ConfirmContactWay, bytesMax, isOptional: true },
      answers: { 200: ContactWay },
      errors: ['invalidBody', 'notFound', 'conflict', 'rateLimited'],
      async manage(call) {
        const confirmed = await confirmWay(wayDeps(deps, call), ownerOf(call), {
          id: idOf(call),
          code: call.body.code,
        });
        answerResource(call.ctx, represent(confirmed));
      },
    }),
  ];
}

type Call = Pick<ManageCall<unknown>, 'by' | 'caller' | 'params'>;

const idOf = ({ params }: Call): string => params['id'] ?? '';

function ownerOf({ caller }: Call): WayOwner {
  const { userId, email, language } = personOf(caller);
  return { userId, email, language };
}

function wayDeps(deps: ManageRoutesDeps, { by }: Call): WayDeps {
  return { ...deps, by, sender: deps.waySender };
}

/** The outcome of messages and codes changes without a change of the way. */
function represent(way: ListedWay): Representation {
  return { body: toContactWay(way), volatile: ['confirmation', 'last'] };
}
