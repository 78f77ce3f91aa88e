import { scryptSync } from 'node:crypto';
import t from 'tap';
import { createPasswords } from '../../../control/people/index.js';
import { likeServiceError } from '../../support/like-service-error.js';

t.test('a hash is that of scrypt with its salt and parameters', async (t) => {
  const passwords = createPasswords({ parameters: { N: 16, r: 1, p: 1 } });
  const { hash, salt, parameters } = await passwords.hash('secret', 'client');
  t.same(hash, scryptSync('secret', salt, 32, parameters));
  t.ok(await passwords.matches('secret', { hash, salt, parameters }, 'client'));
  t.notOk(await passwords.matches('Secret', { hash, salt, parameters }, 'client'));
  t.notOk(await passwords.matches('secret', undefined, 'client'));
});

t.test('the usual parameters work, and take composed and decomposed characters for the same', async (t) => {
  const passwords = createPasswords();
  const stored = await passwords.hash('cafe\u0301', 'client');
  t.ok(await passwords.matches('caf\u00e9', stored, 'client'));
  t.notOk(passwords.isOld(stored));
  t.same(stored.parameters, { N: 2 ** 15, r: 8, p: 3 }, 'and nobody weakens them');
});

t.test('beyond those that wait, more are refused, and a client leaves room for others', async (t) => {
  const passwords = createPasswords({ parameters: { N: 16, r: 1, p: 1 } });
  const ofOne = Array.from({ length: 105 }, () => passwords.hash('secret', 'one'));
  const ofAnother = passwords.hash('secret', 'another');
  const outcomes = await Promise.allSettled(ofOne);
  t.equal(outcomes.filter(({ status }) => status === 'rejected').length, 3);
  t.match(
    outcomes.find(({ status }) => status === 'rejected'),
    { reason: likeServiceError('overloaded', { message: /at once/, retryAfterSeconds: 3 }) },
  );
  await t.resolves(ofAnother);
});

t.test('strangers leave every other turn to the networks where people have signed in', async (t) => {
  const passwords = createPasswords({ parameters: { N: 16, r: 1, p: 1 } });
  passwords.welcome('203.0.113.7');
  passwords.welcome('2001:db8:1:2::7');
  const order: string[] = [];
  const hash = (client: string): Promise<void> =>
    passwords.hash('secret', client).then(
      () => void order.push(client),
      () => void order.push(`${client} was refused`),
    );
  const strangers = Array.from({ length: 250 }, (_, n) => `198.51.${n}.1`);
  const people = ['203.0.113.200', '2001:db8:1:2::200', '203.0.113.7', '203.0.113.1'];
  await Promise.all([...strangers, ...people].map(hash));
  const turns = order.filter((one) => !one.endsWith('was refused'));
  t.equal(turns.length, 202 + people.length, 'strangers fill their own queue alone');
  const late = people.map((one) => turns.indexOf(one)).filter((at) => at < 0 || at > 4 * people.length);
  t.same(late, [], 'turns that came after more than three of strangers each');
  order.length = 0;
  for (let n = 0; n < 10_000; n += 1) passwords.welcome(`2001:db8:2:${n.toString(16)}::1`);
  await Promise.all([...strangers.slice(0, 60), ...people].map(hash));
  t.ok(order.indexOf('203.0.113.7') > 4 * people.length, 'the network that was silent longest is forgotten');
});

t.test('two of a person run at once, and nobody waits for the turns of another person', async (t) => {
  const passwords = createPasswords({ parameters: { N: 16, r: 1, p: 1 } });
  const begun: string[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const turn = (person: string, client: string, signal?: AbortSignal) =>
    passwords.inTurnOf(
      { person, client },
      async () => {
        begun.push(`${person} ${client}`);
        await ended;
      },
      signal,
    );
  const leaving = new AbortController();
  const turns = [...Array.from({ length: 102 }, () => turn('ada', '192.0.2.1')), turn('ada', '192.0.2.2')];
  const full = turn('ada', '192.0.2.1');
  const left = turn('bob', '192.0.2.1', leaving.signal);
  const late = turn('bob', '192.0.2.1');
  const gone = turn('bob', '192.0.2.1', leaving.signal);
  await t.rejects(full, likeServiceError('overloaded'));
  leaving.abort(new Error('hung up'));
  await t.rejects(gone, { message: 'hung up' });
  t.same(begun, [...['ada 192.0.2.1', 'ada 192.0.2.1', 'ada 192.0.2.2', 'bob 192.0.2.1', 'bob 192.0.2.1']]);
  end();
  await Promise.all([...turns, left, late]);
  t.equal(begun.length, 105);
});
