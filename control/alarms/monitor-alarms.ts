import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { listDownMonitors, loadMonitorWatch } from '../monitors/index.js';
import type { AlarmSource } from './alarm-source.js';
import { formatTime, lasted } from './alarm-source.js';

/** Monitors that are down and watched: not paused, and not in maintenance. Hidden ones count; the team sees them. */
export function monitorAlarms(sql: Sql, now: number): AlarmSource {
  return {
    ...{ topic: 'monitor', severity: 'critical', screen: 'monitors' },
    async load(pageIds) {
      const down = await listDownMonitors(sql, { pageIds, now });
      return down.map(({ pageId, id, name, since, lastError, url }) => ({
        ...{ pageId, subject: id, name, since },
        title: `${name} is down`,
        text: sentenceOf(lastError),
        facts: [
          ...(url === null ? [] : [{ name: 'Target', value: hostOf(url) }]),
          { name: 'Since', value: formatTime(since) },
        ],
      }));
    },
    async explainEnd(pageId: PageId, { subject, name, since }) {
      const watch = await loadMonitorWatch(sql, { pageId, id: subject, now });
      const facts = [lasted(since, now)];
      if (watch === 'up') return { title: `${name} is up again`, text: '', facts };
      return { title: `${name} is no longer watched`, text: unwatched[watch], facts };
    },
    many: {
      begin: (count) => `${count} monitors are down`,
      end: (count) => `None of the ${count} monitors is down any more`,
    },
  };
}

const unwatched = {
  paused: 'It was paused while it was down.',
  maintenance: 'Its maintenance began while it was down.',
  gone: 'It was deleted while it was down.',
  unknown: 'No check has passed since.',
} as const;

/** Returns an error without its class. */
function sentenceOf(error: string | null): string {
  return error?.replace(/^[\w-]+: /, '') ?? '';
}

/** The path and the query of a URL may be secrets. */
function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}
