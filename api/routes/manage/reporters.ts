import Type from 'typebox';
import { hasReportedSince } from '../../../analytics/reporters.js';
import { ReporterRef } from '../../../contract/manage/reporters.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import { recordForgotten } from '../../../control/audit/index.js';
import { forgetSource, type SourceRef } from '../../../ingest/names/forget-source.js';
import { answerDone } from '../../manage/answers.js';
import { manageBodyRoute } from '../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

/** Changes that people make to reporters; the states of reporters are reads of figures. */
export function manageReportersRoutes(deps: ManageRoutesDeps): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/reporters/forget',
      operationId: 'forgetReporter',
      summary: 'Forget a reporter',
      description:
        'Remove a service or reporter from the lists of the page, and end the alarm of its silence. Its figures stay, and it comes back when it reports again',
      permission: 'monitors.write',
      body: { schema: ReporterRef, bytesMax },
      answers: { 204: Type.Null() },
      errors: ['invalidBody', 'notFound', 'storeUnavailable', 'ownStoreUnavailable'],
      async manage({ ctx, by, page, body }) {
        const clickhouse = deps.pageStores.clickhouseOf(page.id);
        const asked = {
          hasReportedSince: (ref: SourceRef, at: Date) =>
            hasReportedSince({ ...deps, clickhouse }, page.id, ref, at),
          record: recordForgotten(page.id, by),
        };
        await forgetSource({ ...deps, ...asked }, page.id, body);
        answerDone(ctx);
      },
    }),
  ];
}
