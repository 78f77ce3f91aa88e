import { Secret } from 'otpauth';
import t from 'tap';
import { beginTotp, clearTotp, confirmTotp, removeTotp, signIn } from '../../../control/people/index.js';
import { findTotpStep } from '../../../control/people/second-factor.js';
import { secondMs } from '../../../lib/times.js';
import { captureLog } from '../../support/capture-log.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { totpCode } from '../../support/totp.js';
import { client, makePerson, openPeople, type PeopleDeps, password } from './support.js';

const refused = likeServiceError('signInRefused');
const email = 'ada@example.com';

t.test('codes are those of RFC 6238, appendix B', async (t) => {
  const secret = Secret.fromLatin1('12345678901234567890');
  for (const [seconds, code] of [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ] as const) {
    t.equal(findTotpStep(secret, code.slice(2), seconds * secondMs), Math.floor(seconds / 30));
  }
});

t.test('a code counts one step early and one step late', async (t) => {
  const secret = new Secret();
  const step = 1_000_000;
  const code = totpCode(secret.base32, step * 30 * secondMs);
  const found = [-2, -1, 0, 1, 2].map((away) => findTotpStep(secret, code, (step + away) * 30 * secondMs));
  t.same(found, [undefined, step, step, step, undefined]);
});

async function withApp(deps: PeopleDeps) {
  const user = await makePerson(deps, email);
  const { secret, uri, svg } = await beginTotp(deps, { userId: user.id, password, address: client.address });
  const { sessionId } = await signIn(deps, { ...client, email, password });
  const codeNow = () => totpCode(secret, deps.clock.now());
  const { recoveryCodes } = await confirmTotp(deps, { userId: user.id, sessionId, code: codeNow() });
  return { user, secret, uri, svg, codeNow, recoveryCodes };
}

