import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { importUpptime } from '../../control/monitors/index.js';
import type { MonitorId } from '../../lib/ids.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { computePoints } from '../../rollups/compute-points.js';
import { type ImportedDay, importDays } from '../../rollups/import-days.js';
import { environmentFor } from '../support/cli-environment.js';
import { makePage } from '../support/pages.js';
import { runHeartline } from '../support/run-heartline.js';
import { checksEvery, openUptime } from '../support/uptime.js';

const uptime = await openUptime(t);
const { sql, clickhouse } = uptime;
const env = environmentFor(uptime);
const folder = await mkdtemp(join(tmpdir(), 'heartline-import-'));
t.teardown(() => rm(folder, { recursive: true }));
const today = Math.floor(Date.now() / dayMs) * dayMs;
const fixture = fileURLToPath(new URL('../../../test/fixtures/upptime', import.meta.url));

const storeDays = (days: readonly ImportedDay[]) => importDays(clickhouse, days);

t.test('the sites and days of an Upptime repository become monitors and points', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'research' });
  const now = Date.parse('2025-04-10T06:00:00Z');
  const deps = {
    ...{ sql, storeDays },
    clock: { now: () => now },
    secretKey: 'a secret of forty characters for the tests',
  };
  const input = { pageId, folder: fixture };
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

t.test(
  'the first day of a site is observed from its start; a monitor that cannot be created is noted',
  async (t) => {
    await makePage(sql, { slug: 'young' });
    const start = today - dayMs + 6 * 3_600_000;
    const history = join(folder, 'history');
    await mkdir(history, { recursive: true });
    const site = { name: 'Shop', url: 'https://shop.example.com', slug: 'shop', dailyMinutesDown: {} };
    const down = { [new Date(start).toISOString().slice(0, 10)]: 2_000 };
    const sites = [
      { ...site, dailyMinutesDown: down },
      { ...site, slug: 'ping', url: 'shop.example.com' },
    ];
    await writeFile(join(history, 'summary.json'), JSON.stringify(sites));
    await writeFile(join(history, 'shop.yml'), `url: x\nstartTime: '${new Date(start).toISOString()}'\r\n`);
    const args = ['import', 'upptime', '--page', 'young', '--json'];
    for (const [path, monitor] of [
      [folder, 'created'],
      [history, 'kept'],
    ] as const) {
      const { code, stdout, stderr } = await runHeartline([...args, path], env);
      t.equal(code, 0, stderr);
      t.match(JSON.parse(stdout), {
        sites: [
          { slug: 'shop', monitor, days: 2, firstDay: new Date(start).toISOString().slice(0, 10) },
          { slug: 'ping', monitor: 'refused', days: 0 },
        ],
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
  },
);

t.test('a malformed repository is refused before anything is written', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'broken' });
  const history = join(folder, 'broken');
  await mkdir(history, { recursive: true });
  const good = { name: 'A', url: 'https://a.example.com', slug: 'a', dailyMinutesDown: {} };
  const deps = { ...uptime.deps, storeDays, secretKey: 'a secret of forty characters for the tests' };
  for (const [summary, message, yaml] of [
    ['{', /summary\.json is not a JSON array/, ''],
    ['{}', /is not a JSON array/, ''],
    [[good, 7], /site 2: "name" must be a text/, ''],
    [[{ ...good, slug: '../a' }], /site 1: "\.\.\/a" is no slug/, ''],
    [
      [{ ...good, dailyMinutesDown: { '2025-02-30': 1 } }],
      /"2025-02-30" in "dailyMinutesDown" is no day/,
      '',
    ],
    [
      [{ ...good, dailyMinutesDown: { '2025-02-03': '1' } }],
      /the minutes of 2025-02-03 must be a number/,
      '',
    ],
    [[good], /a\.yml: "startTime" must be a time, not "yesterday"/, 'startTime: yesterday\n'],
    [[good], /a\.yml: "startTime" must be a time, not ""/, 'url: https://a.example.com\n'],
  ] as const) {
    await writeFile(
      join(history, 'summary.json'),
      typeof summary === 'string' ? summary : JSON.stringify(summary),
    );
    if (yaml !== '') await writeFile(join(history, 'a.yml'), yaml);
    await t.rejects(importUpptime(deps, { pageId, folder: history }), { message }, String(message));
  }
  await t.rejects(importUpptime(deps, { pageId, folder: '/nowhere' }), {
    message: /no Upptime repository/,
  });
  t.match(await runHeartline(['import', 'upptime', '--page', 'nobody', fixture], env), {
    code: 1,
    stderr: /no page with the slug/,
  });
  t.strictSame(
    [...(await sql`select 1 from monitors m join pages p on p.id = m.page_id where p.slug = 'broken'`)],
    [],
  );
});
