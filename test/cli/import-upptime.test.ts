import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import {
  createMonitor,
  type ImportedSite,
  importUpptime,
  loadUpptime,
} from '../../control/monitors/index.js';
import type { MonitorId } from '../../lib/ids.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { computePoints, type ImportedDay, importDays } from '../../rollups/compute-points.js';
import { testActor } from '../support/actor.js';
import { environmentFor } from '../support/cli-environment.js';
import { makePage } from '../support/pages.js';
import { runInProcess } from '../support/run-heartline.js';
import { checksEvery, openUptime } from '../support/uptime.js';

const uptime = await openUptime(t);
const { sql, clickhouse } = uptime;
const env = environmentFor(uptime);
const folder = await mkdtemp(join(tmpdir(), 'heartline-import-'));
t.teardown(() => rm(folder, { recursive: true }));
const fixture = fileURLToPath(new URL('../../../test/fixtures/upptime', import.meta.url));

const storeDays = (days: readonly ImportedDay[]) => importDays(clickhouse, days);

t.test('the sites and days of an Upptime repository become monitors and points', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'research' });
  const now = Date.parse('2025-04-10T06:00:00Z');
  const deps = {
    by: testActor,
    ...{ sql, storeDays },
    clock: { now: () => now },
    secretKey: 'a secret of forty characters for the tests',
  };
  const input = { pageId, sites: await loadUpptime(fixture) };
  const sites = await importUpptime(deps, input);
  t.match(sites, [
    { slug: 'project-homepage', monitor: 'created', days: 400, firstDay: '2024-03-07' },
    { slug: 'documentation-site', monitor: 'created', days: 0, note: /documentation-site\.yml is missing/ },
    { slug: 'user-community', monitor: 'created', days: 400 },
    { slug: 'partner-services', monitor: 'created', days: 94 },
    { slug: 'fresco-sandbox', monitor: 'created' },
    { slug: 'complex-data-collective-website', monitor: 'created' },
  ]);
  t.notOk('note' in (sites[0] ?? {}));
  const monitors = await sql<{ id: MonitorId; slug: string; name: string; url: string; kind: string }[]>`
    select id, slug, name, url, kind from monitors where page_id = ${pageId} order by position`;
  const [homepage] = monitors;
  if (homepage === undefined) throw new Error('There is no monitor.');
  t.match(homepage, { name: 'Project homepage', url: 'https://networkcanvas.com/', kind: 'http' });
  const monitor = { pageId, monitorId: homepage.id };
  const days = await uptime.points(monitor, 'day');
  t.equal(Object.keys(days).length, 400);
  t.match(days['2025-04-03'], { observedMs: dayMs, upMs: dayMs - 22 * minuteMs, checks: 0, measured: 0 });
  t.match(days['2025-04-04'], { observedMs: dayMs, upMs: dayMs });
  t.match(days['2025-04-10'], { observedMs: dayMs / 4, upMs: dayMs / 4 });

  await uptime.addChecks(monitor, checksEvery(600, now - 2 * dayMs, now - 2 * dayMs + 3_600_000));
  uptime.time.now = now;
  await computePoints(uptime.deps);
  const again = await importUpptime(deps, input);
  t.equal(again[0]?.monitor, 'kept');
  const after = await uptime.points(monitor, 'day');
  t.strictSame(after['2025-04-08'], {
    observedMs: 70 * minuteMs,
    upMs: 70 * minuteMs,
    checks: 6,
    failed: 0,
    measured: 6,
    sumMs: 600,
  });
  t.strictSame({ ...after, '2025-04-08': days['2025-04-08'] }, days, 'the other days stay the same');
});

