import type { Report } from '../../contract/manage/reports.js';
import { secondMs } from '../../lib/times.js';
import type { ReportTexts } from './areas.js';
import { type Format, formatIn } from './format.js';
import { changeOf, percentOf, pointsOf } from './report-changes.js';
import { textsOf } from './texts-of.js';

export type ReportSection = keyof ReportTexts['sections'];

/** A part of a report in words: its first column names, and the others say. `empty` stands in place of no rows. */
export type ReportTable = {
  section: ReportSection;
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
  empty: string;
};

/** A report in words. */
export type WrittenReport = {
  label: string;
  title: string;
  notes: readonly string[];
  tables: readonly ReportTable[];
};

/** Stands for what was not measured. */
const nothing = '–';

type Part = { report: Report; texts: ReportTexts; format: Format };

/** Writes a report in a language; the times are by the clock of its page. Sections that say nothing are left out. */
export function writeReport(report: Report, language: string): WrittenReport {
  const texts = textsOf('report', language);
  const format = formatIn(language, report.timeZone);
  const part = { report, texts, format };
  const { every, firstDay, lastDay, isOver, timeZone } = report;
  return {
    label: texts.labels[every],
    title: every === 'month' ? format.month(firstDay.slice(0, 7)) : weekOf(format, firstDay, lastDay),
    notes: [...(isOver ? [] : [texts.running]), texts.zone({ zone: timeZone })],
    tables: [
      ...[services(part), ...objectives(part), incidents(part), ...alerts(part)],
      ...[...requests(part), ...endpoints(part)],
    ],
  };
}

function weekOf(format: Format, firstDay: string, lastDay: string): string {
  const date = new Intl.DateTimeFormat(format.locale, { dateStyle: 'long', timeZone: 'UTC' });
  return date.formatRange(Date.parse(firstDay), Date.parse(lastDay));
}

function tableOf(
  { texts }: Part,
  section: ReportSection,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): ReportTable {
  const empty = section in texts.empty ? texts.empty[section as keyof ReportTexts['empty']] : nothing;
  return { section, title: texts.sections[section], head, rows, empty };
}

function services(part: Part): ReportTable {
  const { report, texts, format } = part;
  const head = [texts.service, texts.uptime, texts.before, texts.down, texts.objective];
  const rows = report.services.map(({ name, uptime, previousUptime, downSeconds, objective }) => [
    name,
    ...[percentOf(format, uptime), percentOf(format, previousUptime)],
    downSeconds === null ? nothing : durationOf(format, downSeconds),
    objective === null ? nothing : resultOf(part, objective),
  ]);
  return tableOf(part, 'services', head, rows);
}

function resultOf(
  { texts, format }: Part,
  { target, isMet }: { target: number; isMet: boolean | null },
): string {
  const aim = format.exactPercent(target);
  if (isMet === null) return aim;
  return `${aim} ${isMet ? texts.met : texts.missed}`;
}

function objectives(part: Part): ReportTable[] {
  const { report, texts, format } = part;
  if (report.objectives.length === 0) return [];
  const head = [texts.objective, texts.target, texts.reached, texts.before];
  const rows = report.objectives.map(({ name, target, isMet, compliance, previousCompliance }) => [
    name,
    resultOf(part, { target, isMet }),
    ...[percentOf(format, compliance), percentOf(format, previousCompliance)],
  ]);
  return [tableOf(part, 'objectives', head, rows)];
}

function incidents(part: Part): ReportTable {
  const { report, texts, format } = part;
  const rows = report.incidents.map(({ type, title, startedAt, resolvedAt, seconds }) => {
    const length = durationOf(format, seconds);
    return [
      type === 'maintenance' ? `${texts.maintenance}: ${title}` : title,
      format.dateTime(Date.parse(startedAt)),
      resolvedAt === null ? texts.lasts({ length }) : length,
    ];
  });
  return tableOf(part, 'incidents', [texts.title, texts.began, texts.length], rows);
}

function alerts(part: Part): ReportTable[] {
  const { report, texts, format } = part;
  if (report.alerts === null) return [];
  const { now, previous } = report.alerts;
  const lasting = (seconds: number | null) => (seconds === null ? nothing : durationOf(format, seconds));
  const rows = [
    [
      texts.alertCount,
      format.count(now.count),
      format.count(previous.count),
      changeOf(format, now.count, previous.count),
    ],
    ...(['Acknowledge', 'Resolve'] as const).map((what) => {
      const [own, before] = [now[`secondsTo${what}`], previous[`secondsTo${what}`]];
      return [texts[`to${what}`], lasting(own), lasting(before), changeOf(format, own, before)];
    }),
  ];
  return [tableOf(part, 'alerts', comparedHead(texts), rows)];
}

const comparedHead = (texts: ReportTexts) => [texts.figure, texts.now, texts.before, texts.change];

function requests(part: Part): ReportTable[] {
  const { report, texts, format } = part;
  if (report.requests === null) return [];
  const { now, previous } = report.requests;
  const written = (value: number | null, write: (value: number) => string) =>
    value === null ? nothing : write(value);
  const share = (value: number) => format.percent(100 * value);
  const rows = [
    [
      ...[texts.requestCount, written(now.requests, format.count), written(previous.requests, format.count)],
      changeOf(format, now.requests, previous.requests),
    ],
    [
      ...[texts.failureRate, written(now.errorShare, share), written(previous.errorShare, share)],
      pointsOf(format, texts, now.errorShare, previous.errorShare),
    ],
    [
      ...[texts.p95, written(now.p95Ms, format.ms), written(previous.p95Ms, format.ms)],
      changeOf(format, now.p95Ms, previous.p95Ms),
    ],
  ];
  return [tableOf(part, 'requests', comparedHead(texts), rows)];
}

function endpoints(part: Part): ReportTable[] {
  const { report, texts, format } = part;
  if (report.requests === null) return [];
  const head = [
    texts.endpoint,
    texts.service,
    texts.requestCount,
    texts.failed,
    texts.failureRate,
    texts.p95,
  ];
  const rows = report.endpoints.map(({ service, endpoint, requests, errors, errorShare, p95Ms }) => [
    ...[endpoint, service],
    ...[requests, errors].map((count) => (count === null ? nothing : format.count(count))),
    errorShare === null ? nothing : format.percent(100 * errorShare),
    p95Ms === null ? nothing : format.ms(p95Ms),
  ]);
  return [tableOf(part, 'endpoints', head, rows)];
}

const durationOf = (format: Format, seconds: number): string => format.duration(seconds * secondMs);
