import { signAlertLink } from '../../control/alerts/index.js';
import type { Clock } from '../../lib/clock.js';
import { type AlertId, type ChannelId, newId, type PageId, type UserId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { accountPaths } from '../../web/account/manage-paths.js';
import { testSecretKey } from './embedded-stores.js';

type Deps = { sql: Sql; clock: Clock };

/** An open alert of a page about failing requests, which nobody has been told of unless `batch` says with which. */
export async function makeAlert(
  { sql, clock }: Deps,
  pageId: PageId,
  fields: { title?: string; severity?: string; startedAt?: number; batch?: AlertId } = {},
): Promise<AlertId> {
  const { title = '9 % of the requests fail', severity = 'page', startedAt = clock.now(), batch } = fields;
  const id = newId<AlertId>(startedAt);
  await sql`insert into alerts ${sql({
    ...{ id, page_id: pageId, rule_slug: 'checkout', rule_name: 'Checkout fails', kind: 'failure-rate' },
    ...{ group_key: '', group_name: '', service: 'shop', severity, title, value: 9, threshold: 5 },
    ...{ evidence: sql.json({ requests: 100, errors: 9 }), started_at: new Date(startedAt) },
    ...(batch !== undefined && { told_batch: batch, told_at: new Date(startedAt) }),
  })}`;
  return id;
}

/** The path of the link that a person or a channel gets in a message about an alert. */
export function alertLinkPath(
  alertId: AlertId,
  recipient: { type: 'person'; id: UserId } | { type: 'channel'; id: ChannelId },
  secretKey = testSecretKey,
): string {
  return `${accountPaths.alertLink}?token=${signAlertLink(secretKey, { alertId, recipient })}`;
}
