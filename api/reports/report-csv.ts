import type { Report } from '../../contract/manage/reports.js';
import { csvRow } from '../manage/csv.js';

type Value = string | number | boolean | null;

/** A figure of a report beside the same in the period before; null is an empty cell. */
type Line = [section: string, name: string, figure: string, value: Value, previous?: Value];

const trafficFigures = ['requests', 'errors', 'errorShare', 'p95Ms'] as const;

/** Returns a report as CSV, a figure a row, so that spreadsheets can filter and pivot it. */
export function reportCsv(report: Report): string {
  const lines = [
    ...periodLines(report),
    ...serviceLines(report),
    ...objectiveLines(report),
    ...incidentLines(report),
    ...alertLines(report),
    ...requestLines(report),
    ...endpointLines(report),
  ];
  const head = csvRow(['section', 'name', 'figure', 'value', 'previous']);
  return (
    head + lines.map(([section, name, figure, ...values]) => rowOf([section, name, figure], values)).join('')
  );
}

function rowOf(
  names: readonly string[],
  [value = null, previous = null]: readonly (Value | undefined)[],
): string {
  return csvRow([...names, cellOf(value), cellOf(previous)]);
}

const cellOf = (value: Value): string | null => (value === null ? null : String(value));

function periodLines({ page, from, to, timeZone, previous }: Report): Line[] {
  return [
    ['period', page.name, 'from', from, previous.from],
    ['period', page.name, 'to', to, previous.to],
    ['period', page.name, 'timeZone', timeZone],
  ];
}

function serviceLines({ services }: Report): Line[] {
  return services.flatMap(({ name, uptime, previousUptime, downSeconds, objective }): Line[] => [
    ['service', name, 'uptimePercent', uptime, previousUptime],
    ['service', name, 'downSeconds', downSeconds],
    ...(objective === null
      ? []
      : ([
          ['service', name, 'targetPercent', objective.target],
          ['service', name, 'isMet', objective.isMet],
        ] satisfies Line[])),
  ]);
}

function objectiveLines({ objectives }: Report): Line[] {
  return objectives.flatMap(
    ({ name, target, compliance, previousCompliance, good, total, unit, isMet }): Line[] => [
      ['objective', name, 'targetPercent', target],
      ['objective', name, 'compliancePercent', compliance, previousCompliance],
      ['objective', name, `good.${unit}`, good],
      ['objective', name, `total.${unit}`, total],
      ['objective', name, 'isMet', isMet],
    ],
  );
}

function incidentLines({ incidents }: Report): Line[] {
  return incidents.flatMap(({ type, title, startedAt, resolvedAt, seconds }): Line[] => [
    [type, title, 'startedAt', startedAt],
    [type, title, 'resolvedAt', resolvedAt],
    [type, title, 'seconds', seconds],
  ]);
}

function alertLines({ alerts }: Report): Line[] {
  if (alerts === null) return [];
  const { now, previous } = alerts;
  return [
    ...(['page', 'ticket', 'info'] as const).map(
      (severity): Line => [
        'alerts',
        severity,
        'count',
        now.bySeverity[severity],
        previous.bySeverity[severity],
      ],
    ),
    ...(['count', 'acknowledged', 'secondsToAcknowledge', 'resolved', 'secondsToResolve'] as const).map(
      (figure): Line => ['alerts', '', figure, now[figure], previous[figure]],
    ),
  ];
}

function requestLines({ requests }: Report): Line[] {
  if (requests === null) return [];
  const { now, previous } = requests;
  return trafficFigures.map((figure) => ['requests', '', figure, now[figure], previous[figure]]);
}

function endpointLines({ endpoints }: Report): Line[] {
  return endpoints.flatMap(({ service, endpoint, ...figures }) =>
    trafficFigures.map((figure): Line => ['endpoint', `${service} ${endpoint}`, figure, figures[figure]]),
  );
}
