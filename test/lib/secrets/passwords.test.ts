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
  const passwords = createPasswords({ parameters: { N: 1024, r: 8, p: 1 } });
  const ofOne = Array.from({ length: 10 }, () => passwords.hash('secret', 'one'));
  const ofAnother = passwords.hash('secret', 'another');
  const outcomes = await Promise.allSettled(ofOne);
  t.equal(outcomes.filter(({ status }) => status === 'rejected').length, 3);
  t.match(
    outcomes.find(({ status }) => status === 'rejected'),
    { reason: likeServiceError('overloaded') },
  );
  await t.resolves(ofAnother);
});
