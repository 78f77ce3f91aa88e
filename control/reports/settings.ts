import { isDeepStrictEqual } from 'node:util';
import type { PutReportSettings, ReportSettings } from '../../contract/manage/report-settings.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';
import { findPeople } from '../schedules/index.js';
import { lastDue } from './periods.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

const noSettings: ReportSettings = { every: null, recipients: [], toSubscribers: false };

/** Loads who gets the reports of a page; nobody until somebody sets it. People without a role on the page are left out. */
export async function loadReportSettings(
  { sql }: { sql: Sql | Transaction },
  pageId: PageId,
): Promise<ReportSettings> {
  const [settings] = await sql<ReportSettings[]>`
    select s.every, array(
        select u.email from report_recipients t join users u on u.id = t.user_id
          join page_roles r on r.page_id = t.page_id and r.user_id = t.user_id
        where t.page_id = s.page_id order by u.email) as recipients,
      s.to_subscribers as "toSubscribers"
    from report_settings s where s.page_id = ${pageId}`;
  return settings ?? noSettings;
}

/**
 * Sets who gets the reports of a page. The first report is of the week or month that is due next. The same again changes
 * nothing.
 *
 * @param check gets the settings as they are, in the transaction of the change, and may refuse it by throwing.
 * @throws ServiceError `invalidBody` for an email of nobody on the page, and one that is there twice; `notFound` when there is
 *   no such page; what `check` throws.
 */
export async function putReportSettings(
  { sql, clock, by }: Deps,
  { pageId, every, recipients = [], toSubscribers = false }: PutReportSettings & { pageId: PageId },
  check?: (current: ReportSettings) => void,
): Promise<ReportSettings> {
  return inTransaction(sql, async (tx) => {
    const timeZone = await lockPage(tx, pageId);
    const before = await loadReportSettings({ sql: tx }, pageId);
    check?.(before);
    const people = await findRecipients(tx, pageId, recipients);
    const after = { every, recipients: [...people.keys()].sort(), toSubscribers };
    if (isDeepStrictEqual(before, after)) return before;
    const now = clock.now();
    const covered = every === null ? noDay : lastDue(now, { every, timeZone }).firstDay;
    await tx`
      insert into report_settings (page_id, every, to_subscribers, covered, updated_at)
      values (${pageId}, ${every}, ${toSubscribers}, ${covered}, ${new Date(now)})
      on conflict (page_id) do update set every = excluded.every, to_subscribers = excluded.to_subscribers,
        updated_at = excluded.updated_at,
        covered = case when report_settings.every = excluded.every then report_settings.covered else excluded.covered end`;
    await tx`delete from report_recipients where page_id = ${pageId}`;
    await tx`
      insert into report_recipients (page_id, user_id)
      select ${pageId}, id from unnest(${[...people.values()]}::uuid[]) id`;
    await recordChange(
      tx,
      { by, now },
      {
        ...{
          pageId,
          action: 'report-settings.update',
          target: { type: 'report-settings', id: pageId, name: 'reports' },
        },
        ...{ before, after },
      },
    );
    return after;
  });
}

/** Before every day that reports are about. */
const noDay = '0001-01-01';

/** Returns the time zone of the page. */
async function lockPage(tx: Transaction, pageId: PageId): Promise<string> {
  const [page] = await tx<{ timeZone: string }[]>`
    select time_zone as "timeZone" from pages where id = ${pageId} for no key update`;
  if (page === undefined) throw new ServiceError('notFound');
  return page.timeZone;
}

async function findRecipients(tx: Transaction, pageId: PageId, recipients: readonly string[]) {
  const emails = recipients.map((email) => email.trim().toLowerCase());
  const twice = emails.findIndex((email, at) => emails.indexOf(email) !== at);
  if (twice >= 0) {
    throw new ServiceError('invalidBody', {
      message: `/recipients/${twice} must be another one than those before it.`,
    });
  }
  return findPeople(
    tx,
    pageId,
    emails.map((email, at) => ({ email, field: `/recipients/${at}` })),
  );
}
