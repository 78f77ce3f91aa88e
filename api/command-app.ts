import type { RequestListener } from 'node:http';
import type { Actor } from '../control/audit/index.js';
import type { KeyCache } from '../control/keys/index.js';
import { createApp } from './app.js';
import { createAnswerCall } from './manage/answer-call.js';
import { manageAlertRuleRoutes } from './routes/manage/alert-rule.js';
import { manageAlertsRoutes } from './routes/manage/alerts.js';
import { manageAuditRoutes } from './routes/manage/audit.js';
import { manageBoardsRoutes } from './routes/manage/boards.js';
import { manageChannelsRoutes } from './routes/manage/channels.js';
import { manageConnectionsRoutes } from './routes/manage/connections.js';
import { manageDeploymentsRoutes } from './routes/manage/deployments.js';
import type { CommandRoutesDeps } from './routes/manage/deps.js';
import { manageEventStoreRoutes } from './routes/manage/event-store.js';
import { manageFigureExportRoutes } from './routes/manage/figure-export.js';
import { manageTemplatesRoutes } from './routes/manage/incidents/templates.js';
import { manageIncidentsRoutes } from './routes/manage/incidents.js';
import { manageKeysRoutes } from './routes/manage/keys.js';
import { manageMonitorGroupsRoutes } from './routes/manage/monitor-groups.js';
import { manageMonitorsRoutes } from './routes/manage/monitors.js';
import { manageObjectivesRoutes } from './routes/manage/objectives.js';
import { managePagesRoutes } from './routes/manage/pages.js';
import { managePoliciesRoutes } from './routes/manage/policies.js';
import { reportSettingsRoutes } from './routes/manage/report-settings.js';
import { manageRulesRoutes } from './routes/manage/rules.js';
import { manageSchedulesRoutes } from './routes/manage/schedules.js';
import { manageSubscribersRoutes } from './routes/manage/subscribers.js';
import { manageWebhooksRoutes } from './routes/manage/webhooks.js';

/** Bodies come from the same process. */
const bodyTimeoutMs = 60_000;

/** No key opens these routes: every caller is the operator. */
const noKeys: Pick<KeyCache, 'find'> = { find: () => undefined };

/**
 * The routes of the management API that commands use, for requests in the process. The operator makes every request, with
 * the rights of an administrator of the installation, so the application must never listen.
 */
export function createCommandApp(deps: CommandRoutesDeps & { operator: Actor }): RequestListener {
  const routes = [
    ...managePagesRoutes(deps),
    ...manageMonitorsRoutes(deps),
    ...manageMonitorGroupsRoutes(deps),
    ...manageIncidentsRoutes(deps),
    ...manageTemplatesRoutes(deps),
    ...manageSubscribersRoutes(deps),
    ...manageWebhooksRoutes(deps),
    ...manageChannelsRoutes(deps),
    ...manageAlertRuleRoutes(deps),
    ...manageRulesRoutes(deps),
    ...manageAlertsRoutes(deps),
    ...manageSchedulesRoutes(deps),
    ...managePoliciesRoutes(deps),
    ...manageObjectivesRoutes(deps),
    ...reportSettingsRoutes(deps),
    ...manageBoardsRoutes(deps),
    ...manageDeploymentsRoutes(deps),
    ...manageConnectionsRoutes(deps),
    ...manageEventStoreRoutes(deps),
    ...manageFigureExportRoutes(deps),
    ...manageKeysRoutes(deps),
    ...manageAuditRoutes(deps),
  ];
  const metrics = { request() {} };
  const answerCall = createAnswerCall(deps);
  return createApp({ keys: noKeys, routes, answerCall, bodyTimeoutMs, log: deps.log, metrics }).callback();
}
