import t from 'tap';
import { importGatus } from '../../../cli/import/gatus.js';
import type { Imported } from '../../../cli/import/imported.js';
import { importKumaBackup } from '../../../cli/import/kuma.js';
import { sayNote } from '../../../cli/import/request.js';

const environment: Readonly<Record<string, string>> = {
  HOST: 'shop.example.test',
  TOKEN: 'geheim',
  EMPTY: '',
};
const find = (name: string) => environment[name];
const gatus = (text: string) => importGatus(text, find);
const endpoint = (lines: string) =>
  gatus(
    `endpoints:\n  - name: one\n    url: https://a.example.test/\n    conditions: ["[STATUS] == 200"]\n${lines}`,
  );
const kuma = (...rows: object[]) => importKumaBackup(JSON.stringify({ monitorList: rows }));
const web = (settings: object) =>
  kuma({ id: 1, name: 'one', type: 'http', url: 'https://a.example.test/', interval: 60, ...settings });

/** Settings of the only monitor, and what is said of it. */
function only({ monitors, left }: Imported) {
  const [monitor] = monitors;
  return {
    ...monitor?.settings,
    group: monitor?.group,
    notes: monitor?.notes.map(sayNote).join('; ') ?? '',
    left,
  };
}

t.test('gatus: each setting is read, noted or left', async (t) => {
  const said = [
    ['    client: {ignore-redirect: true}', /followed no redirect/],
    ['    client: {proxy-url: "http://u:geheim@proxy.example.test:3128"}', /proxy-url/],
    ['    client: {oauth2: {client-secret: geheim}}', /oauth2/],
    ['    client: {tls: {certificate-file: a.pem}}', /certificate of its own/],
    [
      '    client: {tunnel: jump, dns-resolver: "tcp://1.1.1.1:53", network: ip6}',
      /tunnel.*dns-resolver.*ip6/,
    ],
    ['    maintenance-windows: [{start: "23:30", duration: 1h}]', /maintenance-windows/],
    ['    client: {invented: 1}', /its setting client\.invented is not read/],
    ['    invented: {secret: geheim}', /its setting invented is not read/],
    ['    alerts: [{type: slack, invented: 1}]', /alerts\.invented.*not after 2/],
  ] as const;
  const wrong = said.filter(([lines, wanted]) => !wanted.test(only(endpoint(lines)).notes));
  t.strictSame(wrong, []);
  const file = gatus(`
services: [{name: old, url: "https://old.example.test/", conditions: ["[STATUS] == 200"]}]
suites: [{name: checkout, endpoints: []}]
maintenance: {start: "23:00"}
alerting: {slack: {webhook-url: "https://hooks.example.test/geheim"}}
remote: {instances: []}
x-own: 1
ui: {title: a}
`);
  t.match(file.notes, [/^maintenance is not read/, /^alerting is not read/, /^remote/, /^x-own is not read/]);
  t.match(file.left, [{ name: 'checkout', why: /suite/ }]);
  t.match(file.monitors, [{ settings: { name: 'old' } }]);
  t.notMatch(JSON.stringify([...said.map(([lines]) => only(endpoint(lines)).notes), file.notes]), 'geheim');
});

t.test('gatus: requests are as Gatus sends them', async (t) => {
  const graphql = only(endpoint('    method: POST\n    graphql: true\n    body: "{ me { id } }"'));
  t.match(graphql, {
    ...{ method: 'POST', body: '{"query":"{ me { id } }"}', headers: { 'Content-Type': 'application/json' } },
    ...{ failuresToDown: 3, everySeconds: 60, timeoutMs: 10_000 },
  });
  const own = endpoint('    graphql: true\n    headers: {content-type: application/graphql}');
  t.strictSame(only(own).headers, { 'content-type': 'application/graphql' });
  const alerting = 'alerting: {slack: {default-alert: {failure-threshold: 5}}}\n';
  t.match(only(gatus(`${alerting}endpoints: [{name: a, url: "tcp://a:1", alerts: [{type: slack}]}]`)), {
    failuresToDown: 5,
  });
  const statuses = [
    ['[STATUS] >= 200", "[STATUS] < 300', '200-299'],
    ['[STATUS] == any(200, 429)', '200,429'],
    ['[STATUS] != 500', '100-499,501-599'],
    ['[CONNECTED] == true', '100-300,304-306,309-599'],
  ];
  const found = statuses.map(([condition]) => {
    const text = `endpoints: [{name: a, url: "http://a.test/", conditions: ["${condition}"]}]`;
    return [condition, only(gatus(text)).expectStatus];
  });
  t.strictSame(found, statuses);
});

