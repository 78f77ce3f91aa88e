import t from 'tap';
import { createFindSession } from '../../../api/manage/find-session.js';
import {
  changePassword,
  changeUser,
  createPasswords,
  createResetLink,
  createUser,
  endSession,
  findSignedIn,
  listSessions,
  prunePeople,
  signIn,
} from '../../../control/people/index.js';
import { beginAttempt } from '../../../control/people/sign-in-attempts.js';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../lib/times.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { client, countPasswords, makePerson, openPeople, password } from './support.js';

const refused = likeServiceError('signInRefused');
const tooMany = likeServiceError('tooManySignIns');

/** How many got in, and how many were refused for which reason. */
async function kindsOf(tries: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const one of await Promise.allSettled(tries)) {
    const kind = one.status === 'fulfilled' ? 'in' : String(one.reason.kind);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

t.test('a right password starts a session, which only its hash is kept of', async (t) => {
  const deps = await openPeople(t);
  const user = await makePerson(deps, 'ada@example.com');
  const { token } = await signIn(deps, { ...client, email: ' Ada@Example.COM ', password });
  t.match(token, /^[0-9A-Za-z]{43}$/);
  t.match(await findSignedIn(deps, token), { userId: user.id, email: 'ada@example.com', isAdmin: false });
  const [row] = await deps.sql`select encode(token_hash, 'hex') as hash, address from user_sessions`;
  t.not(row?.['hash'], token);
  t.equal(row?.['address'], client.address);
  const other = await signIn(deps, { ...client, email: 'ada@example.com', password });
  t.not(other.token, token, 'each sign-in has a token of its own');
});

t.test('every refusal has the same sentence after the same work', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, 'ada@example.com');
  const off = await makePerson(deps, 'off@example.com');
  await changeUser(deps, { id: off.id, isDisabled: true });
  await createUser(deps, { email: 'none@example.com', name: 'No Password' });
  const attempts = {
    'wrong password': { email: 'ada@example.com', password: 'wrong' },
    disabled: { email: 'off@example.com', password },
    'no password': { email: 'none@example.com', password },
    'unknown email': { email: 'nobody@example.com', password },
    'no email': { email: password, password },
  };
  for (const [name, attempt] of Object.entries(attempts)) {
    const before = deps.passwords.count;
    await t.rejects(signIn(deps, { ...client, ...attempt }), { ...refused, message: /is wrong/ }, name);
    t.equal(deps.passwords.count - before, 1, `${name}: one hash`);
  }
  const rows = await deps.sql<{ name: string; after: { reason: string } }[]>`
    select target_name as name, after from audit_log where action = 'session.refuse' order by id`;
  t.same(rows.map(({ name, after }) => `${name}: ${after.reason}`).sort(), [
    'ada@example.com: wrong password',
    'nobody@example.com: unknown email',
    'none@example.com: no password',
    'off@example.com: disabled',
    'unknown: unknown email',
  ]);
  const [{ text } = { text: '' }] = await deps.sql<{ text: string }[]>`
    select string_agg(to_jsonb(a)::text, ' ') as text from audit_log a`;
  t.notOk(text.includes(password), 'what was typed into the field for emails is not kept');
});

t.test(
  'the audit log gets one refusal of an email in a quarter of an hour, and few of made-up ones',
  async (t) => {
    const deps = await openPeople(t);
    const emails = ['ada@example.com', 'bob@example.com'];
    for (const email of emails) await makePerson(deps, email);
    let asked = 0;
    const guess = (email: string) => {
      asked += 1;
      const from = { address: `198.51.100.${asked % 250}`, userAgent: 'x'.repeat(1_000) };
      return signIn(deps, { ...from, email, password: 'guess' }).catch(() => undefined);
    };
    const names = async () => {
      const rows = await deps.sql<{ name: string }[]>`
      select target_name as name from audit_log where action = 'session.refuse' order by at, id`;
      return rows.map(({ name }) => name);
    };
    const made = Array.from({ length: 40 }, (_, n) => `made-up-${n}@example.com`);
    for (const email of [...made, ...emails, ...made, ...emails, ' Ada@Example.com ', 'no email', 'none']) {
      await guess(email);
    }
    t.same(await names(), [...made.slice(0, 20), ...emails], 'known emails have rows whatever else is tried');
    deps.clock.advance(15 * minuteMs);
    await Promise.all([guess('bob@example.com'), guess('bob@example.com'), guess('no email'), guess('none')]);
    t.same((await names()).slice(22).sort(), ['bob@example.com', 'unknown'], 'the next window');
    deps.clock.advance(15 * minuteMs);
    await prunePeople(deps);
    t.same(await deps.sql`select subject from sign_in_failures`, []);
  },
);

