import { dayOfAttempts } from '../../../lib/back-off.js';
import { minuteMs } from '../../../lib/times.js';
import type { Fragment, Sql } from '../../../sql/open-postgres.js';
import { openColumn } from '../../../sql/sealed-columns.js';
import type { Claim, Claimed, Courier, Outcome } from '../../delivery/index.js';
import type { AccountEmailContent, NewAccountEmail } from '../queue-account-email.js';
import { composeAccountEmail } from './compose-account.js';
import { createMailCourier, type MailDeps } from './mail-courier.js';

const batchSize = 5;

/** An email that this instance alone may send until its lease ends. */
type ClaimedAccountEmail = Claimed &
  Omit<NewAccountEmail, 'content'> & { kind: AccountEmailContent['kind']; sealed: Buffer };

/**
 * Returns the courier of emails to people with an account, which sends one after the other. An email whose link has
 * ended is not sent. The link is deleted once its email is sent or parked.
 */
export function createAccountCourier(
  deps: MailDeps,
): Courier<ClaimedAccountEmail, Outcome & { bounced: boolean }> {
  const { smtp, clock, log, secretKey } = deps;
  return createMailCourier<ClaimedAccountEmail>(deps, {
    queue: {
      ...{ table: 'account_emails', schedule: dayOfAttempts, selectHeads, selectClaimed },
      leaseMs: batchSize * deps.sendTimeoutMs + minuteMs,
    },
    ...{ lanes: 1, batchSize, columnsAtEnd: { content: null } },
    open: async () => (email) => () => {
      const content = openContent(secretKey, email);
      return content === undefined
        ? { refused: 'the link cannot be decrypted: HEARTLINE_SECRET_KEY has changed' }
        : composeAccountEmail({ from: smtp.from, now: clock.now() }, { ...email, content });
    },
    logFailures(failures) {
      for (const { row, outcome } of failures)
        log.warn({ kind: row.kind, outcome }, 'An email to a person with an account was not delivered.');
    },
  });
}

function selectHeads({ sql, now, room, isDue }: Claim): Fragment {
  return sql`
    head as (
      select id, null::uuid as page_id, '' as key, next_attempt_at, 0 as seq,
        row_number() over (order by next_attempt_at) as turn
      from account_emails where ${isDue('account_emails')} and expires_at > ${new Date(now)}
      order by next_attempt_at limit ${room.free}
    )`;
}

function selectClaimed(sql: Sql): Fragment {
  return sql`
    select id, null as "pageId", kind, recipient, language, attempts, expires_at as "expiresAt", content as sealed
    from claimed order by next_attempt_at`;
}

/** Returns `undefined` when no key of this instance opens the content. */
function openContent(
  secretKey: string,
  { id, sealed }: ClaimedAccountEmail,
): AccountEmailContent | undefined {
  try {
    return JSON.parse(openColumn(secretKey, 'account-email', id, sealed));
  } catch {
    return undefined;
  }
}
