import { alertLimits } from '../../contract/manage/alerts.js';
import { pruneAlerts } from '../../control/alerts/index.js';
import { pruneMessages } from '../../control/channels/index.js';
import { prunePersonMessages } from '../../control/contact-ways/index.js';
import { pruneAnnouncedTexts, pruneAnnouncements, prunePublishKeys } from '../../control/incidents/index.js';
import { pruneReportEmails } from '../../control/reports/index.js';
import { pruneAccountEmails, pruneEmails } from '../../control/subscribers/index.js';
import { pruneTranslations } from '../../control/translations/index.js';
import { pruneDeliveries, removeDeletedWebhooks } from '../../control/webhooks/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { dayMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';

const keptMs = 30 * dayMs;

type Deps = { sql: Sql; clock: Clock; log: Log };

/**
 * Deletes the rows of deleted webhooks; webhook deliveries, emails, and messages to channels and people that ended 30 days ago;
 * announcements of that age that have none left; the texts that no announcement shows any more; and translations of that
 * age whose text the page no longer shows. Pending ones stay. Alerts and silences go 400 days after their end. Keys of requests that published something go after two days.
 */
export async function pruneNotifications({ sql, clock, log }: Deps): Promise<void> {
  const before = new Date(clock.now() - keptMs);
  await removeDeletedWebhooks(sql);
  const webhookDeliveries = await pruneDeliveries(sql, before);
  const emails =
    (await pruneEmails(sql, before)) +
    (await pruneAccountEmails(sql, before)) +
    (await pruneReportEmails(sql, before));
  const channelMessages = await pruneMessages(sql, before);
  const personMessages = await prunePersonMessages(sql, before);
  // After deliveries and emails, because an announcement goes when it has none left.
  const announcements = await pruneAnnouncements(sql, before);
  await pruneAnnouncedTexts(sql);
  const translations = await pruneTranslations(sql, before);
  const alerts = await pruneAlerts(sql, new Date(clock.now() - alertLimits.keptDays * dayMs));
  const publishKeys = await prunePublishKeys({ sql, clock });
  log.info(
    {
      webhookDeliveries,
      emails,
      channelMessages,
      personMessages,
      announcements,
      translations,
      alerts,
      publishKeys,
    },
    'Old notifications were deleted.',
  );
}
