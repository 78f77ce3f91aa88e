import t from 'tap';
import {
  acceptInvitation,
  acceptInvitationAs,
  beginTotp,
  confirmTotp,
  createInvitation,
  createResetLink,
  findInvitation,
  findResetLink,
  findSignedIn,
  findUserByEmail,
  listPeople,
  requestPasswordReset,
  resetPassword,
  signIn,
} from '../../../control/people/index.js';
import type { PageId } from '../../../lib/ids.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makePage } from '../../support/pages.js';
import { totpCode } from '../../support/totp.js';
import { client, makePerson, openPeople, type PeopleDeps, password } from './support.js';

const notFound = likeServiceError('notFound');
const conflict = likeServiceError('conflict');
const refused = likeServiceError('signInRefused');
const email = 'vera@example.com';
const own = 'nine patient herons';

/** Invites as a service with a mail server does. `mailed` is the token that only the email has. */
async function invite(deps: PeopleDeps, pageId: PageId, to = email) {
  let mailed = '';
  const { token: shown } = await createInvitation(
    deps,
    { pageId, role: 'editor', email: to },
    async (_, made) => {
      mailed = made.token;
    },
  );
  return { shown, mailed };
}

const asNew = (token: string, name: string, chosen: string) => ({ ...client, token, name, password: chosen });

type Session = Pick<Awaited<ReturnType<typeof signIn>>, 'userId' | 'sessionId'>;

/** Sets up an app with a session. */
async function addApp(deps: PeopleDeps, { userId, sessionId }: Session, has = password) {
  const { secret } = await beginTotp(deps, { userId, password: has, address: client.address });
  const code = totpCode(secret, deps.clock.now());
  return confirmTotp(deps, { userId, sessionId, code });
}

/** An account in the name of another person, made with the link that the inviter was shown. */
async function squat(deps: PeopleDeps) {
  const { id: pageId } = await makePage(deps.sql);
  const links = await invite(deps, pageId);
  const stolen = await acceptInvitation(deps, asNew(links.shown, 'Not Vera', password));
  const { recoveryCodes } = await addApp(deps, stolen);
  const late = await signIn(deps, { ...client, email, password, code: recoveryCodes[0] });
  const printed = await createResetLink(deps, stolen.userId);
  return { pageId, links, stolen, late, recoveryCodes, printed };
}

/** Each way into the account that its maker had; those that still work. */
async function waysLeft(deps: PeopleDeps, made: Awaited<ReturnType<typeof squat>>): Promise<string[]> {
  const ways: Record<string, () => Promise<unknown>> = {
    'the first session': () => findSignedIn(deps, made.stolen.token),
    'a later session': () => findSignedIn(deps, made.late.token),
    'the password': () =>
      signIn(deps, { ...client, email, password }).catch((error) => error.kind === 'codeRequired'),
    'a recovery code': () =>
      signIn(deps, { ...client, email, password, code: made.recoveryCodes[1] }).catch(() => undefined),
    'the printed link': () => findResetLink(deps, made.printed.token),
    'the shown link': () => findInvitation(deps, made.links.shown),
  };
  const left: string[] = [];
  for (const [name, way] of Object.entries(ways)) if (await way()) left.push(name);
  return left;
}

async function updatesOf({ sql }: PeopleDeps): Promise<unknown[]> {
  return [
    ...(await sql`
    select before, after from audit_log
    where action = 'user.update' and after ? 'emailProven' order by at, id`),
  ];
}

t.test('the invited person gets the account that the inviter made with the shown link', async (t) => {
  const deps = await openPeople(t);
  const made = await squat(deps);
  t.same(await waysLeft(deps, made), [
    'the first session',
    'a later session',
    'the password',
    'a recovery code',
    'the printed link',
  ]);
  t.match(
    await findInvitation(deps, made.links.mailed),
    { email, account: 'unproven' },
    'the mailed link works on',
  );
  const vera = await acceptInvitation(deps, asNew(made.links.mailed, 'Vera', own));
  t.equal(vera.userId, made.stolen.userId);
  t.same(await waysLeft(deps, made), []);
  t.match(await findSignedIn(deps, vera.token), { name: 'Vera', hasTotp: false });
  await t.resolves(signIn(deps, { ...client, email, password: own }));
  const ended = likeServiceError('signInRequired');
  await t.rejects(addApp(deps, made.late, own), ended, 'a request that began with an ended session');
  t.match(
    await listPeople(deps, { pageId: made.pageId, limit: 10 }),
    [{ email, role: 'editor' }],
    'roles stay',
  );
  t.same(await updatesOf(deps), [
    {
      before: { emailProven: false, name: 'Not Vera', hasTotp: true, passwordChanged: null },
      after: { emailProven: true, name: 'Vera', hasTotp: false, passwordChanged: true },
    },
  ]);
  await t.rejects(acceptInvitation(deps, asNew(made.links.mailed, 'Eve', own)), notFound, 'it works once');
});

