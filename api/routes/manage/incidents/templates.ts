import {
  PutTemplate,
  Template as TemplateJson,
  templateLimits,
} from '../../../../contract/manage/incidents/templates.js';
import { manageBodyBytesMax } from '../../../../contract/manage/shared.js';
import {
  deleteTemplate,
  findTemplate,
  listTemplates,
  parseTemplate,
  putTemplate,
  type Template,
  templateJson,
} from '../../../../control/templates/index.js';
import { ServiceError } from '../../../../lib/service-error.js';
import { answerPut, putPreconditionOf, type Representation } from '../../../manage/answers.js';
import { manageBodyRoute, slugRef } from '../../../manage/manage-route.js';
import { deleteRoute, listRoute, readRoute } from '../../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from '../deps.js';

const list = '/api/v1/pages/:page/templates';
const one = `${list}/:slug`;

/** The templates that incidents and maintenance of a page begin from. */
export function manageTemplatesRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [...readRoutes(deps), ...writeRoutes(deps)];
}

function readRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path: list, permission: 'telemetry.read', operationId: 'listTemplates' },
      summary: 'The templates of a page, by slug',
      item: TemplateJson,
      nameOf: ({ page }) => `templates ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listTemplates(deps, { pageId: page.id, limit, after: after && String(after[0]) }),
      toItem: templateJson,
      positionOf: ({ slug }) => [slug],
    }),
    readRoute({
      ...{ path: one, permission: 'telemetry.read', operationId: 'getTemplate' },
      summary: 'A template',
      answer: TemplateJson,
      load: (call) => findTemplate(deps, slugRef(call)),
      represent,
    }),
  ];
}

function writeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      ...{ method: 'PUT', path: one, permission: 'incidents.write', operationId: 'putTemplate' },
      summary: 'Create a template, or replace it',
      description: `Create a template, or replace it: what is absent is empty then. A page has at most ${templateLimits.perPage}. If-None-Match: * replaces none`,
      body: { schema: PutTemplate, bytesMax: manageBodyBytesMax },
      answers: { 200: TemplateJson, 201: TemplateJson },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage({ by, body, ...call }) {
        const { ctx, page } = call;
        const ref = slugRef(call);
        if ((body.slug ?? ref.slug) !== ref.slug) {
          throw new ServiceError('invalidBody', { message: '/slug must be the slug of the path.' });
        }
        const check = putPreconditionOf(ctx, represent);
        const input = { ...ref, fields: parseTemplate(body) };
        const { template, isNew } = await putTemplate({ ...deps, by }, input, check);
        answerPut(ctx, isNew, `/api/v1/pages/${page.slug}/templates/${template.slug}`, represent(template));
      },
    }),
    deleteRoute({
      ...{ path: one, permission: 'incidents.write', operationId: 'deleteTemplate' },
      summary: 'Delete a template',
      description: 'Delete a template. Incidents that began from it stay as they are',
      represent,
      remove: (call, check) => deleteTemplate({ ...deps, by: call.by }, slugRef(call), check),
    }),
  ];
}

function represent(template: Template): Representation {
  return { body: templateJson(template) };
}
