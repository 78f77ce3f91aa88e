import type { PageId } from '../../lib/ids.js';
import { formatSpan, formatTime } from '../../lib/spans-in-words.js';
import type { Ending, Fact, Observation } from './observation.js';
import type { Rule } from './rule.js';
import type { Look } from './rule-state.js';

/** Whether a service or reporter of a page still reports. */
export type ReporterStanding = {
  pageId: PageId;
  id: string;
  name: string;
  kind: 'service' | 'reporter';
  reporting: 'silent' | 'late' | 'clean' | 'stopped' | 'unknown';
  lastReportAt: Date | null;
  expectedEverySeconds: number | null;
  region: string | null;
  team: string | null;
  /** Service that a reporter names. */
  service?: string;
  /** Requests of the last hour, and how many of them ended with a 5xx. */
  requests: number;
  errors: number;
};

/**
 * Looks at each service and reporter of a rule. One that has said goodbye, and one that never reported, are no trouble. `now` is in
 * milliseconds since the epoch.
 */
export function judgeReporters(
  rule: Rule,
  reporters: readonly ReporterStanding[],
  now: number,
): Observation[] {
  const { condition } = rule;
  const chosen = reportersOf(rule, reporters);
  return chosen.map((reporter) => {
    const { id, kind, lastReportAt } = reporter;
    return {
      ...{
        group: `${kind} ${id}`,
        name: titleOf(reporter),
        look: lookOf(reporter, condition.is ?? 'silent'),
      },
      ...(lastReportAt !== null && {
        since: lastReportAt.getTime(),
        text: `It last reported ${formatSpan(now - lastReportAt.getTime())} ago.${promiseOf(reporter)}`,
        facts: factsOf(reporter, lastReportAt),
      }),
      ending: endingOf(reporter),
    };
  });
}

/** Returns the services and reporters of pages that a rule looks at. */
export function reportersOf<
  Reporter extends Pick<ReporterStanding, 'pageId' | 'id' | 'name' | 'region' | 'team'>,
>({ pageId, target }: Rule, reporters: readonly Reporter[]): Reporter[] {
  return reporters.filter(
    ({ id, name, region, team, ...one }) =>
      one.pageId === pageId &&
      (target.reporter === undefined || target.reporter === id || target.reporter === name) &&
      (target.region === undefined || target.region === region) &&
      (target.team === undefined || target.team === team),
  );
}

/** Whoever is silent is late as well. */
function lookOf({ reporting, lastReportAt }: ReporterStanding, is: string): Look {
  if (reporting === 'unknown' || lastReportAt === null) return 'none';
  return reporting === 'silent' || (is === 'late' && reporting === 'late') ? 'bad' : 'good';
}

function nameOf({ id, name }: ReporterStanding): string {
  return name === id ? name : `${name} (${id})`;
}

/** Returns the name, with the service of a reporter behind it unless the name is the service. */
function titleOf(reporter: ReporterStanding): string {
  const { service, name } = reporter;
  const isNamed = service === undefined || service === name.toLowerCase();
  return isNamed ? nameOf(reporter) : `${nameOf(reporter)} of ${service}`;
}

function promiseOf({ expectedEverySeconds: seconds }: ReporterStanding): string {
  return seconds === null ? '' : ` It promises to report every ${formatSpan(seconds * 1000)}.`;
}

function factsOf(
  { id, kind, region, team, service, requests, errors }: ReporterStanding,
  lastReportAt: Date,
): Fact[] {
  const labels = [
    { name: kind === 'service' ? 'Service' : 'Instance', value: id },
    { name: 'Service', value: service ?? null },
    { name: 'Region', value: region },
    { name: 'Team', value: team },
    { name: 'Last report', value: formatTime(lastReportAt) },
    { name: 'Errors, last hour', value: errors === 0 ? null : `${errors} of ${requests} requests` },
  ];
  return labels.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]));
}

function endingOf(reporter: ReporterStanding): Ending {
  const { reporting } = reporter;
  const how =
    reporting === 'stopped'
      ? 'has stopped'
      : reporting === 'unknown'
        ? 'is no longer watched'
        : 'reports again';
  return { title: `${nameOf(reporter)} ${how}`, text: '' };
}
