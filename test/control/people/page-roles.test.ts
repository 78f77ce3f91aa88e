import t from 'tap';
import type { PageRole } from '../../../contract/permissions.js';
import {
  changeRole,
  changeUser,
  deleteUser,
  findSignedIn,
  findUser,
  giveRole,
  listPeople,
  removePerson,
  signIn,
} from '../../../control/people/index.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makePage } from '../../support/pages.js';
import { client, listActions, makePerson, openPeople, type PeopleDeps, password } from './support.js';

const conflict = likeServiceError('conflict');

async function makePeople(deps: PeopleDeps, roles: readonly PageRole[]) {
  const { id: pageId } = await makePage(deps.sql);
  const people = [];
  for (const [at, role] of roles.entries()) {
    const user = await makePerson(deps, `p${at}@example.com`);
    await giveRole(deps, { pageId, userId: user.id, role });
    people.push(user);
  }
  return { pageId, people };
}

const kindsOf = (outcomes: PromiseSettledResult<unknown>[]) =>
  outcomes.map((one) => (one.status === 'rejected' ? one.reason.kind : 'done')).sort();

t.test('a role counts at the next request', async (t) => {
  const deps = await openPeople(t);
  const { pageId, people } = await makePeople(deps, ['owner', 'viewer']);
  const userId = people[1]?.id ?? '';
  const { token } = await signIn(deps, { ...client, email: 'p1@example.com', password });
  const roleNow = async () => (await findSignedIn(deps, token))?.roles.get('acme')?.role;
  t.equal(await roleNow(), 'viewer');
  await changeRole(deps, { pageId, userId, role: 'editor' });
  t.equal(await roleNow(), 'editor');
  await removePerson(deps, { pageId, userId });
  t.equal(await roleNow(), undefined);
  await t.rejects(removePerson(deps, { pageId, userId }), likeServiceError('notFound'));
  t.same((await listActions(deps)).filter((action) => action.startsWith('role.')).sort(), [
    'role.create',
    'role.create',
    'role.delete',
    'role.update',
  ]);
});

t.test('the last owner can neither leave nor be demoted', async (t) => {
  const deps = await openPeople(t);
  const { pageId, people } = await makePeople(deps, ['owner', 'editor']);
  const userId = people[0]?.id ?? '';
  await t.rejects(removePerson(deps, { pageId, userId }), conflict);
  await t.rejects(changeRole(deps, { pageId, userId, role: 'viewer' }), conflict);
  await changeRole(deps, { pageId, userId: people[1]?.id ?? '', role: 'owner' });
  await changeUser(deps, { id: people[1]?.id ?? '', isDisabled: true });
  await t.rejects(removePerson(deps, { pageId, userId }), conflict, 'an owner who may not sign in is none');
  await changeUser(deps, { id: people[1]?.id ?? '', isDisabled: false });
  await t.resolves(removePerson(deps, { pageId, userId }));
});

t.test('of two last owners who leave at once, one stays', async (t) => {
  const deps = await openPeople(t);
  const { pageId, people } = await makePeople(deps, ['owner', 'owner']);
  const outcomes = await Promise.allSettled(
    people.map(({ id: userId }, at) =>
      at === 0
        ? removePerson(deps, { pageId, userId })
        : changeRole(deps, { pageId, userId, role: 'viewer' }),
    ),
  );
  t.same(kindsOf(outcomes), ['conflict', 'done']);
  const left = await listPeople(deps, { pageId, limit: 10 });
  t.equal(left.filter(({ role }) => role === 'owner').length, 1);
});

t.test('the last admin can neither be disabled, nor demoted, nor deleted', async (t) => {
  const deps = await openPeople(t);
  const { id } = await makePerson(deps, 'ada@example.com', { isAdmin: true });
  await t.rejects(changeUser(deps, { id, isDisabled: true }), conflict);
  await t.rejects(changeUser(deps, { id, isAdmin: false }), conflict);
  await t.rejects(deleteUser(deps, { id }), conflict);
  await changeUser(deps, { id, name: 'Ada' });
  const other = await makePerson(deps, 'bob@example.com', { isAdmin: true });
  const outcomes = await Promise.allSettled([
    changeUser(deps, { id, isAdmin: false }),
    deleteUser(deps, { id: other.id }),
  ]);
  t.same(kindsOf(outcomes), ['conflict', 'done']);
});

t.test('a deleted user is gone with sessions and roles, and the log keeps the name', async (t) => {
  const deps = await openPeople(t);
  const { pageId, people } = await makePeople(deps, ['owner']);
  const id = people[0]?.id ?? '';
  const { token } = await signIn(deps, { ...client, email: 'p0@example.com', password });
  await deleteUser(deps, { id });
  t.equal(await findSignedIn(deps, token), undefined);
  t.equal(await findUser(deps.sql, id), undefined);
  t.same(await listPeople(deps, { pageId, limit: 10 }), []);
  const [row] = await deps.sql`select target_name as name from audit_log where action = 'user.delete'`;
  t.equal(row?.['name'], 'p0@example.com');
});

t.test('names of several lines, and such that turn the text behind them, are refused', async (t) => {
  const deps = await openPeople(t);
  const { id } = await makePerson(deps, 'ada@example.com');
  for (const name of ['', '  ', 'a\r\nBcc: b@example.com', 'x\u202ey', 'x'.repeat(201), 'a\u0000b']) {
    await t.rejects(changeUser(deps, { id, name }), likeServiceError('invalidBody'), JSON.stringify(name));
  }
  t.match(await changeUser(deps, { id, name: ' Zoe\u0308 ' }), { name: 'Zo\u00eb' });
});