t.test('gatus: YAML and variables as Gatus reads them', async (t) => {
  const { monitors, left } = gatus(`
.usual: &usual {interval: 2m, group: 2024-01-01, conditions: ["[STATUS] == 200"]}
endpoints:
  - {<<: *usual, name: 1.10, url: "https://\${HOST}/", headers: {X-Key: $TOKEN, X-Price: 5$$, X-On: yes}}
  - {<<: *usual, name: true, url: "https://b.example.test/", group: , body: 12}
  - {<<: *usual, name: missing, url: "https://$NOWHERE/"}
alerting:
`);
  t.match(monitors, [
    {
      ...{ group: '2024-01-01', hasSecretUrl: true },
      settings: {
        ...{ name: '1.10', url: 'https://shop.example.test/', everySeconds: 120 },
        headers: { 'X-Key': 'geheim', 'X-Price': '5$', 'X-On': 'yes' },
      },
    },
    { group: undefined, settings: { name: 'true', body: '12' } },
  ]);
  t.match(left, [{ name: 'missing', why: /^NOWHERE of the environment is not set/ }]);
  const secret = endpoint('    body: $TOKEN').monitors.concat(
    gatus('endpoints: [{name: a, url: "http://a.test/", conditions: ["[BODY].key == $TOKEN"]}]').monitors,
  );
  t.match(secret[1]?.notes.join(), /\[BODY\]\.key == \$\{TOKEN\} is not checked/);
  t.throws(() => gatus('endpoints: [\n'), { name: 'FileError' });
  t.throws(() => gatus('endpoints: 5\n'), { name: 'FileError' });
});

t.test('kuma: each setting is read, noted or left', async (t) => {
  const said: [object, RegExp][] = [
    [{ proxyId: 1 }, /proxy/],
    [{ maxretries: 3, retryInterval: 20, resendInterval: 5 }, /not after 20 s.*repeated after 5/],
    [{ expiryNotification: true }, /ends soon was announced/],
    [{ maxredirects: 0 }, /followed no redirect/],
    [{ maxredirects: 2 }, /not 2/],
    [{ authMethod: 'ntlm', basic_auth_user: 'a', basic_auth_pass: 'geheim' }, /signs in with ntlm/],
    [{ authMethod: 'oauth2-cc', oauth_client_secret: 'geheim' }, /signs in with oauth2-cc/],
    [{ authMethod: 'mtls', tlsKey: 'geheim' }, /signs in with mtls/],
    [{ accepted_statuscodes: ['200-299', '999'] }, /accepts 999/],
    [{ tags: [{ name: 'x' }] }, /tags/],
    [{ inventedSetting: 'geheim' }, /its setting invented_setting is not read/],
    [{ maxretries: 40 }, /down after 20 failures, not 41/],
    [{ interval: 86_400 }, /every 3600 s, not every 86400 s/],
  ];
  t.strictSame(
    said.filter(([row, wanted]) => !wanted.test(only(web(row)).notes)),
    [],
  );
  t.notMatch(JSON.stringify(said.map(([row]) => only(web(row)).notes)), 'geheim');
  t.match(only(web({ expiryNotification: true, maxretries: 3 })), { failuresToDown: 4, timeoutMs: 48_000 });
  t.notOk('tlsExpiryDays' in only(web({ expiryNotification: true })));
  t.equal(only(web({ accepted_statuscodes: ['200', '201', '500-999'] })).expectStatus, '200-201,500-599');
  t.match(web({ accepted_statuscodes: ['999'] }).left, [{ why: /no statuses of HTTP/ }]);
});

t.test('kuma: requests are as Uptime Kuma sends them', async (t) => {
  const sent = (row: object) => only(web({ body: '<a/>', ...row })).headers;
  t.strictSame(sent({ httpBodyEncoding: 'xml' }), { 'Content-Type': 'text/xml; charset=utf-8' });
  t.strictSame(sent({ httpBodyEncoding: 'form' }), { 'Content-Type': 'application/x-www-form-urlencoded' });
  t.strictSame(sent({}), { 'Content-Type': 'application/json' });
  t.strictSame(sent({ headers: '{"content-type":"a/b"}' }), { 'content-type': 'a/b' });
  t.strictSame(only(web({ authMethod: 'basic', basic_auth_user: 'a', basic_auth_pass: 'b' })).headers, {
    Authorization: 'Basic YTpi',
  });
  t.equal(only(web({ authMethod: null, basic_auth_user: 'a' })).headers, undefined);
  const taken = only(web({ url: 'https://probe:ge%40heim@inside.example.test/' }));
  t.match(taken, {
    url: 'https://inside.example.test/',
    headers: { Authorization: 'Basic cHJvYmU6Z2VAaGVpbQ==' },
  });
});

t.test('kuma: rows that lack something, groups in groups and manual ones', async (t) => {
  const { monitors, left } = kuma(
    { id: 1, name: null, type: 'http', url: 'https://a.example.test/', interval: null, parent: 8 },
    { id: 2, name: 'two\nlines', type: 'manual', interval: 60, active: 0 },
    { id: 3, name: 'half', type: 'http', url: 'https://' },
    { id: 4, name: 'odd', type: 'port', hostname: 'https://u:geheim@a', port: 1 },
    { id: 9, name: 'Outer', type: 'group', active: false },
    { id: 8, name: 'Inner', type: 'group', parent: 9 },
  );
  t.match(monitors, [
    {
      settings: { name: 'http 1' },
      group: 'Outer / Inner',
      isPaused: true,
      notes: [{ mended: /named by its id/ }, /another/],
    },
    { settings: { name: 'two lines', type: 'manual' } },
    { settings: { name: 'half' } },
    { settings: { name: 'odd' } },
  ]);
  t.strictSame(left, []);
  for (const text of ['[]', '{}', 'null', '{"monitorList": {}}']) {
    t.throws(() => importKumaBackup(text), { name: 'FileError' }, text);
  }
});
