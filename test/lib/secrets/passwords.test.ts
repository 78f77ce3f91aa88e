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