t.test('ten failures for an email, then 429 for a quarter of an hour, from any address', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, 'ada@example.com');
  const from = (n: number) => ({ address: `198.51.100.${n}`, userAgent: '', email: 'ada@example.com' });
  for (let n = 0; n < 10; n += 1) {
    await t.rejects(signIn(deps, { ...from(n), password: `guess ${n}` }), refused);
  }
  const hashes = deps.passwords.count;
  await t.rejects(signIn(deps, { ...from(99), password }), { ...tooMany, retryAfterSeconds: 900 });
  t.equal(deps.passwords.count, hashes, 'nothing is hashed');
  deps.clock.advance(15 * minuteMs);
  await t.resolves(signIn(deps, { ...from(99), password }));
});

t.test('strangers cannot keep a person out of a network that the person uses', async (t) => {
  const deps = await openPeople(t);
  const { id: userId } = await makePerson(deps, 'ada@example.com');
  const ada = { userAgent: '', email: 'ada@example.com' };
  const { sessionId } = await signIn(deps, { ...client, ...ada, password });
  for (let n = 0; n < 10; n += 1) {
    await t.rejects(signIn(deps, { ...ada, address: '198.51.100.1', password: 'guess' }), refused);
  }
  await t.rejects(
    signIn(deps, { ...ada, address: '198.51.100.2', password }),
    tooMany,
    'all strangers together',
  );
  await t.resolves(signIn(deps, { ...client, ...ada, password }), 'the network of a session');
  const change = { userId, sessionId, address: '198.51.100.3', currentPassword: password };
  await t.resolves(changePassword(deps, { ...change, password: 'another river of stones' }), 'counts apart');
  for (let n = 0; n < 10; n += 1) {
    await t.rejects(signIn(deps, { ...client, ...ada, password: 'guess' }), refused);
  }
  await t.rejects(signIn(deps, { ...client, ...ada, password }), tooMany, 'ten there as well');
});

t.test(
  'networks with a session, and those of a sign-in that succeeds, keep a share of the turns',
  async (t) => {
    const deps = await openPeople(t);
    await makePerson(deps, 'ada@example.com');
    const welcomed: string[] = [];
    const welcome = (address: string) => void welcomed.push(address);
    const own = { ...deps, passwords: { ...deps.passwords, welcome } };
    const ada = { ...client, email: 'ada@example.com' };
    await t.rejects(signIn(own, { ...ada, password: 'guess' }), refused);
    t.same(welcomed, [], 'a guess earns nothing');
    const { token } = await signIn(own, { ...ada, password });
    t.same(welcomed.splice(0), [client.address]);
    await t.rejects(signIn(own, { ...ada, password: 'guess' }), refused);
    t.same(welcomed.splice(0), [client.address], 'the session is in PostgreSQL, whichever instance is asked');
    await createFindSession(own)(token, '198.51.100.9');
    t.same(welcomed, ['198.51.100.9']);
  },
);

t.test('ten failures of a client, whichever of its addresses it uses', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, 'ada@example.com');
  for (let n = 0; n < 10; n += 1) {
    const guess = { address: `2001:db8:1:2::${n}`, userAgent: '', email: `u${n}@example.com`, password: 'x' };
    await t.rejects(signIn(deps, guess), refused);
  }
  const mine = { userAgent: '', email: 'ada@example.com', password };
  await t.rejects(signIn(deps, { ...mine, address: '2001:db8:1:2:ffff::1' }), tooMany);
  await t.resolves(signIn(deps, { ...mine, address: '2001:db8:1:3::1' }));
});

