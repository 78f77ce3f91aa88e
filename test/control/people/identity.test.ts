import t from 'tap';
import {
  acceptInvitation,
  acceptInvitationAs,
  beginTotp,
  changeRole,
  changeUser,
  createInvitation,
  createResetLink,
  findResetLink,
  findSignedIn,
  giveRole,
  type Identity,
  listPeople,
  signIn,
  signInWithIdentity,
} from '../../../control/people/index.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makePage } from '../../support/pages.js';
import { client, makePerson, openPeople, type PeopleDeps, password } from './support.js';

const email = 'ada@example.com';
const issuer = 'https://id.example.com';
const notAllowed = likeServiceError('notAllowed');

async function enter(deps: PeopleDeps, identity: Partial<Identity> = {}) {
  const { token } = await signInWithIdentity(deps, {
    ...{ issuer, subject: 's1', email, emailVerified: true, name: 'Ada', grants: [] },
    ...identity,
    ...client,
  });
  const signedIn = await findSignedIn(deps, token);
  return { ...signedIn, roleOn: (slug: string) => signedIn?.roles.get(slug)?.role };
}

t.test('somebody unknown enters with a role from a group or an invitation only', async (t) => {
  const deps = await openPeople(t);
  const { id: pageId } = await makePage(deps.sql);
  await t.rejects(enter(deps), notAllowed);
  await t.rejects(enter(deps, { grants: [{ pageSlug: 'none', role: 'owner' }] }), notAllowed, 'no such page');
  const viaGroup = await enter(deps, { grants: [{ pageSlug: 'acme', role: 'editor' }] });
  t.equal(viaGroup.roleOn('acme'), 'editor');
  t.match(viaGroup, { email, isAdmin: false });
  const { token } = await createInvitation(deps, { pageId, role: 'viewer', email: 'bob@example.com' });
  const bob = { subject: 's2', email: 'bob@example.com' };
  await t.rejects(enter(deps, { ...bob, emailVerified: false }), notAllowed);
  const invited = await enter(deps, bob);
  t.equal(invited.roleOn('acme'), undefined, 'accepting is a step of its own');
  if (invited.userId !== undefined) await acceptInvitationAs(deps, { token, userId: invited.userId });
  t.equal((await enter(deps, bob)).roleOn('acme'), 'viewer');
});

t.test('an account is matched by its email only when the issuer vouches for it', async (t) => {
  const deps = await openPeople(t);
  await makePage(deps.sql);
  const ada = await makePerson(deps, email, { isAdmin: true });
  const grants = [{ pageSlug: 'acme', role: 'viewer' as const }];
  await t.rejects(enter(deps, { emailVerified: false, grants }), notAllowed);
  t.equal((await enter(deps, { email: 'ADA@example.com' })).userId, ada.id);
  t.equal((await enter(deps, { email: 'renamed@example.com' })).userId, ada.id, 'then by the subject');
  await t.rejects(enter(deps, { subject: 'other', grants }), notAllowed, 'the account has an identity');
  await t.rejects(enter(deps, { issuer: 'https://evil.example', grants }), notAllowed);
});

t.test(
  'an account that somebody else made for the email is the person’s alone once it is linked',
  async (t) => {
    const deps = await openPeople(t);
    const { id: pageId } = await makePage(deps.sql);
    const { token } = await createInvitation(deps, { pageId, role: 'viewer', email });
    const stolen = await acceptInvitation(deps, { ...client, token, name: 'Ada', password });
    await beginTotp(deps, { userId: stolen.userId, password, address: client.address });
    const link = await createResetLink(deps, stolen.userId);
    const entered = await enter(deps);
    t.equal(entered.userId, stolen.userId);
    t.equal(entered.roleOn('acme'), 'viewer', 'roles stay');
    await t.rejects(signIn(deps, { ...client, email, password }), likeServiceError('signInRefused'));
    t.equal(await findSignedIn(deps, stolen.token), undefined, 'the session ends');
    t.equal(await findResetLink(deps, link.token), undefined, 'the reset link ends');
    const [row] = await deps.sql`select password_hash, totp_secret from users`;
    t.same(row, { password_hash: null, totp_secret: null });
    const [audit] = await deps.sql`
    select after from audit_log where action = 'user.update' and after ? 'issuer'`;
    t.same(audit?.['after'], { issuer, emailProven: true, passwordRemoved: true });
    t.equal((await enter(deps)).userId, stolen.userId);
  },
);

t.test('nobody gets an account with an email that is not verified', async (t) => {
  const deps = await openPeople(t);
  await makePage(deps.sql);
  const grants = [{ pageSlug: 'acme', role: 'viewer' as const }];
  await t.rejects(enter(deps, { emailVerified: false, grants }), notAllowed);
  t.same(await deps.sql`select id from users`, []);
});

