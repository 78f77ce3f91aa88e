import { ChangePolicy, ManagedPolicy, PutPolicy } from '../../../contract/manage/policies.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  changePolicy,
  deletePolicy,
  listPolicies,
  loadPolicy,
  type Policy,
  putPolicy,
  toManagedPolicy,
} from '../../../control/policies/index.js';
import { answerPut, putPreconditionOf, type Representation } from '../../manage/answers.js';
import { manageBodyRoute, slugRef } from '../../manage/manage-route.js';
import { changeRoute, deleteRoute, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';
import { behindSlug, bySlug } from './shifts.js';

const path = '/api/v1/pages/:page/policies';
const onePath = `${path}/:slug`;
const read = 'telemetry.read';
const write = 'notifications.write';

/** The policies of a page: whom an alert tells, one step after another. */
export function managePoliciesRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path, permission: read, operationId: 'listPolicies' },
      summary: 'The policies of a page, by slug',
      item: ManagedPolicy,
      nameOf: ({ page }) => `policies ${page.id}`,
      load: async ({ page }, { after }) =>
        behindSlug(await listPolicies(deps.sql, { pageId: page.id }), after),
      ...{ toItem: toManagedPolicy, positionOf: bySlug },
    }),
    readRoute({
      ...{ path: onePath, permission: read, operationId: 'getPolicy' },
      summary: 'A policy',
      answer: ManagedPolicy,
      load: (call) => loadPolicy(deps.sql, slugRef(call)),
      represent,
    }),
    manageBodyRoute({
      ...{ method: 'PUT', path: onePath, permission: write, operationId: 'putPolicy' },
      summary: 'Create a policy, or replace it',
      description:
        'Create a policy, or replace it. Each step tells people, whoever is on call by a schedule, and channels; a step that reaches nobody gives way to the next one at once. If-None-Match: * replaces none',
      body: { schema: PutPolicy, bytesMax },
      answers: { 200: ManagedPolicy, 201: ManagedPolicy },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage({ by, body: fields, ...call }) {
        const { ctx, page } = call;
        const check = putPreconditionOf(ctx, represent);
        const { policy, isNew } = await putPolicy({ ...deps, by }, { ...slugRef(call), fields }, check);
        answerPut(ctx, isNew, `/api/v1/pages/${page.slug}/policies/${policy.slug}`, represent(policy));
      },
    }),
    changeRoute({
      ...{ method: 'PATCH', path: onePath, permission: write, operationId: 'changePolicy' },
      summary: 'Change a policy',
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      body: { schema: ChangePolicy, bytesMax },
      answer: ManagedPolicy,
      represent,
      change: ({ by, body: changes, ...call }, check) =>
        changePolicy({ ...deps, by }, { ...slugRef(call), changes }, check),
    }),
    deleteRoute({
      ...{ path: onePath, permission: write, operationId: 'deletePolicy' },
      summary: 'Delete a policy',
      description: 'Delete a policy. One that a rule names is not deleted',
      errors: ['notFound', 'conflict', 'preconditionFailed'],
      represent,
      remove: (call, check) => deletePolicy({ ...deps, by: call.by }, slugRef(call), check),
    }),
  ];
}

/** People lose a role without a change of the policy. */
function represent(policy: Policy): Representation {
  return { body: toManagedPolicy(policy), volatile: ['withoutRole'] };
}
