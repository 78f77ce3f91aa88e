import t from 'tap';
import {
  openSecret,
  resealSecret,
  sealSecret,
  signToken,
  sqlUserPassword,
  sqlUserPasswords,
  verifyToken,
} from '../../../lib/secrets/secret-box.js';

t.test('the password of the SQL user is the HMAC-SHA256 of a fixed text, in hex', async (t) => {
  // printf clickhouse-sql-user | openssl dgst -sha256 -hmac key
  t.equal(sqlUserPassword('key'), '24eb8517fa0d0014936782de93aa5baed18417abbbb4eb197b69b85e4b3914ba');
});

t.test('the first key of a list seals and signs, and each opens and verifies', async (t) => {
  const sealed = sealSecret('old', 'webhook 1', 'secret');
  t.equal(openSecret('new, old', 'webhook 1', sealed), 'secret');
  t.throws(() => openSecret('new', 'webhook 1', sealed));
  t.throws(() => openSecret('new,old', 'webhook 2', sealed), 'for another row');
  t.equal(openSecret('new', 'webhook 1', sealSecret('new,old', 'webhook 1', 'secret')), 'secret');
  const token = signToken('old', 'manage', 'id');
  t.equal(verifyToken('new,old', 'manage', token), 'id');
  t.equal(verifyToken('new', 'manage', token), undefined);
  t.equal(verifyToken('new', 'manage', signToken('new,old', 'manage', 'id')), 'id');
  t.strictSame(sqlUserPasswords('new,old'), [sqlUserPassword('new'), sqlUserPassword('old')]);
});

t.test('a value is resealed with the first key unless that key opens it', async (t) => {
  const sealed = sealSecret('old', 'c', 'secret');
  const resealed = resealSecret('new,old', 'c', sealed) ?? sealed;
  t.equal(openSecret('new', 'c', resealed), 'secret');
  t.equal(resealSecret('new,old', 'c', resealed), resealed);
  t.equal(resealSecret('new', 'c', sealed), undefined);
  t.equal(resealSecret('new,old', 'c', Buffer.from('short')), undefined);
});