t.test('a disabled user stays out', async (t) => {
  const deps = await openPeople(t);
  await makePage(deps.sql);
  const { id } = await makePerson(deps, email);
  await enter(deps);
  await changeUser(deps, { id, isDisabled: true });
  await t.rejects(enter(deps, { grants: [{ pageSlug: 'acme', role: 'owner' }] }), notAllowed);
});

t.test('roles of groups follow the groups, and those that people gave stay', async (t) => {
  const deps = await openPeople(t);
  const [acme, other] = [await makePage(deps.sql), await makePage(deps.sql, { slug: 'other' })];
  const { id: userId } = await makePerson(deps, email);
  await giveRole(deps, { pageId: other.id, userId, role: 'viewer' });
  await giveRole(deps, {
    pageId: acme.id,
    userId: (await makePerson(deps, 'bo@example.com')).id,
    role: 'owner',
  });
  const both = (role: 'viewer' | 'editor' | 'owner') => ({
    grants: [
      { pageSlug: 'acme', role },
      { pageSlug: 'other', role: 'owner' as const },
    ],
  });
  const first = await enter(deps, both('owner'));
  t.same([first.roleOn('acme'), first.roleOn('other')], ['owner', 'viewer']);
  t.equal((await enter(deps, both('editor'))).roleOn('acme'), 'editor');
  t.equal((await enter(deps)).roleOn('acme'), undefined, 'nobody in a group has no role of it');
  const twice = [...both('viewer').grants, ...both('editor').grants];
  t.equal((await enter(deps, { grants: twice })).roleOn('acme'), 'editor', 'the highest counts');
  await giveRole(deps, { pageId: acme.id, userId, role: 'owner' });
  t.equal((await enter(deps)).roleOn('acme'), 'owner', 'given by hand since');
});

t.test('groups neither remove nor demote the last owner of a page', async (t) => {
  const deps = await openPeople(t);
  const { id: pageId } = await makePage(deps.sql);
  const grant = (role: 'viewer' | 'owner') => ({ grants: [{ pageSlug: 'acme', role }] });
  const first = await enter(deps, grant('owner'));
  t.equal((await enter(deps, grant('viewer'))).roleOn('acme'), 'owner');
  t.equal((await enter(deps)).roleOn('acme'), 'owner');
  const refused = changeRole(deps, { pageId, userId: first.userId ?? '', role: 'viewer' });
  await t.rejects(refused, likeServiceError('conflict'), 'as by hand');
  const second = { subject: 's2', email: 'bo@example.com' };
  const { userId: other } = await enter(deps, { ...second, ...grant('owner') });
  t.equal((await enter(deps, grant('viewer'))).roleOn('acme'), 'viewer', 'once there is another owner');
  if (other !== undefined) await changeUser(deps, { id: other, isDisabled: true });
  await enter(deps, grant('owner'));
  t.equal((await enter(deps)).roleOn('acme'), 'owner', 'an owner who may not sign in is none');
});

t.test('of two last owners whose groups end at once, one stays', async (t) => {
  const deps = await openPeople(t);
  const pages = [await makePage(deps.sql), await makePage(deps.sql, { slug: 'other' })];
  const grants = ['acme', 'other'].map((pageSlug) => ({ pageSlug, role: 'owner' as const }));
  const second = { subject: 's2', email: 'bo@example.com' };
  await enter(deps, { grants });
  await enter(deps, { ...second, grants });
  await Promise.all([enter(deps), enter(deps, second)]);
  for (const { id: pageId } of pages) {
    t.match(await listPeople(deps, { pageId, limit: 10 }), [{ role: 'owner' }]);
  }
});

t.test('somebody who arrives twice at once gets one account', async (t) => {
  const deps = await openPeople(t);
  await makePage(deps.sql);
  const grants = [{ pageSlug: 'acme', role: 'viewer' as const }];
  const [one, two] = await Promise.all([enter(deps, { grants }), enter(deps, { grants })]);
  t.equal(one.userId, two.userId);
});

t.test('a name with what names cannot have is made plain', async (t) => {
  const deps = await openPeople(t);
  await makePage(deps.sql);
  const grants = [{ pageSlug: 'acme', role: 'viewer' as const }];
  t.match(await enter(deps, { grants, name: 'Ada\r\nBcc: x' }), { name: 'Ada  Bcc: x' });
  t.match(await enter(deps, { grants, subject: 's2', email: 'b@example.com', name: ' ' }), {
    name: 'b@example.com',
  });
});
