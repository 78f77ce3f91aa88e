import { channelLimits } from '../../contract/channels.js';
import { formatTime } from '../../lib/spans-in-words.js';
import { minuteMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { listLateExports } from '../figure-exports/index.js';
import { listLateEmails } from '../subscribers/index.js';
import { listLateWebhooks } from '../webhooks/index.js';
import type { AlarmSource } from './alarm-source.js';
import { lasted } from './alarm-source.js';

/**
 * Emails to subscribers, and deliveries of a webhook, that have waited for a quarter of an hour, and figures that a bucket has
 * not taken for as long.
 */
export function deliveryAlarms(sql: Sql, now: number): AlarmSource {
  const before = new Date(now - channelLimits.behindMinutes * minuteMs);
  return {
    ...{ topic: 'deliveries', severity: 'warning', screen: 'webhooks' },
    async load(pageIds) {
      const [emails, webhooks, exports] = await Promise.all([
        listLateEmails(sql, { pageIds, before }),
        listLateWebhooks(sql, { pageIds, before }),
        listLateExports(sql, { pageIds, before }),
      ]);
      const late = [
        ...emails.map((row) => ({ ...row, subject: 'emails', name: 'Emails', what: 'Emails' })),
        ...webhooks.map(({ id, origin, ...row }) => {
          const name = URL.parse(origin)?.host ?? 'a webhook';
          return { ...row, subject: id, name, what: `Deliveries to ${name}` };
        }),
        ...exports.map((row) => ({
          ...{ ...row, subject: 'figure-export', name: 'the export of figures' },
          what: 'Hours of the export of figures',
        })),
      ];
      return late.map(({ pageId, subject, name, what, waiting, oldestAt }) => ({
        ...{ pageId, subject, name, since: oldestAt },
        title: `${what} are behind`,
        text: '',
        facts: [
          { name: 'Waiting', value: String(waiting) },
          { name: 'Since', value: formatTime(oldestAt) },
        ],
      }));
    },
    async explainEnd(_pageId, { subject, name, since }) {
      const title =
        subject === 'emails' ? 'No email is behind any more' : `Nothing for ${name} is behind any more`;
      return { title, text: '', facts: [lasted(since, now)] };
    },
    many: {
      begin: (count) => `${count} receivers are behind`,
      end: (count) => `None of the ${count} receivers is behind any more`,
    },
  };
}