t.test('a mailed link for a new password is a proof as well, and a printed one is none', async (t) => {
  const deps = await openPeople(t);
  const made = await squat(deps);
  const printed = { token: made.printed.token, password: 'ten printed lamps', address: client.address };
  await resetPassword(deps, printed);
  t.match(await findUserByEmail(deps.sql, email), { emailProvenAt: null, hasTotp: true });
  const asked = await requestPasswordReset(deps, { email, address: client.address });
  await resetPassword(deps, { token: asked?.token ?? '', password: own, address: client.address });
  t.same(await waysLeft(deps, made), []);
  t.match(
    await signIn(deps, { ...client, email, password: own }),
    { userId: made.stolen.userId },
    'without a code',
  );
  t.equal((await updatesOf(deps)).length, 1);
});

t.test('after the first proof a link in an email leaves the authenticator app in place', async (t) => {
  const deps = await openPeople(t);
  const { id: pageId } = await makePage(deps.sql);
  const first = await invite(deps, pageId);
  const vera = await acceptInvitation(deps, asNew(first.mailed, 'Vera', password));
  await addApp(deps, vera);
  t.equal(await findInvitation(deps, first.shown), undefined, 'one use ends both links');
  const asked = await requestPasswordReset(deps, { email, address: client.address });
  await resetPassword(deps, { token: asked?.token ?? '', password: own, address: client.address });
  await t.rejects(signIn(deps, { ...client, email, password: own }), likeServiceError('codeRequired'));
  const second = await invite(deps, (await makePage(deps.sql, { slug: 'other' })).id);
  t.match(await findInvitation(deps, second.mailed), { account: 'known' });
  await t.rejects(acceptInvitation(deps, asNew(second.mailed, 'Eve', password)), conflict);
  await acceptInvitationAs(deps, { token: second.mailed, userId: vera.userId });
  t.equal(await findInvitation(deps, second.mailed), undefined);
  t.match(await findUserByEmail(deps.sql, email), { name: 'Vera', hasTotp: true });
});

t.test('the proof gives no role that ended, and enables no account', async (t) => {
  const deps = await openPeople(t);
  const made = await squat(deps);
  await deps.sql`delete from page_roles`;
  await deps.sql`update users set disabled_at = now()`;
  t.equal(await findInvitation(deps, made.links.mailed), undefined);
  await t.rejects(acceptInvitation(deps, asNew(made.links.mailed, 'Vera', own)), notFound);
  await deps.sql`update users set disabled_at = null`;
  await acceptInvitation(deps, asNew(made.links.mailed, 'Vera', own));
  t.same(await listPeople(deps, { pageId: made.pageId, limit: 10 }), []);
});

t.test(
  'the link that the inviter sees does not tell who has an account, and asks for the same work',
  async (t) => {
    const deps = await openPeople(t);
    const { id: pageId } = await makePage(deps.sql);
    await makePerson(deps, 'known@example.com');
    const seen: unknown[] = [];
    for (const to of ['known@example.com', 'unknown@example.com']) {
      const { shown } = await invite(deps, pageId, to);
      const before = deps.passwords.count;
      const { account } = (await findInvitation(deps, shown)) ?? {};
      await t.rejects(acceptInvitation(deps, asNew(shown, 'Eve', 'short')), likeServiceError('invalidBody'));
      await t.rejects(signIn(deps, { ...client, email: to, password: 'wrong' }), refused);
      await acceptInvitation(deps, asNew(shown, 'Eve', own)).catch(() => undefined);
      seen.push({ account, hashes: deps.passwords.count - before });
    }
    t.same(seen[0], { account: 'untold', hashes: 2 });
    t.same(seen[0], seen[1]);
  },
);
