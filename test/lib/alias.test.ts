import { createHash } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { isSafeAlias, looksLikeSecret, parseAlias, parseRevision, problemOfAlias } from '../../lib/alias.js';
import { propertyOf } from '../support/property.js';

const ordinary = [
  ...['orders-db', 'eu-west/primary', 'pool#1', 'orders_api:read', 'a', '7', 'Orders (read + write)'],
  ...['db.internal:5432', '10.0.0.1/32', '::1', 'rs0/mongo-1.internal:27017,mongo-2.internal:27017'],
  ...['payments-orders-api-deployment-7d9f8b6c5d-x2x4z', 'ip-10-0-12-34.eu-west-1.compute.internal'],
  ...['Orders-Primary-Database-EU-West-1-Replica-2', 'myverylongdatabaseclusternameisnotoken'],
  ...['550e8400-e29b-41d4-a716-446655440000', 'arn:aws:rds:eu-west-1:123456789012:db:orders'],
  ...[
    'データベース',
    'bücher',
    'заказы-1',
    'secret-santa',
    'password-reset-db',
    'token-cache',
    'basic users',
    'npm_config_registry_proxy',
    'hf_orders_service_pool_main',
    '1.2.3~rc1',
    '6.8.0|8.5.2',
    'arn:5432:orders',
    '2001:470:1f0b::1:2',
    '00:11:22:33:44:55',
  ],
];

const secrets = [
  ...['mongodb+srv://app:hunter2@cluster0.example.net/?retryWrites=true', 'mongodb://localhost'],
  ...[
    'postgres://app:hunter2@db:5432/orders',
    'postgresql:///orders',
    'mysql://root@db',
    'redis://:pw@cache:6379',
  ],
  ...['app:hunter2@db.internal', 'app:@db', 'app:p@ss@db', 'x app:hunter2@db y', 'app:p%40ss@db'],
  ...[
    'password=hunter2',
    'PASSWORD = hunter2',
    'pwd=x',
    'Pass: x',
    'passwd:x',
    'db_password: x',
    '"password": "x"',
  ],
  ...['host=db dbname=orders user=app password=hunter2', 'host=db user=app', "dbname='orders'"],
  ...['Server=db;Database=orders;Uid=app;Pwd=hunter2;', 'Data Source=db;User ID=app'],
  ...[
    'jdbc:mysql://db/orders',
    'jdbc:oracle:thin:scott/tiger',
    'JDBC:sqlserver:x',
    'mysql -u root -phunter2',
    'mysql --password hunter2',
    'db.internal:5432:orders:app:hunter2',
    '*:*:orders:app:hunter2',
    'app:hunter2@tcp(db:3306)/orders',
    'tcp(db:3306)/orders',
    'AccountKey=x',
  ],
  ...['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P', 'Bearer abcd1234'],
  ...['AKIAIOSFODNN7EXAMPLE', 'id ASIAIOSFODNN7EXAMPLE', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE',
    'api_key: x',
    'secret=x',
    'auth_token=x',
  ],
  ...[
    'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
    'xoxb-17653672481-19874698323',
    'npm_16C7e42F292c6912E7710c838347Ae178B4a',
    'hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH',
    'SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf09kqeF8tAmbihYzrnopKc1s5cr',
  ],
  ...['key_ingest_x', 'key_live_x', 'key_read_x', 'whsec_x', 'ｐａｓｓｗｏｒｄ＝hunter2', 'mongodb：／／db'],
];

t.test('common names of databases and pools are aliases', async (t) => {
  for (const text of ordinary) t.equal(problemOfAlias(text), undefined, text);
  const word = fc.stringMatching(/^[a-z]{1,12}[0-9]{0,3}$/);
  const alias = fc
    .tuple(fc.array(word, { minLength: 1, maxLength: 9 }), fc.constantFrom('-', '_', '.', '/', ' ', '#'))
    .map(([words, separator]) => words.join(separator))
    .filter((text) => text.length <= 120);
  fc.assert(fc.property(alias, isSafeAlias), propertyOf(t, { few: 50, many: 1_000 }));
});

t.test('secrets are not aliases', async (t) => {
  for (const text of secrets) {
    t.ok(looksLikeSecret(text), text);
    t.notOk(isSafeAlias(text), text);
    t.notOk(isSafeAlias(`orders ${text} db`), `${text} within a name`);
  }
});

