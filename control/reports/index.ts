export { periodAt, periodBefore, type ReportPeriod } from './periods.js';
