import type { Clock } from '../../lib/clock.js';
import type { Passwords } from '../../lib/secrets/passwords.js';
import { hashSecret, newSecret } from '../../lib/secrets/secrets.js';
import { dayMs } from '../../lib/times.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { findPageId } from '../pages/index.js';
import { linkEnded } from './invitations.js';
import { addRole } from './page-roles.js';
import { parsePassword } from './password-rules.js';
import { type Client, type StartedSession, startSession } from './sessions.js';
import { addUser, parsePersonName, parseUserEmail, type User, userActor } from './user.js';

const setupLinkMs = dayMs;

/** The page that a new installation shows; it belongs to the person who sets up. */
const demoSlug = 'demo';

type Deps = { sql: Sql; clock: Clock };

/**
 * Whether nobody runs the installation yet. People whom an identity provider lets in before that are no admins, so that
 * they do not use up the first run.
 */
export async function needsSetUp({ sql }: { sql: Sql | Transaction }): Promise<boolean> {
  const [admin] = await sql`select 1 from users where is_admin limit 1`;
  return admin === undefined;
}

/**
 * Makes a link that makes the first admin, within a day. `token` is for setupPath(); nothing else returns or stores it.
 * Earlier links keep working. Returns `undefined` when there is an admin.
 */
export async function createSetupLink({ sql, clock }: Deps): Promise<{ token: string } | undefined> {
  if (!(await needsSetUp({ sql }))) return undefined;
  const token = newSecret();
  const now = clock.now();
  await sql`
    insert into setup_links (token_hash, created_at, expires_at)
    values (decode(${hashSecret(token)}, 'hex'), ${new Date(now)}, ${new Date(now + setupLinkMs)})`;
  return { token };
}

/** Whether the link with this token makes the first admin. */
export async function findSetupLink({ sql, clock }: Deps, token: string): Promise<boolean> {
  const [link] = await sql`
    select 1 from setup_links
    where token_hash = decode(${hashSecret(token)}, 'hex') and expires_at > ${new Date(clock.now())}
      and not exists (select 1 from users where is_admin)`;
  return link !== undefined;
}

export type SetUpInput = Client & {
  token: string;
  email: string;
  name: string;
  password: string;
  language?: string | undefined;
};

/**
 * Makes the first admin, who runs the installation, owns the demo page when nobody else does, and is signed in. Of two at
 * once, one wins.
 *
 * @throws ServiceError `notFound` when the link no longer works, `invalidBody` that names the field, `conflict` when
 *   somebody has the email, `overloaded`
 */
export async function setUp(
  deps: Deps & { passwords: Passwords },
  { token, password, language, email: text, name: called, ...client }: SetUpInput,
): Promise<StartedSession> {
  const { sql, clock, passwords } = deps;
  if (!(await findSetupLink(deps, token))) throw linkEnded();
  const email = parseUserEmail(text);
  const name = parsePersonName(called);
  const stored = await passwords.hash(parsePassword('/password', password, { email, name }), client.address);
  const demoId = await findPageId({ sql }, demoSlug);
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    // Until the commit nobody else makes a user with a link; the one who waits here then finds no link.
    await tx`lock table setup_links in share row exclusive mode`;
    const used = await tx`
      delete from setup_links
      where token_hash = decode(${hashSecret(token)}, 'hex') and expires_at > ${new Date(now)}`;
    if (used.count === 0 || !(await needsSetUp({ sql: tx }))) throw linkEnded();
    await tx`delete from setup_links`;
    const asNew = (user: User): Actor => userActor(user, client.address);
    const user = await addUser(
      tx,
      { by: asNew, now },
      { email, name, password: stored, isAdmin: true, language },
    );
    const [anyone] =
      demoId === undefined ? [] : await tx`select 1 from page_roles where page_id = ${demoId} limit 1`;
    if (demoId !== undefined && anyone === undefined) {
      await addRole(tx, { by: asNew(user), now }, { pageId: demoId, user, role: 'owner' });
    }
    return startSession(tx, { user, now, client, means: 'set-up link' });
  });
}

/** Returns the path of the link that makes the first user, with the token in the fragment as in invitationPath(). */
export function setupPath(token: string): string {
  return `/manage/setup#${token}`;
}
