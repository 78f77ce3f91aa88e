import Type from 'typebox';
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
import {
  answerCreated,
  answerDone,
  answerResource,
  preconditionOf,
  type Representation,
} from '../../../manage/answers.js';
import { createPaging, listOf, listParameters } from '../../../manage/lists.js';
import { type ManageCall, manageBodyRoute, manageRoute } from '../../../manage/manage-route.js';
import type { CommandRoutesDeps, ManageRouteList } from '../deps.js';

const list = '/api/v1/pages/:page/templates';
const one = `${list}/:slug`;

/** What incidents and maintenance of a page begin from. */
export function manageTemplatesRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [...readRoutes(deps), ...writeRoutes(deps)];
}

function readRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: list,
      operationId: 'listTemplates',
      summary: 'The templates of a page, by slug',
      permission: 'telemetry.read',
      query: Type.Object(listParameters),
      answers: { 200: listOf(TemplateJson) },
      async manage({ ctx, page, query }) {
        const paging = createPaging(deps.secretKey, `templates ${page.id}`);
        const { limit, after } = paging.parse(query);
        const [slug] = after?.map(String) ?? [];
        const rows = await listTemplates(deps, { pageId: page.id, limit: limit + 1, after: slug });
        paging.answer(ctx, { rows, limit, toItem: templateJson, positionOf: (row) => [row.slug] });
      },
    }),
    manageRoute({
      method: 'GET',
      path: one,
      operationId: 'getTemplate',
      summary: 'A template',
      permission: 'telemetry.read',
      answers: { 200: TemplateJson, 304: Type.Null() },
      errors: ['notFound'],
      async manage(call) {
        answerResource(call.ctx, representTemplate(await findTemplate(deps, refOf(call))));
      },
    }),
  ];
}

function writeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'PUT',
      path: one,
      operationId: 'putTemplate',
      summary: 'Create a template, or replace it',
      description: `Create a template, or replace it: what is absent is empty then. A page has at most ${templateLimits.perPage}. If-None-Match: * replaces none`,
      permission: 'incidents.write',
      body: { schema: PutTemplate, bytesMax: manageBodyBytesMax },
      answers: { 200: TemplateJson, 201: TemplateJson },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage(call) {
        const { ctx, by, page, body } = call;
        const ref = refOf(call);
        if ((body.slug ?? ref.slug) !== ref.slug) {
          throw new ServiceError('invalidBody', { message: '/slug must be the slug of the path.' });
        }
        const precondition = preconditionOf(ctx, representTemplate);
        const check = (current: Template | undefined): void => {
          if (current !== undefined) {
            if (ctx.get('if-none-match') === '*') throw new ServiceError('preconditionFailed');
            precondition(current);
          } else if (ctx.get('if-match') !== '') throw new ServiceError('preconditionFailed');
        };
        const input = { ...ref, fields: parseTemplate(body) };
        const { template, isNew } = await putTemplate({ ...deps, by }, input, check);
        if (!isNew) return answerResource(ctx, representTemplate(template));
        answerCreated(
          ctx,
          `/api/v1/pages/${page.slug}/templates/${template.slug}`,
          representTemplate(template),
        );
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: one,
      operationId: 'deleteTemplate',
      summary: 'Delete a template',
      description: 'Delete a template. Incidents that began from it stay as they are',
      permission: 'incidents.write',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'preconditionFailed'],
      async manage(call) {
        const check = preconditionOf(call.ctx, representTemplate);
        await deleteTemplate({ ...deps, by: call.by }, refOf(call), check);
        answerDone(call.ctx);
      },
    }),
  ];
}

function refOf({ page, params }: Pick<ManageCall, 'page' | 'params'>) {
  return { pageId: page.id, slug: params['slug'] ?? '' };
}

function representTemplate(template: Template): Representation {
  return { body: templateJson(template) };
}
