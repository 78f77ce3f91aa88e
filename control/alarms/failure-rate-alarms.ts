import type { Sql } from '../../sql/open-postgres.js';
import { findAlertRule, listFiringRules } from '../alerts/index.js';
import type { AlarmSource } from './alarm-source.js';
import { formatTime, lasted } from './wording.js';

/** The only subject of a page: it has one rule. */
const subject = 'rule';
const name = 'Failure rate';

/** Pages whose traffic fails too often by their alert rule, for as long as its incident lasts. */
export function failureRateAlarms(sql: Sql, now: number): AlarmSource {
  return {
    ...{ topic: 'failure-rate', severity: 'critical', screen: 'alerts' },
    async load(pageIds) {
      const rules = await listFiringRules(sql, pageIds);
      return rules.map(({ pageId, thresholdPercent, windowSeconds, since }) => ({
        ...{ pageId, subject, name, since },
        title: `The failure rate has reached ${thresholdPercent} %`,
        text: 'Requests of the page fail more often than its alert rule allows.',
        facts: [
          { name: 'Window', value: windowOf(windowSeconds) },
          { name: 'Since', value: formatTime(since) },
        ],
      }));
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
    many: { begin: () => 'The failure rate is high', end: () => 'The failure rate is normal again' },
  };
}

function windowOf(seconds: number): string {
  const minutes = seconds / 60;
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
