import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sqlite from 'node-sqlite3-wasm';
import t from 'tap';
import type { LedgerEntry } from '../../contract/incidents.js';
import type { ManagedMonitor } from '../../contract/manage/monitors.js';
import { loadLedger } from '../../control/incidents/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { openBothWays } from '../support/cli-both.js';
import { listenUntilEnd } from '../support/listen.js';
import { makeKey, makePage } from '../support/pages.js';

const { service, local, remote, admin } = await openBothWays(t);
const { sql } = service.stores;
const folder = t.testdir();
const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../test/fixtures/imports/${name}`, import.meta.url));

async function monitorsOf(page: string): Promise<Record<string, ManagedMonitor>> {
  const { stdout } = await local('monitor', 'list', '--page', page, '--json');
  const { monitors } = JSON.parse(stdout) as { monitors: ManagedMonitor[] };
  return Object.fromEntries(monitors.map((monitor) => [monitor.slug, monitor]));
}

const incidentsOf = async (page: string): Promise<LedgerEntry[]> => {
  const ledger = await loadLedger({ sql, clock: systemClock }, await loadPageId(sql, page));
  const en = (text: object): string => String(Object.values(text)[0]);
  return ledger.map((entry) => ({
    ...entry,
    ...{ title: en(entry.title), summary: en(entry.summary) },
    updates: entry.updates.map((update) => ({ ...update, body: en(update.body) })),
  })) as unknown as LedgerEntry[]; // Texts in place of those by language are easier to compare.
};

/** As Kener writes them; its times are in seconds. 1767225600 is the beginning of 2026. */
const kenerIncidents = `
  create table incidents (id integer primary key, title text, start_date_time integer, end_date_time integer,
    status text, state text, incident_type text);
  create table incident_comments (id integer primary key, comment text, incident_id integer, commented_at integer,
    status text, state text);
  create table incident_monitors (id integer primary key, monitor_tag text, monitor_impact text, incident_id integer);
  insert into incidents values (1, 'Disk full', 1767225600, 1767229200, 'OPEN', 'RESOLVED', 'INCIDENT'),
    (2, 'New disks', 1767139200, 1767142800, 'OPEN', 'RESOLVED', 'MAINTENANCE'),
    (3, 'Slow', 1767225600, null, 'OPEN', 'INVESTIGATING', 'INCIDENT');
  insert into incident_comments values (1, 'Orders fail.', 1, 1767225600, 'ACTIVE', 'INVESTIGATING'),
    (2, 'The disk is full.', 1, 1767226000, 'ACTIVE', 'IDENTIFIED'),
    (3, 'A mistake.', 1, 1767226100, 'INACTIVE', 'IDENTIFIED'),
    (4, 'We have more disks.', 1, 1767229000, 'ACTIVE', 'RESOLVED');
  insert into incident_monitors values (1, 'shop', 'DOWN', 1), (2, 'dns', 'DOWN', 1);`;

/** A database with these statements, written as its program would. */
async function makeDatabase(name: string, statements: string): Promise<string> {
  const path = join(folder, name);
  const database = new sqlite.Database(path);
  database.exec(statements);
  database.close();
  return path;
}

t.test('gatus: endpoints, groups and heartbeats, and what it could not take', async (t) => {
  const args = ['import', 'gatus', fixture('gatus.yaml'), '--page', 'acme'];
  const planned = await remote(...args, '--plan');
  t.equal(planned.code, 1);
  t.match(planned.stdout, '7 to be created');
  t.strictSame(await monitorsOf('acme'), {}, 'a plan creates nothing');
  const { code, stdout, stderr } = await remote(...args);
  t.equal(code, 1, 'something could not be taken');
  for (const left of [
    'Not taken: example-dns-query: monitors have no checks for such addresses',
    'Not taken: icmp-ping: monitors have no checks for icmp',
    'Not taken: pushed by hand: an external endpoint without a heartbeat has no period',
  ]) {
    t.match(stderr, left);
  }
  t.match(stdout, 'back-end: it is checked every 10 s, not every 5 s');
  t.match(stdout, 'back-end: it was paused, and is paused here');
  t.match(stdout, 'back-end: the condition [BODY].status == UP is not checked');
  t.match(stdout, 'front-end: a response that is too slow makes it degraded, and not down');
  t.match(
    stdout,
    /The job of nightly-backup must call this address, which is not shown again: http.*\/ping\//,
  );
  t.match(await monitorsOf('acme'), {
    'front-end': {
      ...{ type: 'http', name: 'front-end', group: 'core', url: 'https://twin.sh/health', everySeconds: 300 },
      ...{ timeoutMs: 3_000, failuresToDown: 5, expectStatus: '200', expectBody: 'UP', degradedOverMs: 150 },
      tlsExpiryDays: 2,
    },
    'back-end': { method: 'POST', everySeconds: 10, expectStatus: '200,429', hasSecrets: true },
    'back-end-2': { name: 'back_end', group: null, expectStatus: '100-399' },
    database: { type: 'tcp', url: 'tcp://db.example.org:5432' },
    'nightly-backup': { type: 'heartbeat', group: 'jobs', periodSeconds: 86_400 },
  });
  await sql`update monitors set name = 'Mine' where slug = 'database'`;
  t.match((await remote(...args)).stdout, 'acme is as the file says.', 'again');
  t.match(await monitorsOf('acme'), { database: { name: 'Mine' } }, 'what is there stays');
});

const kuma = {
  shop: {
    ...{ type: 'http', group: 'website', description: 'For customers', failuresToDown: 3, timeoutMs: 48_000 },
    ...{ expectStatus: '200-299,401', hasSecrets: true, tlsExpiryDays: null },
  },
  'api-says-ok': { pausedAt: String, expectBody: '"ok"', everySeconds: 20, failuresToDown: 1 },
  database: { type: 'tcp', url: 'tcp://db.example.com:5432', group: 'website' },
  'nightly-backup': { type: 'heartbeat', periodSeconds: 86_400 },
};

t.test('kuma: its backup', async (t) => {
  await makePage(sql, { slug: 'backup' });
  const { code, stdout, stderr } = await local(
    'import',
    'kuma',
    fixture('kuma-backup.json'),
    '--page',
    'backup',
  );
  t.equal(code, 1);
  t.match(stderr, 'Not taken: Router: monitors have no checks of the kind ping');
  t.match(stderr, 'Not taken: Must be gone: it counts as up while its check fails');
  t.match(stdout, 'api-says-ok: it was paused, and is paused here');
  t.notMatch(stdout + stderr, /secret|YW5u/, 'a password is not shown');
  t.match(await monitorsOf('backup'), kuma);
});

t.test('kuma: its database, which has a log while it runs', async (t) => {
  await makePage(sql, { slug: 'database' });
  const path = await makeDatabase(
    'kuma.db',
    `create table monitor (id integer primary key, name varchar(150), active boolean, user_id integer, interval integer,
       url text, type varchar(20), weight integer, hostname varchar(255), port integer, created_date datetime,
       keyword varchar(255), maxretries integer, ignore_tls boolean, upside_down boolean, maxredirects integer,
       accepted_statuscodes_json text, method text, body text, headers text, basic_auth_user text, basic_auth_pass text,
       push_token varchar(20), expiry_notification boolean, description text, invert_keyword boolean, parent integer,
       timeout double);
     insert into monitor (id, name, active, interval, url, type, hostname, port, keyword, maxretries, ignore_tls, upside_down,
       accepted_statuscodes_json, method, headers, basic_auth_user, basic_auth_pass, expiry_notification, description,
       invert_keyword, parent, timeout) values
       (1, 'Shop', 1, 60, 'https://shop.example.com', 'http', null, null, null, 2, 0, 0, '["200-299","401"]', 'GET',
         '{"X-Check": "1"}', 'ann', 'secret', 1, 'For customers', 0, 9, 48),
       (2, 'API says ok', 0, 20, 'https://api.example.com/health', 'keyword', null, null, '"ok"', 0, 1, 0, '["200-299"]', 'GET',
         null, null, null, 0, null, 0, null, 16),
       (3, 'Database', 1, 60, 'https://', 'port', 'db.example.com', 5432, null, 1, 0, 0, '["200-299"]', 'GET', null, null, null,
         0, null, 0, 9, 48),
       (4, 'Nightly backup', 1, 86400, 'https://', 'push', null, null, null, 0, 0, 0, '["200-299"]', 'GET', null, null, null, 0,
         null, 0, null, 48),
       (9, 'Website', 1, 60, 'https://', 'group', null, null, null, 0, 0, 0, '["200-299"]', 'GET', null, null, null, 0, null, 0,
         null, 48);`,
  );
  await writeFile(`${path}-wal`, 'changes');
  const args = ['import', 'kuma', path, '--page', 'database'];
  t.match(await local(...args), { code: 2, stderr: /kuma\.db-wal\. Stop the program that writes it/ });
  await writeFile(`${path}-wal`, '');
  const { code, stderr } = await local(...args);
  t.equal(code, 0, stderr);
  t.match(await monitorsOf('database'), kuma);
});

t.test('kener: its database', async (t) => {
  await makePage(sql, { slug: 'kener' });
  const path = await makeDatabase(
    'kener.sqlite.db',
    `create table monitors (id integer primary key, tag text, name text, description text, image text, cron text,
       default_status text, status text, category_name text, monitor_type text, type_data text);
     insert into monitors (tag, name, description, cron, status, category_name, monitor_type, type_data) values
       ('shop', 'Shop', 'For customers', '*/5 * * * *', 'ACTIVE', 'Home', 'API',
         '{"url":"https://shop.example.com","method":"POST","headers":[{"key":"X-Check","value":"1"}],"body":"{}","timeout":5000,"eval":"(a) => a"}'),
       ('db', 'Database', '', '* * * * *', 'INACTIVE', 'Core', 'TCP',
         '{"hosts":[{"host":"db.example.com","port":5432},{"host":"db2.example.com","port":5432}]}'),
       ('job', 'Job', null, null, 'ACTIVE', 'Core', 'HEARTBEAT', '{"degradedRemainingMinutes":5,"downRemainingMinutes":60}'),
       ('phone', 'Phone', null, null, 'ACTIVE', null, 'NONE', null),
       ('dns', 'DNS', null, '* * * * *', 'ACTIVE', 'Core', 'DNS', '{"host":"example.com"}');
     ${kenerIncidents}`,
  );
  const { code, stdout, stderr } = await local('import', 'kener', path, '--page', 'kener');
  t.equal(code, 1);
  t.match(stderr, 'Not taken: DNS: monitors have no checks of the kind DNS');
  t.match(stderr, 'Not taken: Slow: it is not over; open it here when you change over');
  t.match(stdout, '2 past incidents are recorded.');
  t.match(await incidentsOf('kener'), [
    {
      ...{ title: 'Disk full', summary: 'Orders fail.', resolvedAt: '2026-01-01T01:00:00.000Z' },
      ...{ startedAt: '2026-01-01T00:00:00.000Z', services: ['shop'] },
      updates: [
        { status: 'identified', body: 'The disk is full.' },
        { status: 'resolved', body: 'We have more disks.' },
      ],
    },
    { type: 'maintenance', title: 'New disks', summary: 'New disks', updates: [] },
  ]);
  const again = await local('import', 'kener', path, '--page', 'kener', '--json');
  t.match(JSON.parse(again.stdout), { incidents: 0 });
  t.equal((await incidentsOf('kener')).length, 2, 'nothing is recorded twice');
  t.match(stdout, 'shop: its script is not run: a status from 200 to 299 passes');
  t.match(stdout, 'database: only the first of its 2 hosts is checked');
  t.match(await monitorsOf('kener'), {
    shop: {
      type: 'http',
      group: null,
      method: 'POST',
      everySeconds: 300,
      timeoutMs: 5_000,
      description: 'For customers',
    },
    database: { type: 'tcp', group: 'core', url: 'tcp://db.example.com:5432' },
    job: { type: 'heartbeat', periodSeconds: 3_600 },
    phone: { type: 'manual' },
  });
});

t.test('statuspage: the components and past incidents of a page, here of one of our own', async (t) => {
  await makePage(sql, { slug: 'source', hostname: 'localhost' });
  for (const args of [
    ['Website', '--slug', 'website'],
    ['Phone', '--slug', 'phone', '--description', 'Ask for Ann'],
  ]) {
    const made = await local('monitor', 'create', '--page', 'source', '--type', 'manual', '--name', ...args);
    t.equal(made.code, 0, made.stderr);
  }
  const post = (body: object, path = '') =>
    fetch(`${service.url}/api/v1/incidents${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${incidentKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((answer) => answer.json() as Promise<{ id: string }>);
  const { key: incidentKey } = await makeKey(
    { sql, clock: systemClock },
    { slug: 'source', scope: 'incident' },
  );
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const over = {
    title: 'Disk full',
    summary: 'Orders fail.',
    monitorSlugs: ['website'],
    startedAt: hoursAgo(3),
  };
  const { id } = await post({ ...over, impact: 'major' });
  await post({ body: 'The disk is full.', status: 'identified' }, `/${id}/updates`);
  await post({ body: 'We have more disks.', status: 'resolved' }, `/${id}/updates`);
  await post({ title: 'Slow', summary: 'It is slow.', startedAt: hoursAgo(1) });
  await makePage(sql, { slug: 'target' });
  const address = `http://localhost:${new URL(service.url).port}`;
  const plan = await local('import', 'statuspage', address, '--page', 'target', '--plan');
  t.match(plan.stdout, '1 past incidents would be recorded.');
  const far = await admin('import', 'statuspage', address, '--page', 'target', '--json');
  t.match(far, { code: 1, stderr: /1 past incidents: they are recorded on the server alone/ });
  const { code, stderr } = await local('import', 'statuspage', address, '--page', 'target', '--json');
  t.match([code, stderr], [1, /Not taken: Slow: it is not over/]);
  t.match(await incidentsOf('target'), [
    {
      ...{ title: 'Disk full', summary: 'Orders fail.', impact: 'major', services: ['website'] },
      ...{ startedAt: over.startedAt, maintenanceState: null },
      updates: [
        { status: 'identified', body: 'The disk is full.' },
        { status: 'resolved', body: 'We have more disks.' },
      ],
    },
  ]);
  await local('import', 'statuspage', address, '--page', 'target');
  t.equal((await incidentsOf('target')).length, 1, 'nothing is recorded twice');
  t.same(
    [...(await sql`select 1 from announcements where emails_queued_at is null`)],
    [],
    'nobody gets an email',
  );
  t.match(await monitorsOf('target'), {
    website: { type: 'manual', name: 'Website' },
    phone: { type: 'manual', description: 'Ask for Ann' },
  });
});

