import { PutReportSettings, ReportSettings } from '../../../contract/manage/report-settings.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import { loadReportSettings, putReportSettings } from '../../../control/reports/index.js';
import type { Representation } from '../../manage/answers.js';
import { changeRoute, readRoute } from '../../manage/resource-routes.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

const path = '/api/v1/pages/:page/report-settings';
/** The emails of people are among them. */
const permission = 'notifications.write';

/** Who gets the reports of a page by email, and how often. */
export function reportSettingsRoutes(deps: CommandRoutesDeps): ManageRouteList {
  return [
    readRoute({
      ...{ path, permission, operationId: 'getReportSettings' },
      summary: 'Who gets reports by email, and how often',
      answer: ReportSettings,
      load: ({ page }) => loadReportSettings(deps, page.id),
      represent,
    }),
    changeRoute({
      ...{ method: 'PUT', path, permission, operationId: 'putReportSettings' },
      summary: 'Set who gets reports by email, and how often',
      description:
        'Set who gets reports by email, and how often. The first report is of the week or month that is due next. What the body leaves out is turned off',
      body: { schema: PutReportSettings, bytesMax },
      answer: ReportSettings,
      represent,
      change: ({ by, page, body }, check) =>
        putReportSettings({ ...deps, by }, { pageId: page.id, ...body }, check),
    }),
  ];
}

function represent(settings: ReportSettings): Representation {
  return { body: settings };
}
