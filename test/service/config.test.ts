import t from 'tap';
import { privateNetworks } from '../../lib/networks.js';
import { type ConfigError, parseConfig } from '../../service/config.js';

const secret = 'x'.repeat(32);

t.test('without variables every setting has its default', async (t) => {
  t.strictSame(parseConfig({}), {
    host: '127.0.0.1',
    port: 8080,
    otlpGrpcPort: 4317,
    hasOtlpGrpcPort: false,
    dataDir: './data',
    logBytesMax: 1_073_741_824,
    gateways: {},
    localSignIn: true,
    trustedProxies: [],
    metricsFrom: [...privateNetworks],
    processes: 1,
    logLevel: 'info',
    warnings: [],
  });
  t.strictSame(
    parseConfig({ HOST: '', PORT: ' ', DATABASE_URL: '', HEARTLINE_DATA_DIR: '' }),
    parseConfig({}),
  );
});

t.test('every variable is parsed', async (t) => {
  const config = parseConfig({
    HOST: '0.0.0.0',
    PORT: '0',
    HEARTLINE_OTLP_GRPC_PORT: '0',
    BASE_URL: 'https://status.example.com/base',
    DATABASE_URL: 'postgres://user:pw@db/heartline',
    CLICKHOUSE_URL: 'https://user:pw@ch:8443/heartline',
    CLICKHOUSE_CLUSTER: 'events-1',
    HEARTLINE_DATA_DIR: ' /var/lib/heartline ',
    HEARTLINE_LOG_MAX_BYTES: '67108864',
    HEARTLINE_CLICKHOUSE_MEMORY: '1500 mb',
    HEARTLINE_SECRET_KEY: secret,
    HEARTLINE_SMTP_URL: 'smtp://user:pw@mail:587?from=status@example.com',
    HEARTLINE_SMS_URL: 'https://user:p%40ss@sms.example.com/a1/sms',
    HEARTLINE_SMS_FORM: '{"to": "{to}", "message": "{text}", "route": 7}',
    HEARTLINE_VOICE_URL: 'http://10.0.0.7:8080/calls',
    HEARTLINE_VOICE_FORM: '{"number": "{to}", "say": "{text_xml}"}',
    HEARTLINE_VOICE_HEADERS: '{"X-Api-Key": "k"}',
    HEARTLINE_TRANSLATE_URL: 'https://translate.example.com?api_key=k',
    HEARTLINE_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    HEARTLINE_METRICS_FROM: 'private, 198.51.100.7',
    HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on',
    HEARTLINE_OIDC_ISSUER: 'https://login.example.com/realms/acme',
    HEARTLINE_OIDC_CLIENT_ID: 'heartline',
    HEARTLINE_OIDC_CLIENT_SECRET: 'hunter2',
    HEARTLINE_OIDC_SCOPES: 'openid, email profile  groups',
    HEARTLINE_OIDC_TRUST_EMAIL: 'on',
    HEARTLINE_OIDC_GROUPS_CLAIM: 'roles',
    HEARTLINE_OIDC_GROUPS: 'on-call=responder@acme,, cn=team=viewer@acme-2',
    HEARTLINE_LOCAL_SIGN_IN: 'off',
    HEARTLINE_WORKERS: '4',
    LOG_LEVEL: 'silent',
    HEARTLINE_LOG_FORMAT: 'json',
    PATH: '/bin',
  });
  t.strictSame(config, {
    host: '0.0.0.0',
    port: 0,
    otlpGrpcPort: 0,
    hasOtlpGrpcPort: true,
    baseUrl: new URL('https://status.example.com/base'),
    databaseUrl: 'postgres://user:pw@db/heartline',
    clickhouseUrl: 'https://user:pw@ch:8443/heartline',
    clickhouseCluster: 'events-1',
    dataDir: '/var/lib/heartline',
    logBytesMax: 67_108_864,
    clickhouseMemoryBytes: 1_500_000_000,
    secretKey: secret,
    smtpUrl: 'smtp://user:pw@mail:587?from=status@example.com',
    gateways: {
      sms: {
        url: 'https://sms.example.com/a1/sms',
        form: { to: '{to}', message: '{text}', route: '7' },
        headers: { authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}` },
      },
      voice: {
        url: 'http://10.0.0.7:8080/calls',
        form: { number: '{to}', say: '{text_xml}' },
        headers: { 'X-Api-Key': 'k' },
      },
    },
    translateUrl: 'https://translate.example.com?api_key=k',
    oidc: {
      issuer: 'https://login.example.com/realms/acme',
      clientId: 'heartline',
      clientSecret: 'hunter2',
      scopes: 'openid email profile groups',
      trustsEmail: true,
      groupsClaim: 'roles',
      grants: [
        { group: 'on-call', role: 'responder', pageSlug: 'acme' },
        { group: 'cn=team', role: 'viewer', pageSlug: 'acme-2' },
      ],
    },
    localSignIn: false,
    trustedProxies: ['10.0.0.0/8', '::1'],
    metricsFrom: [...privateNetworks, '198.51.100.7'],
    allowPrivateAddresses: true,
    processes: 4,
    logLevel: 'silent',
    logFormat: 'json',
    warnings: [],
  });
  t.equal(parseConfig({ DATABASE_URL: 'postgresql://db/x' }).databaseUrl, 'postgresql://db/x');
});

t.test(
  'HEARTLINE_ACK of earlier versions fails no start, and a sentence says that it has no effect',
  async (t) => {
    for (const value of ['log', 'store', 'anything']) {
      const { warnings } = parseConfig({ HEARTLINE_ACK: value });
      t.match(warnings, [
        /^HEARTLINE_ACK has no effect any more; unset it\. Events are acknowledged from the log if/,
      ]);
      t.equal(warnings.length, 1);
    }
    t.strictSame(parseConfig({ HEARTLINE_ACK: ' ' }).warnings, [], 'an empty variable counts as unset');
    t.throws(() => parseConfig({ HEARTLINE_FOO: 'x' }), /^(?!.*HEARTLINE_ACK)/, 'and is not offered');
  },
);

const bad: Record<string, [env: Record<string, string>, sentence: RegExp]> = {
  'a port that is not a number': [{ PORT: 'http' }, /^PORT must be a number from 0 to 65535, not "http"\.$/],
  'a mail server over HTTP': [{ HEARTLINE_SMTP_URL: 'https://mail' }, /^HEARTLINE_SMTP_URL must be a URL/],
  'a gateway without a form': [
    { HEARTLINE_SMS_URL: 'https://u:hunter2@sms.example.com' },
    /^HEARTLINE_SMS_FORM must be set when HEARTLINE_SMS_URL is/,
  ],
  'a form without a gateway': [
    { HEARTLINE_VOICE_FORM: '{"to": "{to}"}' },
    /^HEARTLINE_VOICE_FORM needs HEARTLINE_VOICE_URL/,
  ],
  'a form that is no object of texts': [
    { HEARTLINE_SMS_URL: 'https://sms.example.com', HEARTLINE_SMS_FORM: '["hunter2"]' },
    /^HEARTLINE_SMS_FORM must be a JSON object of texts/,
  ],
  'a form that is no JSON': [
    { HEARTLINE_SMS_URL: 'https://sms.example.com', HEARTLINE_SMS_FORM: 'key=hunter2' },
    /^HEARTLINE_SMS_FORM must be a JSON object of texts/,
  ],
  'a form with an unknown placeholder': [
    {
      HEARTLINE_SMS_URL: 'https://sms.example.com',
      HEARTLINE_SMS_FORM: '{"to": "{to}", "text": "{body}", "key": "hunter2"}',
    },
    /^HEARTLINE_SMS_FORM has the placeholder \{body\}; known are \{to\}, \{text\}, \{text_xml\}, \{severity\}\.$/,
  ],
  'a header in two lines': [
    {
      HEARTLINE_SMS_URL: 'https://sms.example.com',
      HEARTLINE_SMS_FORM: '{"to": "{to}", "text": "{text}"}',
      HEARTLINE_SMS_HEADERS: '{"x-key": "hunter2\\nx: y"}',
    },
    /^HEARTLINE_SMS_HEADERS has a name or a value that cannot be in a header\.$/,
  ],
  'a user and a header that sign in': [
    {
      HEARTLINE_SMS_URL: 'https://u:hunter2@sms.example.com',
      HEARTLINE_SMS_FORM: '{"to": "{to}", "text": "{text}"}',
      HEARTLINE_SMS_HEADERS: '{"Authorization": "Bearer hunter2"}',
    },
    /^HEARTLINE_SMS_HEADERS has the header authorization, and HEARTLINE_SMS_URL a user/,
  ],
  'a proxy that is not an address': [
    { HEARTLINE_TRUSTED_PROXIES: 'proxy.local' },
    /^HEARTLINE_TRUSTED_PROXIES must/,
  ],
  'a network with too long a prefix': [
    { HEARTLINE_TRUSTED_PROXIES: '10.0.0.0/33' },
    /^HEARTLINE_TRUSTED_PROXIES/,
  ],
  'a switch that is neither on nor off': [
    { HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'yes' },
    /^HEARTLINE_ALLOW_PRIVATE_ADDRESSES must be on or off, not "yes"\.$/,
  ],
  'memory without a unit': [
    { HEARTLINE_CLICKHOUSE_MEMORY: '4' },
    /^HEARTLINE_CLICKHOUSE_MEMORY must be 500MB or more, such as 800MB or 4GB, not "4"\.$/,
  ],
  'too little memory': [
    { HEARTLINE_CLICKHOUSE_MEMORY: '499MB' },
    /^HEARTLINE_CLICKHOUSE_MEMORY must be 500MB/,
  ],
  'no process': [{ HEARTLINE_WORKERS: '0' }, /^HEARTLINE_WORKERS must be a number from 1 to 8, not "0"\.$/],
  'too many processes': [{ HEARTLINE_WORKERS: '9' }, /^HEARTLINE_WORKERS must/],
  'a log with a unit': [
    { HEARTLINE_LOG_MAX_BYTES: '1GB' },
    /^HEARTLINE_LOG_MAX_BYTES must be a number of bytes from 67108864, such as 1073741824, not "1GB"\.$/,
  ],
  'a log without room': [{ HEARTLINE_LOG_MAX_BYTES: '67108863' }, /^HEARTLINE_LOG_MAX_BYTES must/],
  'a port that is too large': [{ PORT: '65536' }, /^PORT must be/],
  'a negative port': [{ PORT: '-1' }, /^PORT must be/],
  'a port with a fraction': [{ PORT: '80.5' }, /^PORT must be/],
  'a port in another notation': [{ PORT: '0x50' }, /^PORT must be/],
  'a port for gRPC that is none': [
    { HEARTLINE_OTLP_GRPC_PORT: 'off' },
    /^HEARTLINE_OTLP_GRPC_PORT must be a number from 0 to 65535, not "off"\.$/,
  ],
  'an unknown log level': [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of .*info.*, not "loud"\.$/],
  'an unknown log format': [
    { HEARTLINE_LOG_FORMAT: 'xml' },
    /^HEARTLINE_LOG_FORMAT must be text or json, not "xml"\.$/,
  ],
  'a base URL that is not a URL': [
    { BASE_URL: 'example.com' },
    /^BASE_URL must be a URL that starts with http:/,
  ],
  'a database of another kind': [{ DATABASE_URL: 'mysql://u:hunter2@h/d' }, /^DATABASE_URL must be a URL/],
  'a ClickHouse URL of the native protocol': [
    { CLICKHOUSE_URL: 'tcp://u:hunter2@h:9000' },
    /^CLICKHOUSE_URL must/,
  ],
  'a database URL that is not a URL': [{ DATABASE_URL: 'u:hunter2@h' }, /^DATABASE_URL must be a URL/],
  'a place that is no network': [
    { HEARTLINE_METRICS_FROM: '10.0.0.0/8,prometheus' },
    /^HEARTLINE_METRICS_FROM must list addresses or networks such as 10\.0\.0\.0\/8, or the word private, not "prometheus"\.$/,
  ],
  'a network of IPv4 with a prefix of IPv6': [
    { HEARTLINE_METRICS_FROM: '::ffff:10.0.0.0/104, ::ffff:10.0.0.0/90' },
    /^HEARTLINE_METRICS_FROM must list .*, not "::ffff:10\.0\.0\.0\/90"\.$/,
  ],
  'a short secret key': [{ HEARTLINE_SECRET_KEY: 'hunter2' }, /^HEARTLINE_SECRET_KEY must have at least 32/],
  'a list of keys with an empty one': [
    { HEARTLINE_SECRET_KEY: `${secret},,hunter2` },
    /^HEARTLINE_SECRET_KEY has an empty key 2 of 3; /,
  ],
  'a list of keys that ends with a comma': [
    { HEARTLINE_SECRET_KEY: `${secret}, ` },
    /^HEARTLINE_SECRET_KEY has an empty key 2 of 2; /,
  ],
  'a list of keys with a short one': [
    { HEARTLINE_SECRET_KEY: `${secret}, hunter2` },
    /^HEARTLINE_SECRET_KEY must have at least 32 characters in each key, and key 2 of 2 has fewer: /,
  ],
  'a list of keys with one twice': [
    { HEARTLINE_SECRET_KEY: `${secret},${'y'.repeat(32)}, ${secret}` },
    /^HEARTLINE_SECRET_KEY has the same key in places 1 and 3; remove one of them\.$/,
  ],
  'both URLs and no secret key': [
    { DATABASE_URL: 'postgres://h/d', CLICKHOUSE_URL: 'http://h:8123/d' },
    /^HEARTLINE_SECRET_KEY must be set/,
  ],
  'local sign-in off without a provider': [
    { HEARTLINE_LOCAL_SIGN_IN: 'off' },
    /^HEARTLINE_LOCAL_SIGN_IN=off needs HEARTLINE_OIDC_ISSUER/,
  ],
  'a client without a provider': [
    { HEARTLINE_OIDC_CLIENT_SECRET: 'hunter2' },
    /^HEARTLINE_OIDC_CLIENT_SECRET needs HEARTLINE_OIDC_ISSUER/,
  ],
  'a provider without a client': [
    { HEARTLINE_OIDC_ISSUER: 'https://login.example.com', HEARTLINE_OIDC_CLIENT_ID: 'x' },
    /^HEARTLINE_OIDC_CLIENT_SECRET must be set/,
  ],
  'a provider on plain HTTP': [
    {
      HEARTLINE_OIDC_ISSUER: 'http://login.example.com',
      HEARTLINE_OIDC_CLIENT_ID: 'x',
      HEARTLINE_OIDC_CLIENT_SECRET: 'y',
    },
    /^HEARTLINE_OIDC_ISSUER must start with https:/,
  ],
  'a group that makes admins': [
    {
      HEARTLINE_OIDC_ISSUER: 'https://login.example.com',
      HEARTLINE_OIDC_CLIENT_ID: 'x',
      HEARTLINE_OIDC_CLIENT_SECRET: 'y',
      HEARTLINE_OIDC_GROUPS: 'ops=admin',
    },
    /^HEARTLINE_OIDC_GROUPS must list pairs such as team=editor@acme, not "ops=admin"; no group makes an admin/,
  ],
  'a group with an unknown role': [
    {
      HEARTLINE_OIDC_ISSUER: 'https://login.example.com',
      HEARTLINE_OIDC_CLIENT_ID: 'x',
      HEARTLINE_OIDC_CLIENT_SECRET: 'y',
      HEARTLINE_OIDC_GROUPS: 'ops=boss@acme',
    },
    /^HEARTLINE_OIDC_GROUPS must .*; the roles are viewer, responder, editor, owner\.$/,
  ],
  'a cluster of embedded stores': [
    { CLICKHOUSE_CLUSTER: 'events' },
    /^CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL.*: the embedded store is not part of one\.$/,
  ],
  'a cluster whose name would end the statement': [
    { CLICKHOUSE_URL: 'http://h:8123/d', CLICKHOUSE_CLUSTER: "x'" },
    /^CLICKHOUSE_CLUSTER must be the name of a cluster/,
  ],
  'a misspelt setting': [{ HEARTLINE_DATADIR: '/x' }, /did you mean HEARTLINE_DATA_DIR\?$/],
  'a setting whose short name has no prefix': [
    { HEARTLINE_BASEURL: 'https://x' },
    /^HEARTLINE_BASEURL is not a setting of Heartline; did you mean BASE_URL\?$/,
  ],
  'a setting that is near to none': [{ HEARTLINE_QQQQ: 'x' }, /; the settings are HEARTLINE_DATA_DIR, /],
  'a misspelt setting without a value': [{ HEARTLINE_DATADIR: '' }, /^HEARTLINE_DATADIR is not a setting/],
};

for (const [name, [env, sentence]] of Object.entries(bad)) {
  t.test(`one sentence refuses ${name}`, async (t) => {
    t.throws(() => parseConfig(env), { name: 'ConfigError', message: sentence });
    try {
      parseConfig(env);
    } catch (error) {
      const { message } = error as ConfigError;
      t.notMatch(message, /\n|hunter2|xxxx/, 'the message repeats no secret');
    }
  });
}
