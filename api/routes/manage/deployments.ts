import Type from 'typebox';
import {
  AnnounceDeployment,
  deploymentParameters,
  Deployment as Schema,
} from '../../../contract/manage/deployments.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  announceDeployment,
  type Deployment,
  type DeploymentFilter,
  findDeployment,
  listDeployments,
  removeDeployment,
} from '../../../control/deployments/index.js';
import { normalizeEnvironment, normalizeService } from '../../../lib/event-fields.js';
import { type Parameters, parseEnds } from '../../../lib/query-parameters.js';
import { answerPut, type Representation } from '../../manage/answers.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { idRef, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { deleteRoute, readRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

const list = '/api/v1/pages/:page/deployments';
const one = '/api/v1/pages/:page/deployments/:id';

/** The versions that came to the services of a page: announced by a job, or seen by their first request. */
export function manageDeploymentsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      ...{ method: 'GET', path: list, permission: 'telemetry.read', operationId: 'listDeployments' },
      summary: 'The versions that came to the services of a page, newest first',
      query: Type.Object({ ...deploymentParameters, ...listParameters }),
      answers: { 200: listOf(Schema) },
      async manage({ ctx, page, query: { limit: asked, cursor, ...filters } }) {
        const paging = createPaging(deps.secretKey, `deployments ${page.id} ${JSON.stringify(filters)}`);
        const { limit, after } = paging.parse({
          ...(asked !== undefined && { limit: asked }),
          ...(cursor !== undefined && { cursor }),
        });
        const filter = { ...toFilter(filters, deps.clock.now()), pageId: page.id };
        const rows = await listDeployments(deps, filter, { limit: limit + 1, after: after?.map(String) });
        const positionOf = ({ at, id }: Deployment) => [at.toISOString(), id];
        paging.answer(ctx, { rows, limit, toItem: deploymentJson, positionOf });
      },
    }),
    readRoute({
      ...{ path: one, permission: 'telemetry.read', operationId: 'getDeployment' },
      summary: 'A deployment',
      answer: Schema,
      load: (call) => findDeployment(deps, idRef(call)),
      represent,
    }),
    manageBodyRoute({
      ...{ method: 'POST', path: list, permission: 'page.write', operationId: 'announceDeployment' },
      summary: 'Announce a deployment',
      description:
        'Announce a deployment. Once more for the same service, version and environment, it changes the time and the address of the one that there is, and answers 200',
      body: { schema: AnnounceDeployment, bytesMax },
      answers: { 200: Schema, 201: Schema },
      errors: ['invalidBody'],
      async manage({ ctx, by, page, body }) {
        const { isNew, ...deployment } = await announceDeployment(
          { ...deps, by },
          { ...body, pageId: page.id },
        );
        const path = `/api/v1/pages/${page.slug}/deployments/${deployment.id}`;
        answerPut(ctx, isNew, path, represent(deployment));
      },
    }),
    deleteRoute({
      ...{ path: one, permission: 'page.write', operationId: 'deleteDeployment' },
      summary: 'Delete a deployment',
      description: 'Delete a deployment. The figures of the version stay',
      represent,
      remove: (call, check) => removeDeployment({ ...deps, by: call.by }, idRef(call), check),
    }),
  ];
}

/** A service or environment that no event can have is one that no deployment has. */
function toFilter(
  { service, environment, ...ends }: Parameters<keyof typeof deploymentParameters>,
  now: number,
): Omit<DeploymentFilter, 'pageId'> {
  return {
    ...parseEnds(ends, now),
    ...(service !== undefined && { service: normalizeService(service) ?? '' }),
    ...(environment !== undefined && { environment: normalizeEnvironment(environment) }),
  };
}

function represent(deployment: Deployment): Representation {
  return { body: deploymentJson(deployment), volatile: ['firstSeenAt', 'at'] };
}

function deploymentJson({ id, service, version, environment, url, ...times }: Deployment): Schema {
  return {
    ...{ id, service, version, environment: environment === '' ? null : environment },
    at: times.at.toISOString(),
    announcedAt: times.announcedAt?.toISOString() ?? null,
    firstSeenAt: times.firstSeenAt?.toISOString() ?? null,
    url,
  };
}