t.test('the first day of a site is observed from its start', async (t) => {
  await makePage(sql, { slug: 'young' });
  const today = Math.floor(uptime.time.now / dayMs) * dayMs;
  const start = today - dayMs + 6 * 3_600_000;
  const history = join(folder, 'history');
  await mkdir(history, { recursive: true });
  const site = { name: 'Shop', url: 'https://shop.example.com', slug: 'shop', dailyMinutesDown: {} };
  const down = { [new Date(start).toISOString().slice(0, 10)]: 2_000 };
  const sites = [{ ...site, dailyMinutesDown: down }];
  await writeFile(join(history, 'summary.json'), JSON.stringify(sites));
  await writeFile(join(history, 'shop.yml'), `url: x\nstartTime: '${new Date(start).toISOString()}'\r\n`);
  const args = ['import', 'upptime', '--page', 'young', '--json'];
  for (const [path, monitor] of [
    [folder, 'created'],
    [history, 'kept'],
  ] as const) {
    const { code, stdout, stderr } = await runInProcess([...args, path], env, uptime.deps);
    t.equal(code, 0, stderr);
    t.match(JSON.parse(stdout), {
      sites: [{ slug: 'shop', monitor, days: 2, firstDay: new Date(start).toISOString().slice(0, 10) }],
    });
  }
  const rows = await sql<{ id: MonitorId }[]>`
    select m.id from monitors m join pages p on p.id = m.page_id where p.slug = 'young'`;
  const [row] = rows;
  if (row === undefined) throw new Error('There is no monitor.');
  const days = Object.values(await uptime.points({ monitorId: row.id }, 'day'));
  const [page] = await sql<{ since: string }[]>`
      select response_times_since::text as since from pages where slug = 'young'`;
  t.equal(page?.since, new Date(start).toISOString().slice(0, 10), 'response times begin there');
  t.match(days[0], { observedMs: 18 * 3_600_000, upMs: 0 }, 'never negative');
});

t.test('a malformed repository is refused before anything is written', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'broken' });
  const history = join(folder, 'broken');
  await mkdir(history, { recursive: true });
  const deps = {
    ...{ ...uptime.deps, storeDays, by: testActor },
    secretKey: 'a secret of forty characters for the tests',
  };
  const importFrom = async (folder: string) =>
    importUpptime(deps, { pageId, sites: await loadUpptime(folder) });
  for (const [summary, message] of [
    ['{', /summary\.json is not a JSON array/],
    ['{}', /is not a JSON array/],
  ] as const) {
    await writeFile(join(history, 'summary.json'), summary);
    await t.rejects(importFrom(history), { message }, String(message));
  }
  await t.rejects(importFrom('/nowhere'), {
    message: /no Upptime repository/,
  });
  t.match(await runInProcess(['import', 'upptime', '--page', 'nobody', fixture], env), {
    code: 1,
    stderr: /no page with the slug/,
  });
  t.strictSame(
    [...(await sql`select 1 from monitors m join pages p on p.id = m.page_id where p.slug = 'broken'`)],
    [],
  );
});

