import Type from 'typebox';
import { loadFailureMinutes } from '../../../analytics/failure-rates.js';
import {
  AlertRulePreview,
  ManagedAlertRule,
  PreviewAlertRule,
  previewLimits,
  SetAlertRule,
} from '../../../contract/manage/alert-rule.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import {
  type AlertRule,
  checkAlertRule,
  type Firing,
  findAlertRule,
  previewAlertRule,
  removeAlertRule,
  setAlertRule,
  type WatchedAlertRule,
} from '../../../control/alerts/index.js';
import type { PageId } from '../../../lib/ids.js';
import { ServiceError } from '../../../lib/service-error.js';
import { dayMs, minuteMs } from '../../../lib/times.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { answerDone, answerResource, preconditionOf, type Representation } from '../../manage/answers.js';
import { type ManageCall, manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import type { CommandRoutesDeps, ManageRouteList, ManageRoutesDeps } from './deps.js';

const path = '/api/v1/pages/:page/alert-rule';
const permission = 'notifications.write';

/** The rule by which the traffic of a page opens incidents. */
export function manageAlertRuleRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path,
      operationId: 'getAlertRule',
      summary: 'The alert rule of a page',
      permission,
      answers: { 200: ManagedAlertRule, 304: Type.Null() },
      errors: ['notFound'],
      async manage({ ctx, page }) {
        answerResource(ctx, representRule(await loadRule(deps, page.id)));
      },
    }),
    manageBodyRoute({
      method: 'PUT',
      path,
      operationId: 'putAlertRule',
      summary: 'Set or replace the alert rule of a page',
      description: 'Set or replace the alert rule of a page. If-None-Match: * replaces none',
      permission,
      body: { schema: SetAlertRule, bytesMax },
      answers: { 200: ManagedAlertRule, 201: ManagedAlertRule },
      errors: ['invalidBody', 'preconditionFailed'],
      async manage({ ctx, by, page, body: { minimumRequests: requestsMin, ...settings } }) {
        const input = { pageId: page.id, requestsMin, ...settings };
        const { isNew, ...rule } = await setAlertRule({ ...deps, by }, input, checkOf(ctx));
        answerResource(ctx, representRule(rule), isNew ? 201 : 200);
        if (isNew) ctx.set('location', `/api/v1/pages/${page.slug}/alert-rule`);
      },
    }),
    manageRoute({
      method: 'DELETE',
      path,
      operationId: 'deleteAlertRule',
      summary: 'Delete the alert rule of a page',
      description: 'Delete the alert rule of a page. An incident that it has opened stays open',
      permission,
      answers: { 204: Type.Null() },
      errors: ['notFound', 'preconditionFailed'],
      async manage({ ctx, by, page }) {
        const check = preconditionOf(ctx, representRule);
        const removed = await removeAlertRule({ ...deps, by }, { pageId: page.id }, (rule) => {
          if (rule !== undefined) check(rule);
        });
        if (!removed) throw noRule();
        answerDone(ctx);
      },
    }),
  ];
}

/** Tries a rule on figures of the past. */
export function alertRulePreviewRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'POST',
      path: `${path}/preview`,
      operationId: 'previewAlertRule',
      summary: 'When an alert rule would have opened incidents',
      description: `When an alert rule would have opened incidents in the last ${previewLimits.days} days. Changes nothing`,
      permission,
      body: { schema: PreviewAlertRule, bytesMax, isOptional: true },
      answers: { 200: AlertRulePreview },
      errors: ['invalidBody', 'notFound', 'sqlTooExpensive', 'ownStoreUnavailable'],
      async manage({ ctx, page, body: { minimumRequests, ...given } }) {
        const asked = { ...given, ...(minimumRequests !== undefined && { requestsMin: minimumRequests }) };
        const rule: AlertRule = isWhole(asked) ? asked : { ...(await loadRule(deps, page.id)), ...asked };
        checkAlertRule(rule);
        ctx.set('cache-control', 'no-store');
        const now = deps.clock.now();
        // Figures without the events that are acknowledged and on their way would make the last minutes look quiet.
        const oldestMissing = await deps.pageStores.settle(page.id);
        ctx.body = await preview(page.id, rule);
        ctx.set('heartline-as-of', new Date(oldestMissing ?? now).toISOString());
      },
    }),
  ];

  async function preview(pageId: PageId, rule: AlertRule): Promise<object> {
    const to = Math.floor(deps.clock.now() / minuteMs) * minuteMs;
    const from = to - previewLimits.days * dayMs;
    const minutes = await loadFailureMinutes({ clickhouse: deps.pageStores.clickhouseOf(pageId) }, pageId, {
      from: from - rule.windowSeconds * 1000,
      to,
    });
    const firings = previewAlertRule(rule, minutes, { from, to });
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      count: firings.length,
      firings: firings.slice(0, previewLimits.firings).map(firingJson),
    };
  }
}

/** @throws ServiceError `notFound` */
async function loadRule(deps: { sql: Sql }, pageId: PageId): Promise<WatchedAlertRule> {
  const rule = await findAlertRule(deps, pageId);
  if (rule === undefined) throw noRule();
  return rule;
}

function isWhole(rule: Partial<AlertRule>): rule is AlertRule {
  return (
    rule.thresholdPercent !== undefined && rule.windowSeconds !== undefined && rule.requestsMin !== undefined
  );
}

/** A rule that is not there fits no If-Match, and one that is there not `If-None-Match: *`. */
function checkOf(ctx: ManageCall['ctx']) {
  const check = preconditionOf(ctx, representRule);
  return (rule: WatchedAlertRule | undefined): void => {
    if (rule !== undefined) {
      if (ctx.get('if-none-match') === '*') throw new ServiceError('preconditionFailed');
      check(rule);
    } else if (ctx.get('if-match') !== '') throw new ServiceError('preconditionFailed');
  };
}

function noRule(): ServiceError {
  return new ServiceError('notFound', { message: 'The page has no alert rule.' });
}

function representRule({
  thresholdPercent,
  windowSeconds,
  requestsMin,
  incidentId,
}: WatchedAlertRule): Representation {
  const body = { thresholdPercent, windowSeconds, minimumRequests: requestsMin, incidentId };
  return { body, volatile: ['incidentId'] };
}

function firingJson({ from, to, requests, errors }: Firing): object {
  const iso = (time: number) => new Date(time).toISOString();
  return { from: iso(from), to: to === null ? null : iso(to), requests, errors };
}