t.test('guesses at once are bounded as well, and successes do not count', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, 'ada@example.com');
  for (let n = 0; n < 12; n += 1) await signIn(deps, { ...client, email: 'ada@example.com', password });
  const guesses = Array.from({ length: 15 }, (_, n) =>
    signIn(deps, { address: `198.51.100.${n}`, userAgent: '', email: 'ada@example.com', password: 'x' }),
  );
  const kinds = (await Promise.allSettled(guesses)).map((one) =>
    one.status === 'rejected' ? one.reason.kind : 'in',
  );
  t.equal(kinds.filter((kind) => kind === 'tooManySignIns').length, 5, String(kinds));
});

t.test('right passwords at once are all let in, by one process and by many', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, 'ada@example.com');
  const right = { ...client, email: 'ada@example.com', password };
  const ofOne = Array.from({ length: 90 }, () => signIn(deps, right));
  t.same(await kindsOf(ofOne), { in: 90 });
  const others = Array.from({ length: 8 }, () => ({ ...deps, passwords: countPasswords() }));
  const ofMany = others.flatMap((other) =>
    [1, 2, 3].map(() => signIn(other, { ...right, address: '198.51.100.9' })),
  );
  t.same(await kindsOf(ofMany), { in: 24 });
  const counts = await deps.sql`select requests, in_flight from sign_in_failures`;
  t.same(
    counts.map((row) => ({ ...row })),
    counts.map(() => ({ requests: 0, in_flight: 0 })),
    'every place is given back',
  );
});

t.test('wrong passwords among right ones at once are ten, over all processes', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, 'ada@example.com');
  const email = 'ada@example.com';
  const others = Array.from({ length: 8 }, () => ({ ...deps, passwords: countPasswords() }));
  const tries = others.flatMap((other, n) =>
    [1, 2, 3, 4].map((m) =>
      signIn(other, {
        address: `198.51.100.${4 * n + m}`,
        userAgent: '',
        email,
        password: `guess ${n} ${m}`,
      }),
    ),
  );
  t.same(await kindsOf(tries), { signInRefused: 10, tooManySignIns: 22 });
  t.equal(
    others.reduce((sum, { passwords }) => sum + passwords.count, 0),
    10,
    'no further password is compared',
  );
});

t.test('attempts of a process that ended count as failures after half a minute', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, 'ada@example.com');
  const guess = { what: 'sign-in', email: 'ada@example.com', address: client.address } as const;
  for (let n = 0; n < 10; n += 1) await beginAttempt(deps, guess);
  const ended = new AbortController();
  const waiting = signIn(deps, { ...client, email: guess.email, password, signal: ended.signal });
  ended.abort(new Error('hung up'));
  await t.rejects(waiting, { message: 'hung up' });
  deps.clock.advance(30 * secondMs);
  await t.rejects(signIn(deps, { ...client, email: guess.email, password }), tooMany);
});

t.test('no session is left of a sign-in that nobody waits for', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, 'ada@example.com');
  const ended = new AbortController();
  const passwords = {
    ...deps.passwords,
    async matches(...args: Parameters<typeof deps.passwords.matches>) {
      const matches = await deps.passwords.matches(...args);
      ended.abort(new Error('the time of the request is over'));
      return matches;
    },
  };
  const input = { ...client, email: 'ada@example.com', password, signal: ended.signal };
  await t.rejects(signIn({ ...deps, passwords }, input), { message: /is over/ });
  const [row] = await deps.sql`
    select (select count(*)::int from user_sessions) as sessions, (select sum(requests)::int from sign_in_failures) as failures`;
  t.same({ ...row }, { sessions: 0, failures: 0 });
});

t.test('a session slides with its use, and ends 30 days after the last one', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, 'ada@example.com');
  const { token } = await signIn(deps, { ...client, email: 'ada@example.com', password });
  t.match(await findSignedIn(deps, token), { isExtended: false });
  deps.clock.advance(29 * dayMs);
  t.match(await findSignedIn(deps, token), { isExtended: true });
  t.match(await findSignedIn(deps, token), { isExtended: false }, 'it writes once an hour');
  deps.clock.advance(29 * dayMs);
  t.match(await findSignedIn(deps, token), { isExtended: true });
  deps.clock.advance(30 * dayMs);
  t.equal(await findSignedIn(deps, token), undefined);
  t.equal((await prunePeople(deps)).sessions, 1);
});

