import { channelLimits } from '../../contract/channels.js';
import { dayMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { findCertificateEnd, listEndingCertificates } from '../monitors/index.js';
import type { AlarmSource } from './alarm-source.js';
import { formatTime } from './alarm-source.js';

/** Certificates that checks of monitors met, and that end within two weeks. */
export function certificateAlarms(sql: Sql, now: number): AlarmSource {
  const before = new Date(now + channelLimits.certificateDays * dayMs);
  return {
    ...{ topic: 'certificate', severity: 'warning', screen: 'monitors' },
    async load(pageIds) {
      const ending = await listEndingCertificates(sql, { pageIds, before });
      return ending.map(({ pageId, id, name, endsAt, url }) => ({
        ...{ pageId, subject: id, name, since: new Date(now) },
        title: `The certificate of ${name} ${wordEnd(endsAt, now)}`,
        text: 'Renew it, or browsers and clients refuse to connect.',
        facts: [
          { name: 'Host', value: URL.parse(url)?.host ?? '' },
          { name: 'Ends', value: formatTime(endsAt) },
        ],
      }));
    },
    async explainEnd(pageId, { subject, name }) {
      const endsAt = await findCertificateEnd(sql, { pageId, id: subject });
      if (endsAt === undefined) {
        return { title: `The certificate of ${name} is no longer watched`, text: '', facts: [] };
      }
      return {
        title: `The certificate of ${name} is renewed`,
        text: '',
        facts: [{ name: 'Ends', value: formatTime(endsAt) }],
      };
    },
    many: {
      begin: (count) => `${count} certificates are about to end`,
      end: (count) => `None of the ${count} certificates is about to end any more`,
    },
  };
}

function wordEnd(endsAt: Date, now: number): string {
  const days = Math.floor((endsAt.getTime() - now) / dayMs);
  if (endsAt.getTime() <= now) return 'has ended';
  if (days === 0) return 'ends within a day';
  return days === 1 ? 'ends in 1 day' : `ends in ${days} days`;
}
