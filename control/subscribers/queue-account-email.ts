import type { PageRole } from '../../contract/permissions.js';
import { type EmailId, newId } from '../../lib/ids.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { sealColumn } from '../../sql/sealed-columns.js';

/** The content of an email to a person with an account. `link` lets its holder in, so nothing keeps it in the clear. */
export type AccountEmailContent =
  | {
      kind: 'invitation';
      link: string;
      invitedBy: string;
      /** Name of the page; absent for an invitation to run the installation. */
      page?: string | undefined;
      role?: PageRole | undefined;
    }
  | {
      kind: 'reset';
      link: string;
      /** Whether the link proves the email for the first time, which ends the authenticator app of before. */
      isFirstProof?: boolean | undefined;
    };

export type NewAccountEmail = {
  recipient: string;
  /** A language tag. */
  language: string;
  content: AccountEmailContent;
  /** When the link ends; the email is not sent after that. */
  expiresAt: Date;
};

/**
 * Queues an email to a person, in the transaction of the change that it is about where there is one. Call it only where an
 * SMTP server is configured: without one the email waits until its link has ended.
 *
 * @param deps.now milliseconds since the epoch
 */
export async function queueAccountEmail(
  tx: Sql | Transaction,
  { secretKey, now }: { secretKey: string; now: number },
  { recipient, language, content, expiresAt }: NewAccountEmail,
): Promise<void> {
  const id = newId<EmailId>(now);
  const sealed = sealColumn(secretKey, 'account-email', id, JSON.stringify(content));
  await tx`
    insert into account_emails (id, kind, recipient, language, content, next_attempt_at, created_at, expires_at)
    values (${id}, ${content.kind}, ${recipient}, ${language}, ${sealed}, ${new Date(now)}, ${new Date(now)},
      ${expiresAt})`;
}
