import { findPages } from '../../control/pages/index.js';
import { type CreatedInvitation, findUserByEmail, invitationPath } from '../../control/people/index.js';
import { queueAccountEmail } from '../../control/subscribers/index.js';
import type { Clock } from '../../lib/clock.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { SignInOptions } from './sign-in-options.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  secretKey: string;
  baseUrl(): string;
  signInOptions: SignInOptions;
};

/**
 * Returns what queues an email with a link of an invitation to a page, in the transaction that makes the invitation, in
 * the language of the invited person or of the page; `undefined` without a mail server. The answer to the inviter has
 * another link in any case.
 */
export async function prepareInvitationMail(
  { sql, clock, secretKey, baseUrl, signInOptions: { mailsLinks } }: Deps,
  { slug }: { slug: string },
): Promise<((tx: Transaction, created: CreatedInvitation) => Promise<void>) | undefined> {
  if (!mailsLinks) return undefined;
  const [page] = await findPages({ sql }, { slugs: [slug] });
  return async (tx, { invitation: { email, invitedBy, role, expiresAt }, token }) => {
    const known = await findUserByEmail(tx, email);
    const link = new URL(invitationPath(token), baseUrl()).href;
    await queueAccountEmail(
      tx,
      { secretKey, now: clock.now() },
      {
        recipient: email,
        language: known?.language ?? page?.defaultLanguage ?? 'en',
        content: { kind: 'invitation', link, invitedBy, page: page?.name, role: role ?? undefined },
        expiresAt,
      },
    );
  };
}
