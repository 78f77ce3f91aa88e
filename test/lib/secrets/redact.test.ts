import fc from 'fast-check';
import t from 'tap';
import { isSecretName, redact, redacted } from '../../../lib/secrets/redact.js';

t.test('secrets are replaced, and what stands around them stays', (t) => {
  const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  for (const [text, expected] of [
    ['GET https://me:pw@db.example/x failed', `GET https://${redacted}@db.example/x failed`],
    ['Authorization: Bearer abc123def456', `Authorization: ${redacted} ${redacted}`],
    ['sent Bearer abc123def456 to payer', `sent Bearer ${redacted} to payer`],
    [`token is ${jwt}, expired`, `token is ${redacted}, expired`],
    ['{"password":"hunter","user":"ann"}', `{"password":${redacted},"user":"ann"}`],
    ['?api_key=abcdef&x=1', `?api_key=${redacted}&x=1`],
    ['db_password: hunter', `db_password: ${redacted}`],
    ['access_token: a1b2c3', `access_token: ${redacted}`],
    ['cookie: a=1; b=2', `cookie: ${redacted}`],
    ['key AKIAIOSFODNN7EXAMPLE is off', `key ${redacted} is off`],
    ['no user ann@shop.example', 'no user [email]'],
    ['-----BEGIN PRIVATE KEY-----\nabc', redacted],
  ] as const)
    t.equal(redact(text), expected);
  t.end();
});

t.test('ordinary words of stacks and messages stay', (t) => {
  for (const text of [
    'InvalidToken: text',
    'InvalidPassword: The given one is wrong',
    'SyntaxError: Unexpected token: name',
    'SyntaxError: Unexpected token } in JSON at position 4',
    '    at TokenStore.read (node_modules/@shop/token@1.2.3/index.js:10:5)',
    'Traceback (most recent call last):\n  File "pay.py", line 3, in <module>\nKeyError: key',
    'java.lang.SecurityException: signature: none',
    'author: ann, compass: north, design: new',
    'duplicate key value violates unique constraint "orders_pkey"',
  ])
    t.equal(redact(text), text);
  t.end();
});

t.test('an attribute is a secret by its name', (t) => {
  for (const name of ['password', 'db_password', 'X-Api-Key', 'accessToken']) t.ok(isSecretName(name), name);
  for (const name of ['key', 'region', 'monkey', 'tokens', 'author']) t.notOk(isSecretName(name), name);
  t.end();
});

t.test('replacing twice is replacing once, and a planted secret never stays', (t) => {
  const secret = fc
    .stringMatching(/^[A-Za-z0-9]{24}$/)
    .map((text) => `${text.slice(0, 12)}7${text.slice(12)}`);
  const around = fc
    .string({ unit: 'grapheme', maxLength: 60 })
    .map((text) => text.replaceAll(/[-"'\\]/g, ' '));
  const forms = [
    (value: string) => `Bearer ${value}`,
    (value: string) => `password=${value}`,
    (value: string) => `token: ${value}`,
    (value: string) => `{"api_key": "${value}"}`,
    (value: string) => `https://user:${value}@db.example/`,
    (value: string) => `ghp_${value}`,
    (value: string) => `sk_live_${value}`,
  ];
  fc.assert(
    fc.property(around, fc.constantFrom(...forms), secret, around, (before, form, value, after) => {
      const result = redact(`${before} ${form(value)} ${after}`);
      return !result.includes(value) && redact(result) === result;
    }),
    { seed: 20_261_129, numRuns: 300 },
  );
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 400 }),
      (text) => redact(redact(text)) === redact(text),
    ),
    { seed: 20_261_129, numRuns: 300 },
  );
  t.end();
});