/** Writes a file, imports it to a page of its own or of before, and returns what the page has then. */
async function importText(product: string, page: string, text: string, ...flags: string[]) {
  const path = join(folder, `${page}.txt`);
  await writeFile(path, text);
  return local('import', product, path, '--page', page, ...flags);
}

const gatusHealth = (...groups: string[]) =>
  JSON.stringify({
    endpoints: groups.map((group) => ({
      ...{ name: 'health', group, url: `https://${group}.example.test/`, conditions: ['[STATUS] == 200'] },
    })),
  });
const kumaRows = (...rows: object[]) =>
  JSON.stringify({ monitorList: rows.map((row, index) => ({ id: index + 1, type: 'http', ...row })) });

t.test('a source that has changed creates what is new, and the same source nothing', async (t) => {
  await makePage(sql, { slug: 'again' });
  await importText('gatus', 'again', gatusHealth('core', 'shop'));
  const { stdout } = await importText('gatus', 'again', gatusHealth('auth', 'core', 'shop'));
  t.match(stdout, 'again: 2 created.', 'a group and a monitor');
  const made = Object.values(await monitorsOf('again')).map(({ group, url }) => `${group} ${url}`);
  t.strictSame(made.sort(), [
    'auth https://auth.example.test/',
    'core https://core.example.test/',
    'shop https://shop.example.test/',
  ]);
  const again = await importText('gatus', 'again', gatusHealth('shop', 'auth', 'core'), '--json');
  t.match(JSON.parse(again.stdout), { changes: [], notes: [], left: [] });
  await makePage(sql, { slug: 'cities' });
  await importText('kuma', 'cities', kumaRows({ name: '東京', url: 'https://tokyo.example.test/' }));
  await importText('kuma', 'cities', kumaRows({ name: '大阪', url: 'https://osaka.example.test/' }));
  const cities = Object.values(await monitorsOf('cities'));
  t.strictSame(cities.map(({ name }) => name).sort(), ['大阪', '東京']);
  t.strictSame(
    cities.filter(({ slug }) => !/^monitor-[a-z0-9]+$/.test(slug)),
    [],
  );
});

