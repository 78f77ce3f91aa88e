import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { monitorLimits } from '../../../contract/monitors.js';
import { observationLimits } from '../../../contract/observations.js';
import { webhookLimits } from '../../../contract/webhooks.js';
import { environmentFor } from '../../support/cli-environment.js';
import { runInProcess } from '../../support/run-heartline.js';
import { openTestPostgres } from '../../support/stores.js';

const postgres = await openTestPostgres(t);
const env = { ...environmentFor(postgres), HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on' };
const folder = t.testdir();
const file = join(folder, 'heartline.yml');
const heartline = (args: string[], variables: Record<string, string> = {}) =>
  runInProcess(args, { ...env, ...variables });

async function apply(text: string, args: string[] = [], variables: Record<string, string> = {}) {
  await writeFile(file, text);
  return heartline(['apply', file, ...args], variables);
}

const whole = `
page:
  slug: shop
  name: Shop
  hostname: Status.Shop.example.
  languages: [en, DE-de]
  accent: '#3346D3'
  footerLinks: [{ label: ' Imprint ', url: 'https://shop.example' }]
  ownerEmails: [Ops@shop.example]
monitors:
  website:
    type: http
    name: Website
    names: { de-de: Webseite }
    url: https://shop.example
    headers: { Authorization: { env: SHOP_TOKEN } }
  database: { type: tcp, name: Database, url: 'tcp://db.shop.example:5432', everySeconds: 30 }
  backup: { type: heartbeat, name: Backup, periodSeconds: 86400 }
webhooks:
  - url: { env: HOOK_URL }
    events: [maintenance.*, incident.created]
alertRule: { thresholdPercent: 2.5, windowSeconds: 300, minimumRequests: 100 }
connections:
  - { name: ' orders ', engine: postgresql }
templates:
  outage:
    name: Outage
    summary: ' We look into it. '
    monitorSlugs: [website]
    updates: [{ status: resolved, body: Over. }]
    texts: { DE-de: { updates: [Vorbei.] } }
`;
const variables = { SHOP_TOKEN: 'Bearer secret-1', HOOK_URL: 'https://hooks.example/secret-2' };

t.test('a plan says what would change and changes nothing', async (t) => {
  const { code, stdout, stderr } = await apply(whole, ['--plan'], variables);
  t.equal(stderr, '');
  t.equal(code, 2);
  t.match(stdout, /^\+ page shop$/m);
  t.match(stdout, /^ {4}hostname +"status\.shop\.example"$/m);
  t.match(stdout, /^\+ monitor website$/m);
  t.match(stdout, /^ {4}headers and body +\(some, not shown\)$/m);
  t.match(stdout, /^\+ webhook https:\/\/hooks\.example\/…$/m);
  t.match(stdout, 'shop: 8 to be created.\n');
  t.notMatch(stdout, /secret-\d/);
  t.match(await heartline(['page', 'show', 'shop']), { code: 1 });
});

t.test('applied twice, the second plan is empty', async (t) => {
  const first = await apply(whole, [], variables);
  t.equal(first.stderr, '');
  t.equal(first.code, 0);
  t.match(first.stdout, /shop: 8 created\.\nThe job of backup must call this address.*\/ping\/ping_\w{43}\n/);
  t.match(
    first.stdout,
    /\nDeliveries to https:\/\/hooks\.example\/… are signed with this secret, which is not shown again: whsec_\S{44}\n$/,
  );
  t.notMatch(first.stdout, /secret-\d/);
  const rows = async () => (await postgres.sql`select count(*)::int as count from audit_log`)[0]?.count;
  const before = await rows();
  const plan = await apply(whole, ['--plan'], variables);
  t.same(plan, { code: 0, stdout: 'shop is as the file says.\n', stderr: '' });
  t.match(await apply(whole, [], variables), { code: 0, stdout: 'shop is as the file says.\n' });
  t.equal(await rows(), before, 'nothing is in the audit log');
  const monitors = JSON.parse((await heartline(['monitor', 'list', '--page', 'shop', '--json'])).stdout);
  t.match(monitors.monitors[0], { slug: 'website', names: { 'de-DE': 'Webseite' }, hasSecrets: true });
});

t.test('a disabled webhook of the file is enabled', async (t) => {
  const list = async () =>
    JSON.parse((await heartline(['webhook', 'list', '--page', 'shop', '--json'])).stdout).webhooks;
  const [{ id }] = await list();
  t.match(await heartline(['webhook', 'disable', id]), { code: 0 });
  const plan = await apply(whole, ['--plan'], variables);
  t.match(plan, { code: 2, stdout: /^~ webhook .*\n {4}enabled +false → true\n/ });
  const applied = await apply(whole, [], variables);
  t.match(applied, { code: 0, stdout: /shop: 1 changed\.\n$/ }, 'and no secret is shown');
  t.match(await list(), [{ enabled: true }]);
  t.match(await apply(whole, ['--plan'], variables), { code: 0 });
});

t.test('another secret shows in no plan, and is applied', async (t) => {
  const sealed = async () =>
    (await postgres.sql`select secrets from monitors where slug = 'website'`)[0]?.secrets.toString('hex');
  const before = await sealed();
  const other = { ...variables, SHOP_TOKEN: 'Bearer secret-3' };
  t.match(await apply(whole, ['--plan'], other), { code: 0 });
  t.match(await apply(whole, [], other), { code: 0 });
  t.not(await sealed(), before);
});

t.test('nothing is deleted without --prune, and a section that is absent never', async (t) => {
  const less = whole
    .replace(/^ {2}database:.*\n/m, '')
    .replace(/^webhooks:[\s\S]*?(?=alertRule)/m, '')
    .replace(/^alertRule.*$/m, 'alertRule: null');
  const kept = await apply(less, ['--plan'], variables);
  t.equal(kept.code, 0);
  t.match(kept.stdout, 'Not in the file, and kept without --prune: monitor database, alert rule shop\n');
  t.match(await apply(less, [], variables), { code: 0 });
  t.match((await heartline(['monitor', 'list', '--page', 'shop'])).stdout, 'database');
  const pruned = await apply(less, ['--prune'], variables);
  t.match(pruned.stdout, /^- monitor database\n- alert rule shop\nshop: 2 deleted\.\n$/);
  t.match((await heartline(['webhook', 'list', '--page', 'shop'])).stdout, 'https://hooks.example/secret-2');
  t.match(JSON.parse((await heartline(['alert', 'show', '--page', 'shop', '--json'])).stdout), {
    alert: null,
  });
});

t.test('a change shows field by field, and a type changes with --prune alone', async (t) => {
  const changed = whole.replace('name: Website', 'name: Shop window\n    everySeconds: 20');
  const plan = await apply(changed, ['--plan'], variables);
  t.equal(plan.code, 2);
  t.match(
    plan.stdout,
    /^~ monitor website\n {4}name {10}"Website" → "Shop window"\n {4}everySeconds {2}60 → 20\n/,
  );
  const retyped = whole.replace(/type: heartbeat.*/, 'type: tcp, name: Backup, url: "tcp://b.example:1" }');
  t.match(await apply(retyped, [], variables), {
    code: 1,
    stderr:
      /heartline\.yml:\d+:3: The monitor "backup" is of type heartbeat and cannot become tcp; with --prune/,
  });
  t.match(await apply(retyped, ['--prune', '--plan', '--json'], variables), {
    code: 2,
    stdout: /"verb":"replace"/,
  });
  t.match(await apply(retyped, ['--prune'], variables), { code: 0, stdout: /^± monitor backup$/m });
  t.match(await apply(retyped, ['--plan'], variables), { code: 0 });
});

t.test('errors name the file, the line and the column', async (t) => {
  const page = 'page: { slug: shop }\n';
  const refusals: [text: string, sentence: string | RegExp][] = [
    ['page: [', /^heartline\.yml:1:\d+: /],
    ['page: { slug: shop, slug: other }', 'heartline.yml:1:21: Map keys must be unique'],
    ['monitors: {}\n', 'heartline.yml:1:1: /page is missing; send it.'],
    [
      `${page}people: {}\n`,
      'heartline.yml:2:1: There is no section "people" in this version; the sections are page, groups, monitors, webhooks, alertRule, connections, templates, channels, schedules, policies, objectives, rules, reports, boards.',
    ],
    [
      `${page}monitors:\n  a:\n    type: ftp\n    name: A\n`,
      'heartline.yml:4:5: /monitors/a/type must be one of "http", "tcp", "heartbeat", "manual"; it was the text "ftp".',
    ],
    [
      `${page}monitors:\n  a: { type: http, name: A, urls: x }\n`,
      'heartline.yml:3:29: There is no field /monitors/a/urls here.',
    ],
    [
      `${page}monitors:\n  a: { type: http, name: A }\n`,
      'heartline.yml:3:3: A monitor of type http needs url.',
    ],
    [
      `${page}monitors:\n  a: { type: tcp, name: A, url: "tcp://a:1", method: GET }\n`,
      'heartline.yml:3:46: A monitor of type tcp has no method.',
    ],
    [
      'page:\n  slug: shop\n  accent: #3346d3\n',
      /^heartline\.yml:3:3: \/page\/accent must be a text; it was null\./,
    ],
    [
      `${page}webhooks:\n  - url: { env: NONE }\n  - url: { env: EMPTY }\n`,
      'These variables are not set: NONE (heartline.yml:3:5), EMPTY (heartline.yml:4:5).',
    ],
    [
      `${page}webhooks:\n  - url: https://a.example\n  - url: https://a.example/\n`,
      'heartline.yml:4:5: Another webhook has this URL and these events already.',
    ],
    ['page: { slug: none }', 'heartline.yml:1:1: There is no page "none" yet; a new one needs a hostname.'],
    [
      `${page}monitors:\n  a: { type: http, name: A, url: 'ftp://a' }\n`,
      'heartline.yml:3:3: monitor a: The URL must start with http:// or https://, not "ftp:".',
    ],
  ];
  for (const [text, sentence] of refusals) {
    const { code, stdout, stderr } = await apply(text, [], { EMPTY: '' });
    t.same({ code, stdout }, { code: 1, stdout: '' }, text);
    t.match(stderr.replaceAll(`${folder}/`, '').replace(/^heartline: /, ''), sentence);
  }
});

t.test('webhooks with the same URL differ by their events', async (t) => {
  const page = ['--page', 'shop', '--url', 'https://two.example/'];
  await apply('page: { slug: shop }\nwebhooks: []\n', ['--prune']);
  for (const events of ['incident.*', 'maintenance.*', 'maintenance.*'])
    await heartline(['webhook', 'create', ...page, '--events', events]);
  const { stdout } = await heartline(['export', 'shop']);
  t.equal(stdout.match(/two\.example/g)?.length, 2, 'twins are one');
  t.match(await apply(stdout, ['--plan', '--prune'], {}), {
    code: 2,
    stdout: /^- webhook https:\/\/two\.example\/…\nshop: 1 to be deleted\.\n$/,
  });
  t.match(await apply(stdout, ['--prune']), { code: 0 });
  const changed = stdout.replace('maintenance.*', 'incident.created');
  t.match(await apply(changed, ['--prune']), {
    stdout: /^~ webhook .*\n.*"maintenance\.\*".*"incident\.created"/,
  });
  t.match(await apply(changed, ['--plan', '--prune']), { code: 0 });
  t.equal((await heartline(['export', 'shop'])).stdout, changed);
});

t.test('at a limit, an entry that replaces another finds the room of the other', async (t) => {
  const { sql } = postgres;
  const fill = {
    webhooks: (most: number) => sql`
      insert into webhooks
      select (jsonb_populate_record(w, jsonb_build_object(
        'id', gen_random_uuid(), 'url', 'https://w' || i || '.example/'))).*
      from webhooks w, generate_series(1, ${most - 1}) i where w.url = 'https://w0.example/'`,
    connections: (most: number) => sql`
      insert into connections
      select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'name', 'c' || i))).*
      from connections c, generate_series(1, ${most - 1}) i where c.name = 'c0'`,
  };
  const limits = [
    ['webhooks', webhookLimits.webhooksPerPage, (i: number) => `url: 'https://w${i}.example/'`],
    ['connections', observationLimits.connectionsPerPage, (i: number) => `name: c${i}, engine: mysql`],
  ] as const;
  for (const [section, most, entry] of limits) {
    const text = (from: number, to: number) => {
      const list = Array.from({ length: to - from }, (_, i) => `  - { ${entry(from + i)} }\n`);
      return `page: { slug: shop }\n${section}:\n${list.join('')}`;
    };
    t.match(await apply(text(0, 1), ['--prune']), { code: 0, stderr: '' }, section);
    await fill[section](most);
    t.match(await apply(text(0, most), ['--plan', '--prune']), { code: 0, stderr: '' }, 'the page is full');
    const next = text(1, most + 1);
    t.match(await apply(next), { code: 1, stderr: /which is the most/ }, 'without --prune');
    t.match(await apply(next, ['--plan', '--prune']), { stdout: /^- .*\n\+ / }, 'the plan has the order');
    t.match(await apply(next, ['--prune']), { code: 0, stderr: '' });
    t.match(await apply(next, ['--prune', '--plan']), { code: 0 });
  }
  await heartline(['page', 'create', 'full', '--hostname', 'full.example']);
  const monitor = (slug: string) =>
    `page: { slug: full }\nmonitors: { ${slug}: { type: tcp, name: A, url: 'tcp://a.example:1' } }\n`;
  await apply(monitor('first'));
  await sql`
    insert into monitors
    select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(), 'slug', 'copy-' || i, 'position', i))).*
    from monitors m, generate_series(2, ${monitorLimits.monitorsPerPage}) i
    where m.slug = 'first'`;
  const present = await sql`select count(*)::int as count from monitors where slug like 'copy-%'`;
  t.equal(present[0]?.count, monitorLimits.monitorsPerPage - 1);
  t.match(await apply(monitor('second')), { code: 1, stderr: /second/ });
  t.match(await apply(monitor('second'), ['--prune']), { code: 0, stderr: '' });
  t.match(await apply(monitor('third'), ['--prune']), {
    stdout: /^\+ monitor third\n(?:.*\n)*- monitor second\n/,
  });
});

t.test('JSON is read as well', async (t) => {
  const json = JSON.stringify({ page: { slug: 'shop', name: 'Shop 2' } });
  t.match(await apply(json), { code: 0, stdout: /name {2}"Shop" → "Shop 2"/ });
});

t.test('the files of the docs and of the schema are files of apply', async (t) => {
  const docs = await readFile(new URL('../../../../docs/apply.md', import.meta.url), 'utf8');
  const [, text = ''] = /```yaml\n(.*?)```/s.exec(docs) ?? [];
  const secrets = { API_TOKEN: 'secret', HOOK_URL: 'https://hooks.example.com/secret' };
  t.match(await apply(text, [], secrets), { code: 0, stdout: /acme: 8 created\./ });
  t.match(await apply(text, ['--plan', '--prune'], secrets), { code: 0 });
});

t.test('channels are known by their names, and their secrets stay', async (t) => {
  const of = (channels: string) => `page: { slug: team, hostname: team.example }\nchannels:\n${channels}`;
  const chat = `  Team chat: { kind: slack, settings: { url: { env: CHAT } }, quietHours: { from: '22:00', to: '07:00' } }`;
  const secret = { CHAT: 'https://hooks.example/secret-3' };
  const made = await apply(of(chat), [], secret);
  t.match(made, { code: 0, stderr: '', stdout: /\+ channel Team chat/ });
  t.match(await apply(of(chat), [], secret), { stdout: /team is as the file says/ });
  t.match(await apply(of(chat)), { code: 1, stderr: /CHAT \(.*heartline\.yml:3:\d+\) is not set/ });
  const changed = await apply(of('  Team chat: { kind: slack, topics: [certificate, monitor] }'));
  t.match(changed, { code: 0, stdout: /~ channel Team chat\n.*quietHours/ });
  t.match(
    (await heartline(['export', 'team'])).stdout,
    /channels:\n {2}Team chat:\n {4}kind: slack\n[\s\S]*# Its address and tokens are shown to nobody/,
  );
  const other = of('  Team chat: { kind: discord, settings: { url: { env: CHAT } } }');
  t.match(await apply(other, [], secret), {
    code: 1,
    stderr: /is of the kind slack and cannot become discord/,
  });
  t.match(await apply(other, ['--prune'], secret), { code: 0, stdout: /± channel Team chat/ });
  t.match(await apply(of('  {}'), ['--prune']), { code: 0, stdout: /- channel Team chat/ });
  t.notMatch(made.stdout + changed.stdout, 'secret-3');
});
