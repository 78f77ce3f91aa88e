import Type from 'typebox';
import { ObjectiveReport, reportParameters } from '../../../contract/manage/objective-report.js';
import { ChangeObjective, ManagedObjective, PutObjective } from '../../../contract/manage/objectives.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import { changeAlertsOfRule, endAlertsOfRule } from '../../../control/alerts/index.js';
import type { Actor } from '../../../control/audit/index.js';
import {
  burnPairsOf,
  changeObjective,
  deleteObjective,
  listObjectives,
  loadObjective,
  type Objective,
  objectiveJson,
  putObjective,
} from '../../../control/objectives/index.js';
import { addRulesIn, burnRulesOf, deleteRulesOf, followIn } from '../../../control/rules/index.js';
import type { PageId } from '../../../lib/ids.js';
import { createLimiter } from '../../../lib/limiter.js';
import { invalidValue, parseMoment } from '../../../lib/query-parameters.js';
import { ServiceError } from '../../../lib/service-error.js';
import type { Transaction } from '../../../sql/open-postgres.js';
import { hangUpSignal } from '../../hang-up.js';
import { answerPut, putPreconditionOf, type Representation } from '../../manage/answers.js';
import { manageBodyRoute, manageRoute, slugRef } from '../../manage/manage-route.js';
import { changeRoute, deleteRoute, listRoute, readRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList, ManageRoutesDeps } from './deps.js';
import { loadReport } from './objectives/report.js';

const list = '/api/v1/pages/:page/objectives';
const one = `${list}/:slug`;

/** Reports that are loaded at once and wait, of one page. */
const readBounds = { max: 8, maxPerKey: 2, waitingMaxPerKey: 30 };

/** The objectives of a page. */
export function manageObjectivesRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    listRoute(deps, {
      ...{ path: list, permission: 'telemetry.read', operationId: 'listObjectives' },
      summary: 'The objectives of a page, by slug',
      item: ManagedObjective,
      nameOf: ({ page }) => `objectives ${page.id}`,
      load: ({ page }, { limit, after }) =>
        listObjectives(deps, { pageId: page.id, limit, after: after && String(after[0]) }),
      toItem: objectiveJson,
      positionOf: ({ slug }) => [slug],
    }),
    readRoute({
      ...{ path: one, permission: 'telemetry.read', operationId: 'getObjective' },
      summary: 'An objective',
      answer: ManagedObjective,
      load: (call) => loadObjective(deps, slugRef(call)),
      represent,
    }),
    ...writeRoutes(deps),
  ];
}

function writeRoutes(deps: CommandRoutesDeps): ManageRouteList {
  const permission = 'rules.write';
  return [
    manageBodyRoute({
      ...{ method: 'PUT', path: one, permission, operationId: 'putObjective' },
      summary: 'Create an objective, or replace its fields',
      description:
        'Create an objective, or replace its fields. A new one gets four rules that alert when its budget burns too fast; where nobody has changed them, they follow its name and window. If-None-Match: * replaces none',
      body: { schema: PutObjective, bytesMax },
      answers: { 200: ManagedObjective, 201: ManagedObjective },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage({ by, body: { slug, ...fields }, ...call }) {
        const { ctx, page } = call;
        const ref = slugRef(call);
        if (slug !== undefined && slug !== ref.slug) {
          throw new ServiceError('invalidBody', { message: '/slug must be the slug of the path.' });
        }
        const check = putPreconditionOf(ctx, represent);
        const withRules = {
          ...deps,
          by,
          addRules: addBurnRules(deps, by),
          followRules: followObjective(deps, by),
        };
        const { objective, isNew } = await putObjective(withRules, { ...ref, ...fields }, check);
        deps.onChange(page.id);
        answerPut(
          ctx,
          isNew,
          `/api/v1/pages/${page.slug}/objectives/${objective.slug}`,
          represent(objective),
        );
      },
    }),
    changeRoute({
      ...{ method: 'PATCH', path: one, permission, operationId: 'changeObjective' },
      summary: 'Change an objective',
      body: { schema: ChangeObjective, bytesMax },
      answer: ManagedObjective,
      errors: ['invalidBody', 'notFound', 'conflict', 'preconditionFailed'],
      represent,
      async change({ by, body, ...call }, check) {
        const changed = await changeObjective(
          { ...deps, by, followRules: followObjective(deps, by) },
          { ...slugRef(call), ...body },
          check,
        );
        deps.onChange(call.page.id);
        return changed;
      },
    }),
    deleteRoute({
      ...{ path: one, permission, operationId: 'deleteObjective' },
      summary: 'Delete an objective and the rules that look at it',
      errors: ['notFound', 'conflict', 'preconditionFailed'],
      represent,
      async remove(call, check) {
        const removeRules = removeRulesOf(deps, call.by);
        await deleteObjective({ ...deps, by: call.by, removeRules }, slugRef(call), check);
        deps.onChange(call.page.id);
      },
    }),
  ];
}

