import type { Clock } from '../../../lib/clock.js';
import type { SubscriberId } from '../../../lib/ids.js';
import type { Sql, Transaction } from '../../../sql/open-postgres.js';
import { type Courier, type Outcome, park } from '../../delivery/index.js';
import { type EmailAnnouncement, loadEmailAnnouncements } from './announcements.js';
import { composeAnnouncement, composeConfirmation } from './compose.js';
import { composeNotice } from './compose-notice.js';
import { batchSize, type ClaimedEmail, emailQueue, emailTable, refusalOf } from './email-queue.js';
import { createMailCourier, type Failure, type MailDeps } from './mail-courier.js';
import { type OutgoingMessage, smtpConnections } from './smtp.js';

type Deps = MailDeps & { originOf: (hostname: string) => string };

/** Returns the courier of the emails of pages, which sends several at once. An address that bounces is suppressed. */
export function createEmailCourier(deps: Deps): Courier<ClaimedEmail, Outcome & { bounced: boolean }> {
  return createMailCourier<ClaimedEmail>(deps, {
    ...{ queue: emailQueue(deps.sendTimeoutMs), lanes: smtpConnections, batchSize },
    async open(claimed) {
      const refused = await parkRefused(deps, claimed);
      const due = claimed.filter((email) => !refused.has(email));
      const asked = due.filter(({ kind }) => kind === 'confirmation');
      await recordConfirmationsSent(
        deps,
        asked.flatMap(({ subscriberId }) => subscriberId ?? []),
      );
      const ids = due.flatMap(({ announcementId }) => announcementId ?? []);
      const announcements = await loadEmailAnnouncements(deps.sql, [...new Set(ids)]);
      return (email) => (refused.has(email) ? undefined : () => composeEmail(deps, email, announcements));
    },
    onBounce: suppress,
    logFailures: (failures) => logFailures(deps, failures),
  });
}

/** Parks the emails to addresses that have unsubscribed or bounced since they were queued, and returns them. */
async function parkRefused(
  { sql, clock }: Deps,
  claimed: readonly ClaimedEmail[],
): Promise<ReadonlySet<ClaimedEmail>> {
  const refused = new Map<string, ClaimedEmail[]>();
  for (const email of claimed) {
    const reason = refusalOf(email);
    if (reason !== undefined) refused.set(reason, [...(refused.get(reason) ?? []), email]);
  }
  for (const [reason, emails] of refused) {
    const which = sql`q.id = any (${emails.map(({ id }) => id)}::uuid[])`;
    await park(sql, emailTable, { which, reason, now: clock.now() });
  }
  return new Set([...refused.values()].flat());
}

/** Starts the lifetime of the links in confirmations, which begins when they may first be read. */
async function recordConfirmationsSent(
  { sql, clock }: { sql: Sql; clock: Clock },
  ids: readonly SubscriberId[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update subscribers set confirmation_sent_at = ${new Date(clock.now())}
    where id = any (${[...ids]}::uuid[])`;
}

function composeEmail(
  { secretKey, originOf, smtp, clock }: Deps,
  email: ClaimedEmail,
  announcements: ReadonlyMap<string, EmailAnnouncement>,
): OutgoingMessage {
  const deps = { secretKey, originOf, from: smtp.from, now: clock.now() };
  if (email.notice !== null) return composeNotice(deps, email, email.notice);
  if (email.announcementId === null) return composeConfirmation(deps, email);
  const announcement = announcements.get(email.announcementId);
  if (announcement === undefined) throw new Error('The incident of the email is gone.');
  return composeAnnouncement(deps, email, announcement);
}

/** Notes that an address of a page bounced, so that it gets nothing more. */
export async function suppress(
  tx: Transaction,
  { pageId, email }: Pick<ClaimedEmail, 'pageId' | 'email'>,
  now: number,
): Promise<void> {
  await tx`
    insert into suppressions (page_id, email, reason, created_at)
    values (${pageId}, ${email}, 'bounced', ${new Date(now)})
    on conflict (page_id, email) do update set reason = 'bounced', created_at = excluded.created_at`;
}

/** Logs one line for each batch. */
function logFailures({ log }: Deps, failures: readonly Failure<ClaimedEmail>[]): void {
  const last = failures.at(-1);
  const count = (outcome: Failure<ClaimedEmail>['outcome']) =>
    failures.filter((failure) => failure.outcome === outcome).length;
  const counts = { bounced: count('bounced'), parked: count('parked'), retried: count('retried') };
  log.warn({ ...counts, code: last?.code, responseCode: last?.responseCode }, 'Emails were not delivered.');
}
