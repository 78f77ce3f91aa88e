import { limits } from './limits.js';
import type { SqlTable } from './sql-documented.js';

/**
 * Tables that are exported by the hour. An hour gets rows after its end when events or pool reports arrive late, when checks
 * waited in the memory of an instance while ClickHouse was away, and when checks are imported. The object of the day after
 * has the rows that came within a day; the hours of an import are put again with `--since`.
 */
export const hourlyTables = [
  'requests_hour',
  'requests_minute',
  'service_requests_hour',
  'service_requests_minute',
  'page_requests_hour',
  'page_requests_minute',
  'version_requests_hour',
  'pools_minute',
  'checks',
] as const satisfies readonly SqlTable[];
export type HourlyTable = (typeof hourlyTables)[number];

/** Kinds of data that arrive, and fill tables. */
export type TableSource = 'events' | 'poolReports' | 'checks';

/** The kind of data that fills a table. An hour waits for events and pool reports; checks are not waited for. */
export const tableSources: Readonly<Record<HourlyTable, TableSource>> = {
  requests_hour: 'events',
  requests_minute: 'events',
  service_requests_hour: 'events',
  service_requests_minute: 'events',
  page_requests_hour: 'events',
  page_requests_minute: 'events',
  version_requests_hour: 'events',
  pools_minute: 'poolReports',
  checks: 'checks',
};

/**
 * All tables that are exported. Rows of a day are exported by the day; hours of monitors change whenever an exclusion does,
 * so that they are exported on request alone.
 */
export const exportedTables = [
  ...hourlyTables,
  'monitor_hours',
  'endpoint_requests_day',
  'service_requests_day',
  'page_requests_day',
] as const satisfies readonly SqlTable[];
export type ExportedTable = (typeof exportedTables)[number];

/** The column with the time of a row. */
export const timeColumns: Readonly<Record<ExportedTable, 'minute' | 'hour' | 'day' | 'at'>> = {
  requests_hour: 'hour',
  requests_minute: 'minute',
  service_requests_hour: 'hour',
  service_requests_minute: 'minute',
  page_requests_hour: 'hour',
  page_requests_minute: 'minute',
  version_requests_hour: 'hour',
  pools_minute: 'minute',
  checks: 'at',
  monitor_hours: 'hour',
  endpoint_requests_day: 'day',
  service_requests_day: 'day',
  page_requests_day: 'day',
};

/** How long the rows of a table are kept, in days; `undefined` for those that stay. */
export const keptDays: Readonly<Record<ExportedTable, number | undefined>> = {
  requests_hour: limits.endpointHoursDays,
  requests_minute: limits.eventRetentionDays,
  service_requests_hour: limits.serviceHoursDays,
  service_requests_minute: limits.eventRetentionDays,
  page_requests_hour: limits.serviceHoursDays,
  page_requests_minute: limits.eventRetentionDays,
  version_requests_hour: 400,
  pools_minute: 14,
  checks: 400,
  monitor_hours: 400,
  endpoint_requests_day: limits.endpointHoursDays,
  service_requests_day: limits.serviceHoursDays,
  page_requests_day: undefined,
};

/** Formats of exported files, which are the ends of their names, with the names that SQL has for them. */
export const exportFormats = { parquet: 'Parquet', csv: 'CSV', jsonl: 'JSONEachRow' } as const;
export type ExportFormat = keyof typeof exportFormats;
export const exportFormatNames = ['parquet', 'csv', 'jsonl'] as const satisfies readonly ExportFormat[];

/** An hour is exported this long after its end: events arrive up to some minutes late. */
export const settledAfterMinutes = 10;
/** An object is put again this long after the end of its hour, with the rows that have arrived since. */
export const againAfterHours = 24;
/** An hour waits this long for events and pool reports that were acknowledged, and that their store has not taken yet. */
export const waitHoursMax = 6;
