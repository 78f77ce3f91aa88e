import t from 'tap';
import { acceptInvitationAs } from '../../../control/people/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { makeKey } from '../../support/pages.js';
import { giveRole, makeUser, signInAs } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
const owner = await signInAs(deps, { slug: 'acme', role: 'owner' });
const otherOwner = await signInAs(deps, { slug: 'other', role: 'owner' });
const P = '/api/v1/pages/acme';

type Headers = Record<string, string>;
const send = (method: string, path: string, body?: unknown, headers: Headers = owner.headers) =>
  service.post(path, body, { method, key: null, headers });

async function makePerson(role: 'viewer' | 'owner' = 'viewer') {
  const user = await makeUser(deps);
  await giveRole(deps, { userId: user.id, slug: 'acme', role });
  return { ...user, path: `${P}/people/${user.id}` };
}

t.test('200: people are listed with their roles, and the list goes on at its cursor', async (t) => {
  const person = await makePerson();
  const first = await send('GET', `${P}/people?limit=1`);
  t.equal(first.status, 200, JSON.stringify(first.body));
  const { items, nextCursor } = first.body as { items: object[]; nextCursor: string };
  t.match(items, [{ id: person.id, email: person.email, role: 'viewer', byGroups: false, disabled: false }]);
  t.match((await send('GET', `${P}/people?cursor=${nextCursor}`)).body, { items: [{ email: owner.email }] });
  const there = await send(
    'GET',
    `/api/v1/pages/other/people?cursor=${nextCursor}`,
    undefined,
    otherOwner.headers,
  );
  t.equal(there.status, 400, 'a cursor is of one page');
});

t.test('the newest roles come first, whenever their accounts were made', async (t) => {
  const page = '/api/v1/pages/acme/people';
  const [first, second, third] = [await makePerson(), await makePerson(), await makePerson()];
  const roleAt = (id: string, time: string) =>
    deps.sql`update page_roles set created_at = ${time} where user_id = ${id}`;
  // The oldest account has the newest role, and the other two have theirs since the same moment.
  await roleAt(first.id, '2099-01-02T00:00:00Z');
  await roleAt(second.id, '2099-01-01T00:00:00Z');
  await roleAt(third.id, '2099-01-01T00:00:00Z');
  const seen: string[] = [];
  let cursor = '';
  for (let i = 0; i < 3; i++) {
    const { body } = await send('GET', `${page}?limit=1${cursor}`);
    const { items, nextCursor } = body as { items: { id: string }[]; nextCursor: string };
    seen.push(...items.map(({ id }) => id));
    cursor = `&cursor=${nextCursor}`;
  }
  t.strictSame(seen, [first.id, third.id, second.id]);
  for (const { path } of [first, second, third]) await send('DELETE', path);
});

t.test('a person gets another role, and the log of the page says so', async (t) => {
  const person = await makePerson();
  const one = await send('GET', person.path);
  const tag = one.headers.get('etag') ?? '';
  t.equal(
    (await send('GET', person.path, undefined, { ...owner.headers, 'if-none-match': tag })).status,
    304,
  );
  const changed = await send('PATCH', person.path, { role: 'editor' }, { ...owner.headers, 'if-match': tag });
  t.match(changed, { status: 200, body: { role: 'editor' } });
  t.equal(
    (await send('PATCH', person.path, { role: 'owner' }, { ...owner.headers, 'if-match': tag })).status,
    412,
  );
  t.equal((await send('PATCH', person.path, { role: 'admin' })).status, 400);
  t.equal((await send('PATCH', person.path, { role: 'owner', admin: true })).status, 400);
  t.equal((await send('DELETE', person.path)).status, 204);
  t.equal((await send('DELETE', person.path)).status, 404);
  const rows = await deps.sql`
    select action, before, after, page_id = ${service.pageId} as here from audit_log
    where target_id = ${person.id} order by at, id`;
  t.same(
    [...rows],
    [
      { action: 'role.update', before: { role: 'viewer' }, after: { role: 'editor' }, here: true },
      { action: 'role.delete', before: { role: 'editor', byGroups: false }, after: null, here: true },
    ],
  );
});