t.test(
  'settings are read or noted, a bad row is left, variables are filled in, and a second run changes nothing',
  async (t) => {
    await makePage(sql, { slug: 'settings' });
    const repository = join(folder, 'settings');
    await mkdir(join(repository, 'history'), { recursive: true });
    const site = (slug: string, url: string) => ({ name: slug, url, slug, dailyMinutesDown: {} });
    const summary = [
      site('api', 'https://api.example.com'),
      { ...site('x', 'https://x.example.com'), name: null },
      site('secret', 'https://$HIDDEN_HOST/status?x=$$'),
      site('unknown', 'https://$UNKNOWN_HOST/'),
      site('bad', 'ftp://$HIDDEN_HOST/'),
      site('last', 'https://last.example.com'),
    ];
    await writeFile(join(repository, 'history', 'summary.json'), JSON.stringify(summary));
    const config = `notifications: [{type: slack}]
usual: &usual {method: post, expectedStatusCodes: [401, 200], headers: ["Authorization: geheim"]}
sites: [{<<: *usual, name: api, url: "https://api.example.com", slug: api}]`;
    await writeFile(join(repository, '.upptimerc.yml'), config);
    const run = () =>
      runInProcess(['import', 'upptime', '--page', 'settings', repository, '--json'], {
        ...env,
        HIDDEN_HOST: 'geheim.example.com',
      });
    const load = () => sql`
    select m.slug, m.url, m.options ->> 'method' as method, m.options ->> 'expectStatus' as statuses
    from monitors m join pages p on p.id = m.page_id where p.slug = 'settings' order by m.position`;
    const first = await run();
    t.equal(first.code, 1);
    const { sites, notes } = JSON.parse(first.stdout);
    t.match(sites, [
      { slug: 'api', monitor: 'created', note: /its headers are not sent/ },
      { slug: 'site 2', monitor: 'refused', note: /"name" must be a text/ },
      { slug: 'secret', monitor: 'created' },
      { slug: 'unknown', monitor: 'refused', note: /in the secret \$UNKNOWN_HOST/ },
      { slug: 'bad', monitor: 'refused', note: /with the variables of the environment filled in/ },
      { slug: 'last', monitor: 'created' },
    ]);
    t.match(notes, [/^notifications are not read/]);
    t.notMatch(first.stdout + first.stderr, 'geheim');
    const made = [...(await load())];
    t.strictSame(made.slice(0, 2), [
      { slug: 'api', url: 'https://api.example.com/', method: 'POST', statuses: '401,200' },
      { slug: 'secret', url: 'https://geheim.example.com/status?x=$$', method: 'GET', statuses: '200-299' },
    ]);
    t.match(JSON.parse((await run()).stdout).sites, [{ monitor: 'kept' }, {}, { monitor: 'kept' }]);
    t.strictSame([...(await load())], made);
  },
);

const forms = fileURLToPath(new URL('../../../test/fixtures/upptime-forms', import.meta.url));
type Printed = ImportedSite & { command?: string };

t.test('each form of a site is imported, or refused with the command that brings it', async (t) => {
  await makePage(sql, { slug: 'forms' });
  const first = await importForms();
  t.equal(first.code, 1);
  t.match(first.stderr, /10 of 17 sites were refused; all others are imported/);
  const refused = [...first.sites.values()].filter(({ monitor }) => monitor === 'refused');
  t.equal(refused.length, 10);
  for (const { slug, note, command } of refused)
    t.ok(first.stderr.includes(`  ${slug}: ${note}\n    ${command}\n`), `${slug} is explained`);
  t.notMatch(first.stderr, /password@/);
  t.strictSame(await monitorsOf('forms'), [
    ['website', 'http', 'https://www.example.com/'],
    ['shop-checkout', 'http', 'https://shop.example.com/checkout'],
    ['blog', 'http', 'http://blog.example.com/'],
    ['archive', 'http', 'https://archive.example.com/'],
    ['name-server', 'tcp', 'tcp://192.0.2.53:53'],
    ['name-server-i-pv6', 'tcp', 'tcp://[2001:db8::53]:53'],
    ['database', 'tcp', 'tcp://db.example.com:5432'],
  ]);
  t.match(first.sites.get('shop-checkout'), { note: 'shop_checkout in Upptime' });
  t.match(first.sites.get('archive'), { note: /archive\.yml has no "startTime"/ });

  const again = await importForms();
  t.equal(again.code, 1, 'what is refused stays so');
  const [, ...others] = [...again.sites.values()].filter(({ monitor }) => monitor === 'kept');
  t.equal(others.length, 6, 'and the rest is kept');

  for (const { command = '' } of refused.filter(({ command }) => command?.includes('monitor create')))
    await runPrinted(command.replace('HOST', 'host.example.com').replace('PORT', '25'));
  const known = await importForms(
    ...'--rename api_v1=api --rename api.v1=api-europe --rename 監控=zh'.split(' '),
  );
  t.equal(known.code, 0, known.stderr);
  t.equal(known.stderr, '');
  const states = [...known.sites.values()].map(({ slug, monitor }) => `${slug} ${monitor}`);
  t.strictSame(states.slice(-4), ['private kept', 'api created', 'api-europe created', 'zh created']);
  const created = await monitorsOf('forms');
  t.equal(created.length, 17);
  for (const monitor of [
    ['mail', 'tcp', 'tcp://mail.example.com:25'],
    ['game-server', 'tcp', 'tcp://host.example.com:25565'],
    ['secret-site', 'http', 'https://host.example.com/'],
    ['chat', 'tcp', 'tcp://chat.example.com:443'],
    ['certificate', 'http', 'https://www.example.com/'],
    ['private', 'http', 'https://private.example.com/'],
  ])
    t.ok(
      created.some((one) => one.join() === monitor.join()),
      monitor.join(' '),
    );
});