t.test(
  '1: a row is taken with another value than its own, before and after; a note alone is 0',
  async (t) => {
    await makePage(sql, { slug: 'mended' });
    const rows = kumaRows(
      { name: 'first', url: 'https://first.example.test/', maxredirects: 0 },
      { name: 'odd', url: 'https://odd.example.test/', accepted_statuscodes: ['200-299', '999'] },
      { name: null, url: 'https://nameless.example.test/' },
      { name: 'last', url: 'https://last.example.test/' },
    );
    const mended = /Not taken as it is: odd: it accepts 999.*\n.*Not taken as it is: http 3: it has no name/;
    t.match(await importText('kuma', 'mended', rows, '--plan'), { code: 1, stderr: mended });
    t.match(await importText('kuma', 'mended', rows), { code: 1, stdout: /4 created/, stderr: mended });
    t.match(await importText('kuma', 'mended', rows), { code: 0, stderr: '' }, 'all of them are there');
    const noted = kumaRows({ name: 'noted', url: 'https://noted.example.test/', maxredirects: 0 });
    t.match(await importText('kuma', 'mended', noted), { code: 0, stderr: '' });
  },
);

t.test('one bad row is left, and a plan says what the run says', async (t) => {
  await makePage(sql, { slug: 'rows' });
  const rows = kumaRows(
    { name: 'first', url: 'https://first.example.test/' },
    { name: 'password', url: 'https://probe:geheim@inside.example.test/' },
    { name: 'half', url: 'https://' },
    { name: 'odd header', url: 'https://odd.example.test/', headers: '{"X-A": "☃ geheim"}' },
    { name: 'bad port', type: 'port', hostname: 'probe:geheim@db.example.test', port: 70_000 },
    { name: 'resting', url: 'https://resting.example.test/', active: 0 },
    { name: null, url: 'https://last.example.test/' },
  );
  const planned = await importText('kuma', 'rows', rows, '--plan', '--json');
  t.strictSame(await monitorsOf('rows'), {});
  const ran = await importText('kuma', 'rows', rows, '--json');
  t.strictSame(
    [planned.code, planned.stderr, JSON.parse(planned.stdout)],
    [ran.code, ran.stderr, JSON.parse(ran.stdout)],
  );
  t.equal(ran.code, 1);
  t.notMatch(planned.stdout + planned.stderr, /geheim|cHJvYmU6Z2VoZWlt/);
  t.match(JSON.parse(ran.stdout), { left: [{ name: 'half' }, { name: 'odd header' }, { name: 'bad port' }] });
  t.match(await monitorsOf('rows'), {
    ...{ first: {}, password: { url: 'https://inside.example.test/', hasSecrets: true } },
    ...{ resting: { pausedAt: String }, 'http-7': { name: 'http 7' } },
  });
});

