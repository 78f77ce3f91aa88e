import type { AlarmId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Evidence, type FiringRule, findAlertRule, listFiringRules } from '../alerts/index.js';
import type { AlarmKind, AlarmSource, Trouble } from './alarm-source.js';
import { formatSpan, formatTime, lasted } from './alarm-source.js';
import { beginAlarmIn } from './settle-alarms.js';

/** The only subject of a page: it has one rule. */
const subject = 'rule';
const name = 'Failure rate';

const kind: AlarmKind = {
  ...{ topic: 'failure-rate', severity: 'critical', screen: 'traffic' },
  many: { begin: () => 'The failure rate is high', end: () => 'The failure rate is normal again' },
};

/** Pages whose traffic fails too often by their alert rule, for as long as its incident lasts. */
export function failureRateAlarms(sql: Sql, now: number): AlarmSource {
  return {
    ...kind,
    async load(pageIds) {
      return (await listFiringRules(sql, pageIds)).map(toTrouble);
    },
    async explainEnd(pageId, { since }) {
      const rule = await findAlertRule({ sql }, pageId);
      const title =
        rule === undefined ? 'The failure rate is no longer watched' : 'The failure rate is normal again';
      return {
        title,
        text: rule === undefined ? 'The alert rule was removed.' : '',
        facts: [lasted(since, now)],
      };
    },
  };
}

/**
 * Queues the message of a rule that opens an incident, in the transaction that opens it: the team hears of it before its
 * customers do. Returns the alarm; `undefined` when no channel reports failure rates.
 */
export async function tellOfFailureRate(
  tx: Transaction,
  rule: FiringRule,
  now: number,
): Promise<AlarmId | undefined> {
  return beginAlarmIn(tx, kind, { trouble: toTrouble(rule), now });
}

function toTrouble({ pageId, thresholdPercent, windowSeconds, since, evidence }: FiringRule): Trouble {
  const about = { pageId, subject, name, since };
  const window = windowOf(windowSeconds);
  if (evidence === null) {
    return {
      ...about,
      title: `The failure rate has reached ${thresholdPercent} %`,
      text: 'Requests of the page fail more often than its alert rule allows.',
      facts: [
        { name: 'Window', value: window },
        { name: 'Since', value: formatTime(since) },
      ],
    };
  }
  const to = new Date(evidence.to);
  return {
    ...about,
    title: `${percentOf(evidence)} of the requests fail`,
    text: `${failedOf(evidence)} requests failed in ${window}. The alert rule opens an incident from ${thresholdPercent} % on.`,
    facts: [
      { name: 'Window', value: `${window} until ${formatTime(to)}` },
      ...deploymentFacts(evidence, since),
      ...endpointFacts(evidence),
    ],
    query: {
      from: new Date(to.getTime() - windowSeconds * 1000).toISOString(),
      to: to.toISOString(),
      order: 'errors',
    },
  };
}

/** Behind the window, because a provider cuts what is too long, and this is what people ask first. */
function deploymentFacts({ deployment }: Evidence, since: Date): Trouble['facts'] {
  if (deployment === undefined) return [];
  const { service, version, environment, at } = deployment;
  const where = environment === null ? '' : ` (${environment})`;
  const before = formatSpan(since.getTime() - new Date(at).getTime());
  return [{ name: 'Last deployment', value: `${service} ${version}${where}, ${before} before` }];
}

const ranks = ['Worst endpoint', 'Second endpoint', 'Third endpoint'];

/** The figures come first: a provider cuts what is too long. */
function endpointFacts({ endpoints }: Evidence): Trouble['facts'] {
  const services = [...new Set(endpoints.map(({ service }) => service))];
  return [
    ...(services.length === 0
      ? []
      : [{ name: services.length === 1 ? 'Service' : 'Services', value: services.join(', ') }]),
    ...endpoints.flatMap(({ service, endpoint, ...counts }, at) => {
      const rank = ranks[at];
      const value = `${percentOf(counts)}, ${failedOf(counts)}: ${endpoint} of ${service}`;
      return rank === undefined ? [] : [{ name: rank, value }];
    }),
  ];
}

type Counts = { requests: number; errors: number };

const { format: formatCount } = new Intl.NumberFormat('en');
const { format: formatPercent } = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

function failedOf({ requests, errors }: Counts): string {
  return `${formatCount(errors)} of ${formatCount(requests)}`;
}

/** To three digits, as the dashboard has it. */
function percentOf({ requests, errors }: Counts): string {
  return `${formatPercent((100 * errors) / requests)} %`;
}

function windowOf(seconds: number): string {
  const minutes = seconds / 60;
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
