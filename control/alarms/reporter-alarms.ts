import type { PageId } from '../../lib/ids.js';
import type { AlarmSource, Trouble } from './alarm-source.js';
import { formatSpan, formatTime, lasted } from './alarm-source.js';

/** A service or reporter of a page, as far as its silence matters. */
export type WatchedReporter = {
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
  /** Reporters that name this service. */
  instances?: number;
  /** Requests of the last hour, and how many of them ended with a 5xx. */
  requests: number;
  errors: number;
};

/**
 * Services and reporters of one page that reported before and have stopped: for five times as long as they promise or
 * usually pause. Reporters that name a service are watched one by one, and the service is not.
 *
 * @param reporters all that the page knows
 */
export function reporterAlarms(
  pageId: PageId,
  reporters: readonly WatchedReporter[],
  now: number,
): AlarmSource {
  const watched = reporters.filter(({ instances }) => instances === undefined);
  const joined = reporters.filter(({ instances }) => instances !== undefined);
  const subjectOf = subjectsOf(watched);
  // A service that was told before reporters named it has an end to tell.
  const bySubject = new Map([...joined, ...watched].map((one) => [subjectOf(one), one]));
  return {
    ...{ topic: 'reporter', severity: 'warning', screen: 'reporters' },
    async load() {
      return watched.flatMap((reporter): Trouble[] => {
        const { reporting, lastReportAt } = reporter;
        if (reporting !== 'silent' || lastReportAt === null) return [];
        const name = nameOf(reporter);
        return [
          {
            ...{ pageId, subject: subjectOf(reporter), name, since: lastReportAt },
            title: `${titleOf(reporter)} is silent`,
            text: `It last reported ${formatSpan(now - lastReportAt.getTime())} ago.${promiseOf(reporter)}`,
            facts: factsOf(reporter, lastReportAt),
          },
        ];
      });
    },
    async explainEnd(_pageId, { subject, name, since }) {
      const title = `${name} ${endingOf(bySubject.get(subject))}`;
      return { title, text: '', facts: [lasted(since, now)] };
    },
    many: {
      begin: (count) => `${count} reporters are silent`,
      end: (count) => `None of the ${count} reporters is silent any more`,
    },
  };
}

/** An alarm is found by the id of its reporter. A service may have the same name as a reporter. */
function subjectsOf(reporters: readonly WatchedReporter[]): (reporter: WatchedReporter) => string {
  const services = new Set(reporters.flatMap(({ id, kind }) => (kind === 'service' ? [id] : [])));
  return ({ id, kind }) => (kind === 'reporter' && services.has(id) ? `reporter ${id}` : id);
}

function nameOf({ id, name }: WatchedReporter): string {
  return name === id ? name : `${name} (${id})`;
}

/** Returns the name, with the service of a reporter behind it unless the name is the service. */
function titleOf(reporter: WatchedReporter): string {
  const { service, name } = reporter;
  const isNamed = service === undefined || service === name.toLowerCase();
  return isNamed ? nameOf(reporter) : `${nameOf(reporter)} of ${service}`;
}

function promiseOf({ expectedEverySeconds: seconds }: WatchedReporter): string {
  return seconds === null ? '' : ` It promises to report every ${formatSpan(seconds * 1000)}.`;
}

function factsOf({ id, kind, region, team, service, requests, errors }: WatchedReporter, lastReportAt: Date) {
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

function endingOf(reporter: WatchedReporter | undefined): string {
  if (reporter === undefined || reporter.lastReportAt === null) return 'is no longer known';
  if (reporter.reporting === 'stopped') return 'has stopped';
  return reporter.reporting === 'unknown' ? 'is no longer watched' : 'reports again';
}