t.test('kener 4: groups of pages, and events of maintenance', async (t) => {
  await makePage(sql, { slug: 'kener-4' });
  const path = await makeDatabase(
    'kener-4.db',
    `create table monitors (id integer primary key, tag text, name text, cron text, status text, category_name text,
       monitor_type text, type_data text);
     create table pages (id integer primary key, page_path text, page_title text);
     create table pages_monitors (page_id int, monitor_tag text, group_name text, position int);
     create table maintenances (id integer primary key, title text, description text, rrule text, status text);
     create table maintenance_monitors (id integer primary key, maintenance_id int, monitor_tag text);
     create table maintenances_events (id integer primary key, maintenance_id int, start_date_time int, end_date_time int,
       status text);
     create table invented (id int);
     insert into invented values (1);
     insert into monitors values (1, 'api', 'API', '* * * * *', 'ACTIVE', 'Home', 'API', '{"url":"https://a.example.test/"}');
     insert into pages values (1, '', 'Main');
     insert into pages_monitors values (1, 'api', 'Shop', 1);
     insert into maintenances values (1, 'Database move', 'We move it.', 'FREQ=WEEKLY;BYDAY=SU', 'ACTIVE');
     insert into maintenance_monitors values (1, 1, 'api');
     insert into maintenances_events values (1, 1, 1750000000, 1750003600, 'COMPLETED'),
       (2, 1, 4050000000, 4050003600, 'SCHEDULED');`,
  );
  const { code, stdout, stderr } = await local('import', 'kener', path, '--page', 'kener-4');
  t.equal(code, 1);
  t.match(stderr, 'Not taken: Database move: it is not over');
  t.match(stdout, 'the table invented is not read');
  t.match(await monitorsOf('kener-4'), { api: { group: 'shop' } });
  t.match(await incidentsOf('kener-4'), [
    { type: 'maintenance', title: 'Database move', summary: 'We move it.', services: ['api'] },
  ]);
});