t.test('connection strings, passwords and long tokens are not aliases', async () => {
  const part = fc.string({ minLength: 1, maxLength: 20 }).map(encodeURIComponent);
  const scheme = fc.constantFrom(
    'mongodb',
    'mongodb+srv',
    'postgres',
    'postgresql',
    'mysql',
    'redis',
    'https',
    'amqp',
  );
  const name = fc.constantFrom(
    'password',
    'PASSWORD',
    'pwd',
    'Pwd',
    'passwd',
    'pass',
    'secret',
    'token',
    'api_key',
  );
  // Hashes, because strings of fast-check are often not random enough.
  const random = fc.string().map((text) => createHash('sha256').update(text).digest());
  const secret = fc.oneof(
    fc.tuple(scheme, part, part, part).map(([s, user, pw, host]) => `${s}://${user}:${pw}@${host}/db`),
    fc.tuple(part, part, part).map(([user, pw, host]) => `${user}:${pw}@${host}`),
    fc.tuple(name, fc.constantFrom('=', ': ', ' = ', ':'), part).map((parts) => parts.join('')),
    fc
      .tuple(random, fc.constantFrom('hex', 'base64', 'base64url'))
      .map(([bytes, form]) => bytes.toString(form as 'hex')),
    fc.tuple(random, fc.integer({ min: 32, max: 64 })).map(([bytes, n]) => bytes.toString('hex').slice(0, n)),
    random.map(
      (bytes) =>
        `AKIA${bytes
          .toString('hex')
          .toUpperCase()
          .replaceAll(/[0189]/g, 'X')
          .slice(0, 16)}`,
    ),
  );
  const within = fc.tuple(fc.constantFrom('', 'orders ', 'eu/'), secret, fc.constantFrom('', ' db'));
  fc.assert(
    fc.property(within, ([before, text, after]) => !isSafeAlias(before + text + after)),
    // One token in about 100,000 contains so many short words that it looks like a name.
    propertyOf(t, { few: 500, many: 10_000 }),
  );
});

t.test('every text is judged quickly', async (t) => {
  // Each of these takes years when a form can match it in many ways.
  const repeated = [
    'a',
    'aB',
    'Aa',
    'Aab',
    'a:',
    ':@',
    '-u ',
    '--user ',
    'eyJ',
    'key',
    'pass',
    'a1',
    'basic ',
    'a_',
    '=/',
  ];
  const texts = repeated.flatMap((part) =>
    ['A', '!', ' -p', '@'].map((end) => part.repeat(120 / part.length - 3) + end),
  );
  const before = process.cpuUsage();
  for (const text of texts) problemOfAlias(text);
  const { user } = process.cpuUsage(before);
  t.ok(user < 1_000_000, `${texts.length} texts took ${user} µs`);
});

t.test('an alias is trimmed, composed, and at most 120 characters of a few kinds', async (t) => {
  t.equal(parseAlias('/target', '  orders db '), 'orders db');
  t.equal(parseAlias('/target', 'bu\u0308cher'), 'b\u00fccher');
  t.equal(parseAlias('/target', 'ab/'.repeat(40)), 'ab/'.repeat(40));
  const refused: [string, RegExp][] = [
    ['', /^\/target must not be blank\.$/],
    ['   ', /^\/target must not be blank\.$/],
    ['ab/'.repeat(41), /^\/target must have at most 120 characters\.$/],
    ...[
      'a\nb',
      'a\u0000',
      'tab\t',
      'a\u202eb',
      'a\u200bb',
      'é\ud800',
      'a@b',
      'a=b',
      'a%20b',
      "a'b",
      'a;b',
      '<b>',
      '$a',
    ].map((text): [string, RegExp] => [text, /^\/target must be letters, digits, spaces and /]),
  ];
  for (const [text, message] of refused) {
    t.throws(() => parseAlias('/target', text), { kind: 'invalidBody', message }, JSON.stringify(text));
  }
});

t.test('the error never contains the text', async (t) => {
  for (const text of secrets) {
    t.throws(() => parseAlias('/sourceId', text), {
      message: '/sourceId looks like a secret; send a name that says nothing of how to connect.',
    });
  }
});

t.test('a revision may contain the id of a commit, and otherwise follows the rules of aliases', async (t) => {
  const commit = createHash('sha1').update('x').digest('hex');
  const long = createHash('sha256').update('x').digest('hex');
  for (const text of [commit, long, `1.4.2+${commit}`, `orders:${commit}`, 'v12', '2026-01-31']) {
    t.equal(parseRevision('/revision', ` ${text} `), text);
  }
  for (const text of [`${commit}00`, long.slice(0, 36), `password: ${commit}`, 'https://ci/1', '']) {
    t.throws(() => parseRevision('/revision', text), { name: 'ServiceError', message: /^\/revision / }, text);
  }
});
