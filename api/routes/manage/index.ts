import { alertRulePreviewRoutes, manageAlertRuleRoutes } from './alert-rule.js';
import { manageAlertsRoutes } from './alerts.js';
import { manageAnalyticsRoutes } from './analytics.js';
import { manageAudienceRoutes } from './audience.js';
import { manageAuditRoutes } from './audit.js';
import { manageBoardsRoutes } from './boards.js';
import { manageChannelsRoutes } from './channels.js';
import { manageConnectionsRoutes } from './connections.js';
import { manageContactWaysRoutes } from './contact-ways.js';
import { manageDeploymentsRoutes } from './deployments.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';
import { manageEventStoreRoutes } from './event-store.js';
import { manageFigureExportRoutes } from './figure-export.js';
import { incidentPreviewRoutes } from './incidents/preview.js';
import { manageSeriesRoutes } from './incidents/series.js';
import { manageTemplatesRoutes } from './incidents/templates.js';
import { manageIncidentsRoutes } from './incidents.js';
import { manageInstallationRoutes } from './installation.js';
import { manageKeysRoutes } from './keys.js';
import { manageMonitorGroupsRoutes } from './monitor-groups.js';
import { monitorFiguresRoutes } from './monitors/figures.js';
import { monitorsOverviewRoutes } from './monitors/overview.js';
import { manageMonitorsRoutes } from './monitors.js';
import { manageObjectivesRoutes, objectiveReportRoutes } from './objectives.js';
import { manageOverviewRoutes } from './overview.js';
import { badgePictureRoutes } from './pages/badge.js';
import { hostnameRoutes } from './pages/hostname.js';
import { pagePreviewRoutes } from './pages/preview.js';
import { managePagesRoutes } from './pages.js';
import { managePeopleRoutes } from './people.js';
import { managePoliciesRoutes } from './policies.js';
import { manageQueriesRoutes } from './queries.js';
import { reportSettingsRoutes } from './report-settings.js';
import { manageReportersRoutes } from './reporters.js';
import { reportsRoutes } from './reports.js';
import { rulePreviewRoutes } from './rule-preview.js';
import { manageRulesRoutes } from './rules.js';
import { manageSchedulesRoutes } from './schedules.js';
import { manageSessionRoutes } from './session.js';
import { manageSubscribersRoutes } from './subscribers.js';
import { manageUsersRoutes } from './users.js';
import { manageWebhooksRoutes } from './webhooks.js';

/** The management API: everything that runs a page or the installation, in the order of the published description. */
export function manageRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    ...managePagesRoutes(deps),
    ...pagePreviewRoutes(deps),
    ...hostnameRoutes(deps),
    ...badgePictureRoutes(deps),
    ...manageOverviewRoutes(deps),
    ...manageMonitorsRoutes(deps),
    ...monitorFiguresRoutes(deps),
    ...monitorsOverviewRoutes(deps),
    ...manageMonitorGroupsRoutes(deps),
    ...manageIncidentsRoutes(deps),
    ...incidentPreviewRoutes(deps),
    ...manageTemplatesRoutes(deps),
    ...manageSeriesRoutes(deps),
    ...manageAudienceRoutes(deps),
    ...manageSubscribersRoutes(deps),
    ...manageWebhooksRoutes(deps),
    ...manageChannelsRoutes(deps),
    ...manageAlertRuleRoutes(deps),
    ...manageRulesRoutes(deps),
    ...rulePreviewRoutes(deps),
    ...manageAlertsRoutes(deps),
    ...alertRulePreviewRoutes(deps),
    ...manageSchedulesRoutes(deps),
    ...managePoliciesRoutes(deps),
    ...manageObjectivesRoutes(deps),
    ...objectiveReportRoutes(deps),
    ...reportsRoutes(deps),
    ...reportSettingsRoutes(deps),
    ...manageReportersRoutes(deps),
    ...manageDeploymentsRoutes(deps),
    ...manageConnectionsRoutes(deps),
    ...manageEventStoreRoutes(deps),
    ...manageFigureExportRoutes(deps),
    ...manageKeysRoutes(deps),
    ...managePeopleRoutes(deps),
    ...manageAuditRoutes(deps),
    ...manageAnalyticsRoutes(deps),
    ...manageQueriesRoutes(deps),
    ...manageBoardsRoutes(deps),
    ...manageInstallationRoutes(deps),
    ...manageSessionRoutes(deps),
    ...manageContactWaysRoutes(deps),
    ...manageUsersRoutes(deps),
  ];
}