t.test('statuspage: a page whose answers have other values is read as well', async (t) => {
  await makePage(sql, { slug: 'lenient' });
  const at = '2026-10-01T10:00:00.000Z';
  const update = {
    id: 'u1',
    status: 'resolved',
    body: 'Fixed.',
    display_at: at,
    custom_tweet: 'Fixed!',
    tweet_id: 17,
  };
  const incident = {
    ...{
      id: 'i1',
      name: 'Outage',
      status: 'resolved',
      impact: 'maintenance',
      started_at: at,
      resolved_at: at,
    },
    ...{ created_at: at, reminder_intervals: '[3, 6]', components: null, incident_updates: [update] },
  };
  const maintenance = {
    ...{ ...incident, name: 'Move', status: 'completed', impact: 'minor', scheduled_for: at },
    ...{ scheduled_until: '2026-10-01T11:00:00.000Z', components: [{ id: 7 }] },
  };
  const answers: Readonly<Record<string, object>> = {
    '/api/v2/components.json': {
      components: [{ id: 7, name: 'API', position: 0, group: null, group_id: null }],
    },
    '/api/v2/incidents.json': { page: {}, incidents: [incident] },
    '/api/v2/scheduled-maintenances.json': { scheduled_maintenances: [maintenance] },
  };
  const server = createServer(({ url = '' }, answer) => {
    answer.writeHead(url in answers ? 200 : 404).end(JSON.stringify(answers[url] ?? {}));
  });
  const address = `http://127.0.0.1:${await listenUntilEnd(t, server)}`;
  t.match(await local('import', 'statuspage', address, '--page', 'lenient'), { code: 0, stderr: '' });
  t.match(await monitorsOf('lenient'), { api: { type: 'manual', name: 'API' } });
  t.match(await incidentsOf('lenient'), [{ title: 'Move', services: ['api'] }, { title: 'Outage' }]);
});