t.test('signing in needs a code once the app is confirmed', async (t) => {
  const deps = await openPeople(t);
  const { secret, uri, svg, codeNow, recoveryCodes } = await withApp(deps);
  t.equal(
    uri,
    `otpauth://totp/Heartline:ada%40example.com?issuer=Heartline&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  );
  t.match(svg, /^<svg/);
  t.equal(new Set(recoveryCodes).size, 10);
  const input = { ...client, email, password };
  await t.rejects(signIn(deps, input), likeServiceError('codeRequired'));
  await t.rejects(
    signIn(deps, { ...input, password: 'wrong' }),
    refused,
    'only those with the password learn it',
  );
  await t.rejects(signIn(deps, { ...input, code: codeNow() }), refused, 'the code that confirmed is used');
  deps.clock.advance(30 * secondMs);
  await t.resolves(signIn(deps, { ...input, code: codeNow().replace(/^.../, '$& ') }));
  await t.rejects(signIn(deps, { ...input, code: codeNow() }), refused, 'no step counts twice');
});

t.test('one step used twice at once signs in once', async (t) => {
  const deps = await openPeople(t);
  const { codeNow } = await withApp(deps);
  deps.clock.advance(30 * secondMs);
  const code = codeNow();
  const both = [1, 2].map(() => signIn(deps, { ...client, email, password, code }));
  const outcomes = await Promise.allSettled(both);
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

t.test('a step behind the last used one is over', async (t) => {
  const deps = await openPeople(t);
  const { codeNow } = await withApp(deps);
  deps.clock.advance(30 * secondMs);
  const older = codeNow();
  deps.clock.advance(30 * secondMs);
  await signIn(deps, { ...client, email, password, code: codeNow() });
  await t.rejects(signIn(deps, { ...client, email, password, code: older }), refused);
});

t.test('codes cannot be tried out', async (t) => {
  const deps = await openPeople(t);
  await withApp(deps);
  const guess = (n: number) =>
    signIn(deps, { address: `198.51.100.${n}`, userAgent: '', email, password, code: 'aaaa-aaaa-aaaa-aaaa' });
  for (let n = 0; n < 10; n += 1) await t.rejects(guess(n), refused);
  await t.rejects(guess(10), likeServiceError('tooManySignIns'));
});

t.test('a recovery code signs in once', async (t) => {
  const deps = await openPeople(t);
  const { recoveryCodes } = await withApp(deps);
  const [code = ''] = recoveryCodes;
  await t.resolves(signIn(deps, { ...client, email, password, code: code.toUpperCase() }));
  await t.rejects(signIn(deps, { ...client, email, password, code }), refused);
});

t.test('removing the app takes the password and a code', async (t) => {
  const deps = await openPeople(t);
  const { user, codeNow } = await withApp(deps);
  deps.clock.advance(30 * secondMs);
  const remove = (given: { password: string; code: string }) =>
    removeTotp(deps, { userId: user.id, address: client.address, ...given });
  const notAllowed = likeServiceError('notAllowed');
  await t.rejects(remove({ password: 'wrong', code: codeNow() }), notAllowed);
  await t.rejects(remove({ password, code: '000000' }), notAllowed);
  await remove({ password, code: codeNow() });
  await t.resolves(signIn(deps, { ...client, email, password }));
  await t.rejects(remove({ password, code: codeNow() }), likeServiceError('conflict'));
});

t.test('an app that is not confirmed changes nothing, and a wrong code confirms none', async (t) => {
  const deps = await openPeople(t);
  const { id: userId } = await makePerson(deps, email);
  const { sessionId } = await signIn(deps, { ...client, email, password });
  const confirm = (code: string) => confirmTotp(deps, { userId, sessionId, code });
  await t.rejects(confirm('123456'), likeServiceError('conflict'));
  const begin = { userId, address: client.address };
  await t.rejects(beginTotp(deps, begin), likeServiceError('notAllowed'), 'a session alone begins none');
  await beginTotp(deps, { ...begin, password });
  await t.rejects(confirm('x'), likeServiceError('invalidBody'));
  await t.resolves(signIn(deps, { ...client, email, password }));
});

t.test('the secret is sealed, and those who run the installation remove a lost app', async (t) => {
  const deps = await openPeople(t);
  const { user, secret, recoveryCodes } = await withApp(deps);
  const [row] = await deps.sql<{ text: string }[]>`
    select (select to_jsonb(u)::text from users u) || (select string_agg(to_jsonb(a)::text, '') from audit_log a) as text`;
  const { hex } = Secret.fromBase32(secret);
  for (const text of [secret, hex, ...recoveryCodes]) t.notOk(row?.text.includes(text));
  await t.rejects(
    beginTotp(deps, { userId: user.id, password, address: client.address }),
    likeServiceError('conflict'),
  );
  await clearTotp(deps, user.id);
  await t.resolves(signIn(deps, { ...client, email, password }));
});

t.test(
  'under another secret key codes are refused with a line in the log, and recovery codes work',
  async (t) => {
    const { log, text, entries } = captureLog();
    const deps = { ...(await openPeople(t)), log };
    const { user, secret, codeNow, recoveryCodes } = await withApp(deps);
    t.equal(text(), '');
    deps.clock.advance(30 * secondMs);
    const other = { ...deps, secretKey: 'f'.repeat(64) };
    const input = { ...client, email, password };
    const code = codeNow();
    await t.rejects(signIn(other, { ...input, code }), refused);
    t.match(entries(), [{ level: 40, user: user.id }]);
    const remove = (given: string) =>
      removeTotp(other, { userId: user.id, address: client.address, password, code: given });
    await t.rejects(remove(code), likeServiceError('notAllowed'));
    await t.resolves(signIn(other, { ...input, code: recoveryCodes[0] }));
    for (const one of [secret, code, ...recoveryCodes]) t.notOk(text().includes(one));
    await clearTotp(other, user.id);
    const { sessionId } = await signIn(other, input);
    await beginTotp(deps, { userId: user.id, password, address: client.address });
    await t.rejects(
      confirmTotp(other, { userId: user.id, sessionId, code }),
      likeServiceError('invalidBody'),
    );
  },
);
