import t from 'tap';
import {
  acceptInvitation,
  acceptInvitationAs,
  createInvitation,
  createResetLink,
  createSetupLink,
  findInvitation,
  findResetLink,
  findSetupLink,
  findSignedIn,
  listInvitations,
  listPeople,
  needsSetUp,
  prunePeople,
  requestPasswordReset,
  resetPassword,
  revokeInvitation,
  setUp,
  signIn,
  signInWithIdentity,
} from '../../../control/people/index.js';
import { newSecret } from '../../../lib/secrets/secrets.js';
import { dayMs } from '../../../lib/times.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makePage } from '../../support/pages.js';
import { client, listActions, makePerson, openPeople, password } from './support.js';

const notFound = likeServiceError('notFound');
const conflict = likeServiceError('conflict');
const email = 'ada@example.com';
const asNew = { ...client, name: 'Ada', password };

t.test('a new person accepts an invitation once', async (t) => {
  const deps = await openPeople(t);
  const { id: pageId } = await makePage(deps.sql);
  const { token } = await createInvitation(deps, { pageId, role: 'editor', email: 'Ada@example.com' });
  t.match(await findInvitation(deps, token), {
    email,
    role: 'editor',
    page: { slug: 'acme' },
    account: 'untold',
  });
  const outcomes = await Promise.allSettled([1, 2].map(() => acceptInvitation(deps, { ...asNew, token })));
  const kinds = outcomes.map((one) => (one.status === 'rejected' ? one.reason.kind : 'in')).sort();
  t.equal(kinds.filter((kind) => kind === 'in').length, 1, String(kinds));
  t.match(await listPeople(deps, { pageId, limit: 10 }), [{ email, role: 'editor' }]);
  await t.rejects(acceptInvitation(deps, { ...asNew, token }), notFound);
  t.same(await listInvitations(deps, { pageId, limit: 10 }), []);
});

t.test('a person with an account accepts when signed in, and no other person does', async (t) => {
  const deps = await openPeople(t);
  const { id: pageId } = await makePage(deps.sql);
  const ada = await makePerson(deps, email);
  const bob = await makePerson(deps, 'bob@example.com');
  const { token } = await createInvitation(deps, { pageId, role: 'responder', email });
  await t.rejects(acceptInvitation(deps, { ...asNew, token }), conflict);
  await t.rejects(acceptInvitationAs(deps, { token, userId: bob.id }), likeServiceError('notAllowed'));
  await acceptInvitationAs(deps, { token, userId: ada.id });
  await t.rejects(acceptInvitationAs(deps, { token, userId: ada.id }), notFound);
  await t.rejects(
    createInvitation(deps, { pageId, role: 'owner', email }),
    conflict,
    'there is a role already',
  );
});

t.test('an invitation without a page makes an admin', async (t) => {
  const deps = await openPeople(t);
  const { token } = await createInvitation(deps, { pageId: null, role: null, email });
  const started = await acceptInvitation(deps, { ...asNew, token });
  t.match(await findSignedIn(deps, started.token), { isAdmin: true });
});

t.test('an invitation ends by another one, by being revoked, and after seven days', async (t) => {
  const deps = await openPeople(t);
  const [page, other] = [await makePage(deps.sql), await makePage(deps.sql, { slug: 'other' })];
  const invite = () => createInvitation(deps, { pageId: page.id, role: 'viewer', email });
  const first = await invite();
  const second = await invite();
  t.equal(await findInvitation(deps, first.token), undefined);
  const { id } = second.invitation;
  await t.rejects(revokeInvitation(deps, { id, pageId: other.id }), notFound);
  await revokeInvitation(deps, { id, pageId: page.id });
  await t.rejects(acceptInvitation(deps, { ...asNew, token: second.token }), notFound);
  const third = await invite();
  deps.clock.advance(7 * dayMs);
  t.equal(await findInvitation(deps, third.token), undefined);
  t.equal(await findInvitation(deps, newSecret()), undefined, 'a guess');
  deps.clock.advance(31 * dayMs);
  t.equal((await prunePeople(deps)).links, 3);
});

t.test('a page makes 200 invitations a day, revoked ones included', async (t) => {
  const deps = await openPeople(t);
  const { id: pageId } = await makePage(deps.sql);
  const at = new Date(deps.clock.now());
  await deps.sql`
    insert into invitations (id, page_id, email, role, token_hash, invited_by, created_at, expires_at, revoked_at)
    select gen_random_uuid(), ${pageId}, n || '@example.com', 'viewer', sha256(n::text::bytea), 'Ada', ${at}, ${at}, ${at}
    from generate_series(1, 199) as n`;
  const invite = (to: string) => createInvitation(deps, { pageId, role: 'viewer', email: to });
  await invite(email);
  await t.rejects(invite('bob@example.com'), { ...conflict, message: /At most 200 invitations/ });
  deps.clock.advance(dayMs);
  await t.resolves(invite('bob@example.com'));
});

t.test('a link whose email cannot be queued is not made', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, 'ada@example.com');
  const fail = () => Promise.reject(new Error('no queue'));
  const invited = { pageId: null, role: null, email: 'eve@example.com' } as const;
  await t.rejects(createInvitation(deps, invited, fail), /no queue/);
  const asked = { email: 'ada@example.com', address: client.address };
  await t.rejects(requestPasswordReset(deps, asked, fail), /no queue/);
  t.same(await deps.sql`select id from invitations union all select id from reset_links`, []);
});