t.test('what is not a file of the product is refused, and nothing is created', async (t) => {
  const { unrelated, empty, notes } = {
    unrelated: await makeDatabase('unrelated.db', 'create table other (id integer)'),
    empty: join(folder, 'empty.yaml'),
    notes: join(folder, 'notes.txt'),
  };
  await writeFile(empty, 'ui: {}\n');
  await writeFile(notes, 'hello');
  for (const [args, sentence] of [
    [['kuma', notes], /neither JSON nor a database of SQLite/],
    [['kuma', fixture('gatus.yaml')], /neither JSON nor a database of SQLite/],
    [['kuma', unrelated], /The database could not be read: .*no such table: monitor/],
    [['gatus', empty], /The configuration has no endpoints/],
    [['gatus', fixture('kuma-backup.json')], /The configuration has no endpoints/],
    [['kener', notes], /is no database of SQLite/],
    [['statuspage', 'example.com'], /"example\.com" is no address/],
    [['statuspage', service.url], /could not be read: The URL was answered with status 404/],
    [['kuma', join(folder, 'missing.json')], /There is no file/],
  ] as const) {
    const { code, stderr } = await local('import', ...args, '--page', 'other');
    t.equal(code, args[0] === 'statuspage' && args[1] === 'example.com' ? 2 : 1, `${args}: ${code}`);
    t.match(stderr, sentence);
  }
  t.strictSame(await monitorsOf('other'), {});
});
