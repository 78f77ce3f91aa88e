import type { Context } from 'koa';
import Type from 'typebox';
import { Report, reportFormats, reportQuery } from '../../../contract/manage/reports.js';
import { invalidValue } from '../../../lib/query-parameters.js';
import { manageRoute } from '../../manage/manage-route.js';
import { createReadReport } from '../../reports/read-report.js';
import { reportCsv } from '../../reports/report-csv.js';
import type { ManageRouteList, ManageRoutesDeps } from './deps.js';

/** How a page did in a week or a month. */
export function reportsRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const readReport = createReadReport(deps);
  return [
    manageRoute({
      ...{ method: 'GET', path: '/api/v1/pages/:page/reports/:every', permission: 'telemetry.read' },
      operationId: 'getReport',
      summary: 'How a page did in a week or a month, beside the one before',
      description:
        'How a page did in a week or a month, in its time zone and beside the one before: uptime of services, objectives, incidents, alerts, requests, and the endpoints that failed most',
      query: Type.Object(reportQuery),
      answers: { 200: { mediaTypes: ['application/json', 'text/csv'], json: Report } },
      saysAsOf: true,
      errors: ['invalidParameter', 'notFound', 'sqlTooExpensive', 'ownStoreUnavailable', 'rateLimited'],
      async manage({ ctx, page, params, query }) {
        const format = formatOf(ctx, query.format);
        const asked = { pageId: page.id, every: params['every'], at: query.at };
        const { report, asOf } = await readReport(ctx, asked);
        ctx.set('heartline-as-of', new Date(asOf).toISOString());
        answer(ctx, report, format);
      },
    }),
  ];
}

function formatOf(ctx: Context, sent: string | undefined): (typeof reportFormats)[number] {
  ctx.vary('Accept');
  if (sent === undefined) return ctx.accepts('json', 'text/csv') === 'text/csv' ? 'csv' : 'json';
  const format = reportFormats.find((known) => known === sent);
  if (format === undefined) throw invalidValue('format', `one of ${reportFormats.join(', ')}`, sent);
  return format;
}

function answer(ctx: Context, report: Report, format: (typeof reportFormats)[number]): void {
  ctx.set('cache-control', 'private, no-store');
  if (format === 'json') {
    ctx.body = report;
    return;
  }
  const { page, every, firstDay } = report;
  ctx.set('content-disposition', `attachment; filename="report-${page.slug}-${every}-${firstDay}.csv"`);
  ctx.type = 'text/csv; charset=utf-8; header=present';
  ctx.body = reportCsv(report);
}
