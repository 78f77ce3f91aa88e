import fc from 'fast-check';
import t from 'tap';
import { scopes } from '../../../contract/scopes.js';
import { displayPrefix, isKey, newKey } from '../../../control/keys/key.js';
import { hashSecret } from '../../../lib/secrets/secrets.js';
import { propertyOf } from '../../support/property.js';

t.test('a key names its scope and contains 43 base-62 digits', async (t) => {
  t.match(newKey('incident'), /^key_live_[0-9A-Za-z]{43}$/);
  t.match(newKey('ingest'), /^key_ingest_[0-9A-Za-z]{43}$/);
  t.match(newKey('read'), /^key_read_[0-9A-Za-z]{43}$/);
  for (const scope of scopes) t.ok(isKey(newKey(scope)));
});

t.test('keys do not repeat, and every digit but the first takes all 62 values', async (t) => {
  const keys = Array.from({ length: 3_000 }, () => newKey('read').slice('key_read_'.length));
  t.equal(new Set(keys).size, keys.length);
  for (const position of [1, 21, 42]) {
    // Over 3,000 keys, one of the 62 digits is missing by chance with a probability of 62 * exp(-48).
    t.equal(new Set(keys.map((key) => key.charAt(position))).size, 62, `digit ${position}`);
  }
});

t.test('a text that is not a key is recognized without a query', async (t) => {
  const key = newKey('ingest');
  const others = [
    '',
    key.slice(1),
    `${key}0`,
    key.slice(0, -1),
    `${key}\n`,
    ` ${key}`,
    key.replace('ingest', 'owner'),
  ];
  for (const other of others) t.notOk(isKey(other), JSON.stringify(other));
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => !isKey(text)),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('the display prefix shows four digits, the hash is the SHA-256 of the whole key', async (t) => {
  const key = `key_live_Ab3d${'0'.repeat(39)}`;
  t.equal(displayPrefix(key), 'key_live_Ab3d');
  t.equal(hashSecret('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