t.test('a changed password ends the other sessions', async (t) => {
  const deps = await openPeople(t);
  const { id: userId } = await makePerson(deps, 'ada@example.com');
  const mine = await signIn(deps, { ...client, email: 'ada@example.com', password });
  const other = await signIn(deps, { ...client, email: 'ada@example.com', password });
  const change = { userId, sessionId: mine.sessionId, address: client.address };
  const next = 'another river of stones';
  await t.rejects(
    changePassword(deps, { ...change, currentPassword: 'wrong', password: next }),
    likeServiceError('notAllowed'),
  );
  for (const weak of [
    'short',
    'x'.repeat(201),
    'Q1W2E3R4T5Y6',
    'ada@example.com',
    'Ada Lovelace',
    'abcabcabcabc',
  ]) {
    await t.rejects(
      changePassword(deps, { ...change, currentPassword: password, password: weak }),
      likeServiceError('invalidBody', { message: /^\/password / }),
      weak,
    );
  }
  await changePassword(deps, { ...change, currentPassword: password, password: next });
  t.ok(await findSignedIn(deps, mine.token));
  t.equal(await findSignedIn(deps, other.token), undefined);
  await t.rejects(signIn(deps, { ...client, email: 'ada@example.com', password }), refused);
  await signIn(deps, { ...client, email: 'ada@example.com', password: next });
});

t.test('a disabled user is out at once, and stays out with a reset link', async (t) => {
  const deps = await openPeople(t);
  const { id } = await makePerson(deps, 'ada@example.com');
  const { token } = await signIn(deps, { ...client, email: 'ada@example.com', password });
  await changeUser(deps, { id, isDisabled: true });
  t.equal(await findSignedIn(deps, token), undefined);
  await t.rejects(createResetLink(deps, id), likeServiceError('conflict'));
  await changeUser(deps, { id, isDisabled: false });
  t.equal(await findSignedIn(deps, token), undefined, 'an ended session does not come back');
  await signIn(deps, { ...client, email: 'ada@example.com', password });
});

t.test('a person ends sessions of their own, and no others', async (t) => {
  const deps = await openPeople(t);
  const ada = await makePerson(deps, 'ada@example.com');
  const bob = await makePerson(deps, 'bob@example.com');
  const { sessionId } = await signIn(deps, { ...client, email: 'ada@example.com', password });
  await t.rejects(endSession(deps, { id: sessionId, userId: bob.id }), likeServiceError('notFound'));
  t.equal((await listSessions(deps, { userId: ada.id, limit: 10 })).length, 1);
  await endSession(deps, { id: sessionId, userId: ada.id });
  await t.rejects(endSession(deps, { id: sessionId, userId: ada.id }), likeServiceError('notFound'));
});

t.test('the session that was silent longest ends beyond a hundred', async (t) => {
  const deps = await openPeople(t);
  const { id: userId } = await makePerson(deps, 'ada@example.com');
  const first = await signIn(deps, { ...client, email: 'ada@example.com', password });
  for (let n = 0; n < 100; n += 1) {
    deps.clock.advance(hourMs / 100);
    await signIn(deps, { ...client, email: 'ada@example.com', password });
  }
  t.equal((await listSessions(deps, { userId, limit: 200 })).length, 100);
  t.equal(await findSignedIn(deps, first.token), undefined);
});

t.test('a hash with other parameters is replaced by signing in', async (t) => {
  const deps = await openPeople(t);
  await makePerson(deps, 'ada@example.com');
  const passwords = createPasswords({ parameters: { N: 32, r: 1, p: 1 } });
  await signIn({ ...deps, passwords }, { ...client, email: 'ada@example.com', password });
  const [row] = await deps.sql`select password_parameters as parameters from users`;
  t.same(row?.['parameters'], { N: 32, r: 1, p: 1 });
  await signIn({ ...deps, passwords }, { ...client, email: 'ada@example.com', password });
});
