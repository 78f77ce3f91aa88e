export { lastDue, periodAt, periodBefore, periodOf, type ReportPeriod } from './periods.js';
export { type DueReport, listDueReports, queueReport } from './queue-report.js';
export { createReportCourier, pruneReportEmails } from './report-courier.js';
export { loadReportSettings, putReportSettings } from './settings.js';