/** The rules that each objective begins with are those of the SRE workbook for its window. */
function addBurnRules(deps: CommandRoutesDeps, by: Actor) {
  const ruleDeps = { ...deps, by, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };
  return (tx: Transaction, objective: Objective) => {
    const rules = burnRulesOf(objective, burnPairsOf(objective.window));
    return addRulesIn(tx, ruleDeps, { pageId: objective.pageId, rules });
  };
}

function followObjective(deps: CommandRoutesDeps, by: Actor) {
  const ruleDeps = { ...deps, by, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };
  return (tx: Transaction, { before, after }: { before: Objective; after: Objective }) => {
    const now = burnRulesOf(after, burnPairsOf(after.window));
    const made = burnRulesOf(before, burnPairsOf(before.window)).flatMap((rule) => {
      const next = now.find(({ slug }) => slug === rule.slug);
      return next === undefined ? [] : [{ before: rule, after: next }];
    });
    return followIn(tx, ruleDeps, { pageId: after.pageId, made });
  };
}

function removeRulesOf(deps: CommandRoutesDeps, by: Actor) {
  const ruleDeps = { ...deps, by, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };
  return (tx: Transaction, { pageId, slug }: Objective) =>
    deleteRulesOf(tx, ruleDeps, { pageId, objective: slug });
}

/** How objectives do. */
export function objectiveReportRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const shared = createLimiter<PageId>(readBounds);
  // A tenant's server that hangs holds turns for 8 s. Pages that use the shared stores need turns of their own.
  const own = createLimiter<PageId>(readBounds);
  return [
    manageRoute({
      ...{
        method: 'GET',
        path: `${one}/report`,
        permission: 'telemetry.read',
        operationId: 'getObjectiveReport',
      },
      summary: 'How an objective does: compliance, budget, burn rates, and what spent most',
      query: Type.Object(reportParameters),
      answers: { 200: ObjectiveReport },
      saysAsOf: true,
      errors: ['invalidParameter', 'notFound', 'sqlTooExpensive', 'ownStoreUnavailable', 'rateLimited'],
      async manage(call) {
        const { ctx, page, query } = call;
        const now = deps.clock.now();
        const at = query.at === undefined ? undefined : parseMoment('at', query.at, now);
        if (at !== undefined && at > now) throw invalidValue('at', 'a time that has passed', `${query.at}`);
        const objective = await loadObjective(deps, slugRef(call));
        const turns = deps.pageStores.isOwn(page.id) ? own : shared;
        const release = await turns.take(page.id, hangUpSignal(ctx.res));
        if (release === undefined) {
          const message = `${readBounds.maxPerKey} reports of this page are loaded and ${readBounds.waitingMaxPerKey} wait; retry later.`;
          throw new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
        }
        try {
          const oldestMissing = await deps.pageStores.settle(page.id);
          ctx.set('cache-control', 'no-store');
          ctx.body = await loadReport(deps, objective, at);
          ctx.set('heartline-as-of', new Date(oldestMissing ?? now).toISOString());
        } finally {
          release();
        }
      },
    }),
  ];
}

function represent(objective: Objective): Representation {
  return { body: objectiveJson(objective) };
}