t.test('nothing stored opens an invitation', async (t) => {
  const deps = await openPeople(t);
  const { token } = await createInvitation(deps, { pageId: null, role: null, email });
  const [row] = await deps.sql<{ text: string; hash: string }[]>`
    select to_jsonb(i)::text || (select string_agg(to_jsonb(a)::text, '') from audit_log a) as text,
      encode(token_hash, 'hex') as hash
    from invitations i`;
  t.notOk(row?.text.includes(token));
  t.equal(await findInvitation(deps, row?.hash ?? ''), undefined);
});

t.test('a reset link sets a password once, and ends all sessions', async (t) => {
  const deps = await openPeople(t);
  const { id } = await makePerson(deps, email);
  const session = await signIn(deps, { ...client, email, password });
  const older = await createResetLink(deps, id);
  const { token } = await createResetLink(deps, id);
  t.equal(await findResetLink(deps, older.token), undefined, 'the newest link counts');
  t.match(await findResetLink(deps, token), { email });
  const next = 'eleven quiet foxes';
  const reset = (given: string) => resetPassword(deps, { token, password: given, address: client.address });
  await t.rejects(reset('short'), likeServiceError('invalidBody'));
  await reset(next);
  await t.rejects(reset(next), notFound);
  t.equal(await findSignedIn(deps, session.token), undefined);
  await t.resolves(signIn(deps, { ...client, email, password: next }));
  const late = await createResetLink(deps, id);
  deps.clock.advance(dayMs);
  t.equal(await findResetLink(deps, late.token), undefined);
});

t.test('anybody may ask for a reset link, ten times in a quarter of an hour', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, email);
  t.ok(await requestPasswordReset(deps, { email, address: client.address }));
  t.equal(
    await requestPasswordReset(deps, { email: 'nobody@example.com', address: client.address }),
    undefined,
  );
  t.equal(await requestPasswordReset(deps, { email: 'x', address: client.address }), undefined);
  for (let n = 3; n < 10; n += 1) await requestPasswordReset(deps, { email: 'x', address: client.address });
  await t.rejects(
    requestPasswordReset(deps, { email, address: client.address }),
    likeServiceError('tooManySignIns'),
  );
  await t.resolves(signIn(deps, { ...client, email, password }), 'asking keeps nobody from signing in');
});

t.test(
  'asking again ends no older link; five work at once, and the first used ends the others',
  async (t) => {
    const deps = await openPeople(t);
    await makePerson(deps, email);
    const ask = () => requestPasswordReset(deps, { email, address: client.address });
    const links = [await ask(), await ask(), await ask(), await ask(), await ask()];
    t.equal(await ask(), undefined, 'a sixth is not made');
    const tokens = links.map((link) => link?.token ?? '');
    for (const token of tokens) t.match(await findResetLink(deps, token), { email });
    await resetPassword(deps, {
      token: tokens[0] ?? '',
      password: 'eleven quiet foxes',
      address: client.address,
    });
    for (const token of tokens) t.equal(await findResetLink(deps, token), undefined);
    t.ok(await ask());
  },
);

t.test('of two first users at once, one runs the installation', async (t) => {
  const deps = await openPeople(t);
  const { id: demoId } = await makePage(deps.sql, { slug: 'demo' });
  t.ok(await needsSetUp(deps));
  const links = [await createSetupLink(deps), await createSetupLink(deps)];
  await t.rejects(setUp(deps, { ...asNew, email, token: newSecret() }), notFound);
  const outcomes = await Promise.allSettled(
    links.map((link, at) => setUp(deps, { ...asNew, email: `p${at}@example.com`, token: link?.token ?? '' })),
  );
  const kinds = outcomes.map((one) => (one.status === 'rejected' ? one.reason.kind : 'in')).sort();
  t.same(kinds, ['in', 'notFound']);
  const people = await listPeople(deps, { pageId: demoId, limit: 10 });
  t.match(people, [{ role: 'owner' }]);
  t.equal(await createSetupLink(deps), undefined);
  for (const link of links) t.notOk(await findSetupLink(deps, link?.token ?? ''));
  const [count] =
    await deps.sql`select count(*)::int as users, count(*) filter (where is_admin)::int as admins from users`;
  t.same(count, { users: 1, admins: 1 });
  t.ok((await listActions(deps)).includes('session.create'));
});

t.test('a set-up link ends after a day, and once there is an admin', async (t) => {
  const deps = await openPeople(t);
  const late = await createSetupLink(deps);
  deps.clock.advance(dayMs);
  t.notOk(await findSetupLink(deps, late?.token ?? ''));
  const link = await createSetupLink(deps);
  await makePerson(deps, email, { isAdmin: true });
  await t.rejects(setUp(deps, { ...asNew, email: 'bob@example.com', token: link?.token ?? '' }), notFound);
  t.notOk(await needsSetUp(deps));
});

t.test('people whom an identity provider lets in do not use up the first run', async (t) => {
  const deps = await openPeople(t);
  await makePage(deps.sql, { slug: 'demo' });
  const link = await createSetupLink(deps);
  const identity = {
    issuer: 'https://id.example.com',
    subject: 's1',
    email,
    emailVerified: true,
    name: 'Ada',
  };
  await signInWithIdentity(deps, { ...identity, ...client, grants: [{ pageSlug: 'demo', role: 'owner' }] });
  t.ok(await needsSetUp(deps));
  t.ok(await createSetupLink(deps), 'the next start prints a link too');
  const setUpAs = (as: string) => setUp(deps, { ...asNew, email: as, token: link?.token ?? '' });
  await t.rejects(setUpAs(email), likeServiceError('conflict'), 'nobody takes over an account');
  await t.resolves(setUpAs('bob@example.com'));
  t.notOk(await needsSetUp(deps));
});
