import { ChangeRule, ManagedRule, PutRule } from '../../../contract/manage/rules.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import { changeAlertsOfRule, endAlertsOfRule } from '../../../control/alerts/index.js';
import type { Actor } from '../../../control/audit/index.js';
import {
  changeRule,
  deleteRule,
  listRules,
  loadRule,
  putRule,
  type RuleDeps,
  type WatchedRule,
} from '../../../control/rules/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { answerPut, putPreconditionOf, type Representation } from '../../manage/answers.js';
import { manageBodyRoute, slugRef } from '../../manage/manage-route.js';
import { changeRoute, deleteRoute, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

const list = '/api/v1/pages/:page/rules';
const one = `${list}/:slug`;

/** The rules by which a page alerts. */
export function manageRulesRoutes(deps: CommandRoutesDeps): ManageRouteList {
  const depsBy = (by: Actor): RuleDeps => ({
    ...{ ...deps, by },
    endAlerts: endAlertsOfRule,
    changeAlerts: changeAlertsOfRule,
  });
  return [
    listRoute(deps, {
      ...{ path: list, permission: 'telemetry.read', operationId: 'listRules' },
      summary: 'The rules of a page by their slug, with their states',
      item: ManagedRule,
      nameOf: ({ page }) => `rules ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listRules(deps, { pageId: page.id, limit, after: after && String(after[0]) }),
      toItem: ruleJson,
      positionOf: ({ slug }) => [slug],
    }),
    readRoute({
      ...{ path: one, permission: 'telemetry.read', operationId: 'getRule' },
      summary: 'A rule with its state',
      answer: ManagedRule,
      load: (call) => loadRule(deps, slugRef(call)),
      represent,
    }),
    manageBodyRoute({
      ...{ method: 'PUT', path: one, permission: 'rules.write', operationId: 'putRule' },
      summary: 'Create a rule, or replace it',
      description:
        'Create a rule, or replace it: fields that are absent get their defaults. Alerts of a rule that looks at something else from now on end. If-None-Match: * replaces none',
      body: { schema: PutRule, bytesMax },
      answers: { 200: ManagedRule, 201: ManagedRule },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage({ by, body, ...call }) {
        const { ctx, page } = call;
        const { pageId, slug } = slugRef(call);
        if (body.slug !== undefined && body.slug !== slug)
          throw new ServiceError('invalidBody', { message: '/slug must be the slug of the path.' });
        const check = putPreconditionOf(ctx, represent);
        const { rule, isNew } = await putRule(depsBy(by), { ...body, pageId, slug }, check);
        answerPut(ctx, isNew, `/api/v1/pages/${page.slug}/rules/${rule.slug}`, represent(rule));
      },
    }),
    changeRoute({
      ...{ method: 'PATCH', path: one, permission: 'rules.write', operationId: 'changeRule' },
      summary: 'Change a rule, or turn it off or on',
      description:
        'Change a rule, or turn it off or on. Alerts end when the target or the condition changes, and when the rule is turned off',
      body: { schema: ChangeRule, bytesMax },
      answer: ManagedRule,
      represent,
      change: ({ by, body, ...call }, check) => changeRule(depsBy(by), { ...slugRef(call), ...body }, check),
    }),
    deleteRoute({
      ...{ path: one, permission: 'rules.write', operationId: 'deleteRule' },
      summary: 'Delete a rule and end its alerts',
      errors: ['notFound', 'conflict', 'preconditionFailed'],
      represent,
      remove: (call, check) => deleteRule(depsBy(call.by), slugRef(call), check),
    }),
  ];
}

function represent(rule: WatchedRule): Representation {
  return { body: ruleJson(rule), volatile: ['state', 'since', 'error', 'alerts'] };
}

function ruleJson({ id: _, pageId: __, since, createdAt, updatedAt, ...rule }: WatchedRule): object {
  return {
    ...rule,
    since: since === null ? null : since.toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
