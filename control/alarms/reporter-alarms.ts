import type { PageId } from '../../lib/ids.js';
import type { AlarmSource, Trouble } from './alarm-source.js';
import { formatSpan, formatTime, lasted } from './wording.js';

/** A service or reporter of a page, as far as its silence matters. */
export type WatchedReporter = { id: string; name: string; isSilent: boolean; lastReportAt: Date | null };

/**
 * Services and reporters of one page that reported before and have stopped: for five times as long as they usually pause.
 *
 * @param reporters all that the page knows
 */
export function reporterAlarms(
  pageId: PageId,
  reporters: readonly WatchedReporter[],
  now: number,
): AlarmSource {
  const known = new Set(reporters.map(({ id }) => id));
  return {
    ...{ topic: 'reporter', severity: 'warning', screen: 'reporters' },
    async load() {
      return reporters.flatMap(({ id, name, isSilent, lastReportAt }): Trouble[] => {
        if (!isSilent || lastReportAt === null) return [];
        return [
          {
            ...{ pageId, subject: id, name, since: lastReportAt },
            title: `${name} is silent`,
            text: `It last reported ${formatSpan(now - lastReportAt.getTime())} ago.`,
            facts: [{ name: 'Last report', value: formatTime(lastReportAt) }],
          },
        ];
      });
    },
    async explainEnd(_pageId, { subject, name, since }) {
      const title = known.has(subject) ? `${name} reports again` : `${name} is no longer known`;
      return { title, text: '', facts: [lasted(since, now)] };
    },
    many: {
      begin: (count) => `${count} reporters are silent`,
      end: (count) => `None of the ${count} reporters is silent any more`,
    },
  };
}