t.test('409: the last owner stays', async (t) => {
  const path = `${P}/people/${owner.id}`;
  t.equal((await send('DELETE', path)).status, 409);
  t.equal((await send('PATCH', path, { role: 'editor' })).status, 409);
  const second = await makePerson('owner');
  t.equal((await send('DELETE', second.path)).status, 204);
});

t.test('401, 403, 404: nobody else sees or changes the people of a page', async (t) => {
  const person = await makePerson();
  const editor = await signInAs(deps, { slug: 'acme', role: 'editor' });
  const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
  const byKey = { authorization: `Bearer ${key}` };
  for (const [headers, status] of [
    [{}, 401],
    [editor.headers, 403],
    [byKey, 403],
    [otherOwner.headers, 404],
  ] as const) {
    t.equal((await send('GET', `${P}/people`, undefined, headers)).status, status);
    t.equal((await send('PATCH', person.path, { role: 'owner' }, headers)).status, status);
    t.equal((await send('DELETE', person.path, undefined, headers)).status, status);
    t.equal((await send('GET', `${P}/invitations`, undefined, headers)).status, status);
    const invitation = { email: 'x@example.com', role: 'owner' };
    t.equal((await send('POST', `${P}/invitations`, invitation, headers)).status, status);
  }
  const elsewhere = `/api/v1/pages/other/people/${person.id}`;
  t.equal((await send('PATCH', elsewhere, { role: 'owner' }, otherOwner.headers)).status, 404);
  t.match((await send('GET', person.path)).body, { role: 'viewer' });
});

t.test('201: an invitation has its link once', async (t) => {
  const invited = await send('POST', `${P}/invitations`, { email: 'Grace@Example.com', role: 'responder' });
  t.equal(invited.status, 201, JSON.stringify(invited.body));
  const { id, url } = invited.body as { id: string; url: string };
  t.match(invited.headers.get('location'), `${P}/invitations/${id}`);
  const shown = { email: 'grace@example.com', role: 'responder', invitedBy: owner.email };
  t.match(invited.body, { ...shown, isMailed: false }, 'without a mail server');
  const [link, token = ''] = url.split('#');
  t.equal(link, `${service.url}/manage/invitation`);
  const list = await send('GET', `${P}/invitations`);
  t.match(list.body, { items: [{ id }] });
  t.notOk(JSON.stringify(list.body).includes(token));
  const grace = await makeUser(deps, { email: 'grace@example.com' });
  await acceptInvitationAs({ ...deps, by: testActor }, { token, userId: grace.id });
  t.match((await send('GET', `${P}/people/${grace.id}`)).body, { role: 'responder' });
  t.match((await send('GET', `${P}/invitations`)).body, { items: [] });
  const again = await send('POST', `${P}/invitations`, { email: 'grace@example.com', role: 'owner' });
  t.equal(again.status, 409);
});

t.test('an invitation is revoked, by the people of its page', async (t) => {
  const invited = await send('POST', `${P}/invitations`, { email: 'x@example.com', role: 'viewer' });
  const { id } = invited.body as { id: string };
  const there = `/api/v1/pages/other/invitations/${id}`;
  t.equal((await send('DELETE', there, undefined, otherOwner.headers)).status, 404);
  t.equal((await send('DELETE', `${P}/invitations/${id}`)).status, 204);
  t.equal((await send('DELETE', `${P}/invitations/${id}`)).status, 404);
  for (const body of [
    { email: 'x', role: 'viewer' },
    { email: 'x@example.com', role: 'admin' },
    { email: 'a@example.com\r\nBcc: b@example.com', role: 'viewer' },
    { email: 'x@example.com', role: 'viewer', pageId: service.otherPageId },
  ]) {
    t.equal((await send('POST', `${P}/invitations`, body)).status, 400, JSON.stringify(body));
  }
});