t.test('a site that was refused at first has its history after the second import', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'later' });
  const now = Date.parse('2024-05-10T06:00:00Z');
  const secretKey = env['HEARTLINE_SECRET_KEY'] ?? '';
  const deps = { sql, storeDays, clock: { now: () => now }, secretKey, by: testActor };
  const input = { pageId, sites: await loadUpptime(forms) };
  const bySlug = (sites: ImportedSite[], wanted: string) => sites.find(({ slug }) => slug === wanted);
  t.match(bySlug(await importUpptime(deps, input), 'secret-site'), { monitor: 'refused', days: 0 });
  const name = 'Secret site';
  const { id } = await createMonitor(deps, {
    pageId,
    slug: 'secret-site',
    name,
    kind: 'heartbeat',
    periodSeconds: 60,
  });
  const site = bySlug(await importUpptime(deps, input), 'secret-site');
  t.match(site, { monitor: 'kept', days: 10, firstDay: '2024-05-01' });
  const days = await uptime.points({ monitorId: id }, 'day');
  t.match(days['2024-05-02'], { observedMs: dayMs, upMs: dayMs - 3 * minuteMs });
  await importUpptime(deps, input);
  t.strictSame(await uptime.points({ monitorId: id }, 'day'), days, 'importing again changes nothing');
  await t.rejects(importUpptime(deps, { ...input, renames: new Map([['nobody', 'x']]) }), {
    message: /There is no site nobody to rename; the sites are website, /,
  });
});

t.test('a folder of another kind is refused before a store is reached', async (t) => {
  const nowhere = {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    CLICKHOUSE_URL: 'http://127.0.0.1:1/none',
  };
  const { code, stderr } = await runInProcess(
    ['import', 'upptime', '--page', 'forms', join(folder, 'nothing')],
    {
      ...env,
      ...nowhere,
    },
  );
  t.equal(code, 1);
  t.match(stderr, /is no Upptime repository\. Name a clone of one/);
  const args = ['import', 'upptime', '--page', 'forms', forms, '--rename', 'api_v1'];
  t.match(await runInProcess(args, env), {
    code: 2,
    stderr: /--rename must be like old_slug=new-slug, not "api_v1"/,
  });
});

async function importForms(...more: string[]) {
  const args = ['import', 'upptime', '--page', 'forms', '--json', forms, ...more];
  const { code, stdout, stderr } = await runInProcess(args, env);
  const { sites }: { sites: Printed[] } = JSON.parse(stdout);
  return { code, stderr, sites: new Map(sites.map((site) => [site.slug, site])) };
}

/** Runs a printed command with the words that a shell makes of it, as for a person who pastes it. */
async function runPrinted(command: string): Promise<void> {
  const pasted = command.replace(/^npx heartline /, "printf '%s\\0' ");
  const { stdout } = await promisify(execFile)('sh', ['-c', pasted]);
  const { code, stderr } = await runInProcess(stdout.split('\0').slice(0, -1), env);
  if (code !== 0) throw new Error(stderr);
}

async function monitorsOf(slug: string): Promise<string[][]> {
  const rows = await sql<{ slug: string; kind: string; url: string }[]>`
    select m.slug, m.kind, m.url from monitors m join pages p on p.id = m.page_id
    where p.slug = ${slug} order by m.position`;
  return rows.map(({ slug, kind, url }) => [slug, kind, url]);
}
