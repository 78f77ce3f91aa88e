import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createProgressBar } from '../../cli/core/progress-bar.js';
import { readLines } from '../../cli/read-lines.js';
import { importChecks } from '../../control/monitors/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { testActor } from '../support/actor.js';
import { environmentFor } from '../support/cli-environment.js';
import { makePage } from '../support/pages.js';
import { insertMonitor } from '../support/points.js';
import { select } from '../support/rollups.js';
import { runInProcess as runAt } from '../support/run-heartline.js';
import { checksEvery, openUptime } from '../support/uptime.js';

const uptime = await openUptime(t);
const { sql, clickhouse } = uptime;
const env = environmentFor(uptime);
const page = await makePage(sql, { slug: 'acme' });
const owner = { pageId: page.id, monitorId: await insertMonitor(sql, page.id, { slug: 'api' }) };
const folder = await mkdtemp(join(tmpdir(), 'heartline-import-'));
t.teardown(() => rm(folder, { recursive: true }));
const today = Math.floor(uptime.time.now / dayMs) * dayMs;
const runInProcess = (args: string[], env: Record<string, string>) => runAt(args, env, uptime.deps);

async function writeLines(name: string, lines: readonly (object | string)[]): Promise<string> {
  const file = join(folder, name);
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await writeFile(file, `${texts.join('\n')}\n`);
  return file;
}

t.test('checks are imported, a second import changes nothing, and uptime follows', async (t) => {
  const begin = today - 2 * dayMs;
  const lines = checksEvery(60, begin, begin + dayMs).map(({ at }, minute) => ({
    ...{
      monitor: 'api',
      at: new Date(at).toISOString(),
      up: minute >= 10,
      ms: minute % 2 === 0 ? 82.5 : null,
    },
  }));
  const file = await writeLines('checks.ndjson', [...lines, '', { ...lines[1], ok: true }]);
  for (const round of [1, 2]) {
    const { code, stdout, stderr } = await runInProcess(
      ['checks', 'import', '--page', 'acme', '--file', file, '--json'],
      env,
    );
    t.equal(code, 0, stderr);
    t.strictSame(JSON.parse(stdout), {
      ...{ imported: 1441, firstAt: new Date(begin).toISOString() },
      ...{ refused: 0, reasons: {}, firstRefused: [] },
    });
    t.equal(stderr, '', 'no progress bar without a terminal');
    await uptime.run();
    const day = new Date(begin).toISOString().slice(0, 10);
    const point = { observedMs: dayMs, upMs: dayMs - 10 * minuteMs, checks: 1440, failed: 9 };
    const points = await uptime.points(owner, 'day');
    t.strictSame(points[day], { ...point, measured: 720, sumMs: 720 * 82.5 }, `round ${round}`);
  }
});

t.test('checks are imported from standard input', async (t) => {
  await insertMonitor(sql, (await makePage(sql, { slug: 'piped' })).id, { slug: 'api' });
  const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
  const child = spawn(process.execPath, [main, 'checks', 'import', '--page', 'piped', '--file', '-'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // The process has the clock of the system.
  const at = new Date(systemClock.now() - 9 * dayMs).toISOString();
  child.stdin.end(`{"monitor":"api","at":"${at}","up":false}`);
  t.equal(
    await text(child.stdout),
    `1 checks were imported.\nThe response times of the page begin on ${at.slice(0, 10)} now; --keep-series-start keeps their first day.\n`,
  );
});

t.test('response times begin with the first imported day, unless they shall not', async (t) => {
  const { id } = await makePage(sql, { slug: 'moved' });
  await insertMonitor(sql, id, { slug: 'api' });
  const since = async (): Promise<string> =>
    JSON.parse((await runInProcess(['page', 'show', 'moved', '--json'], env)).stdout).responseTimesSince;
  const created = await since();
  const bring = async (daysAgo: number, ...args: string[]) => {
    const at = new Date(today - daysAgo * dayMs).toISOString();
    const file = await writeLines('moved.ndjson', [{ monitor: 'api', at, up: true, ms: 80 }]);
    const run = ['checks', 'import', '--page', 'moved', '--file', file, ...args];
    const { code, stdout } = await runInProcess(run, env);
    t.equal(code, 0);
    return stdout;
  };
  const dayOf = (daysAgo: number) => new Date(today - daysAgo * dayMs).toISOString().slice(0, 10);
  t.equal(await bring(20, '--keep-series-start'), '1 checks were imported.\n');
  t.equal(await since(), created);
  t.match(await bring(20), `begin on ${dayOf(20)} now`);
  t.equal(await since(), dayOf(20));
  t.equal(await bring(10), '1 checks were imported.\n', 'they begin earlier already');
  t.equal(await since(), dayOf(20));
  const set = await runInProcess(['page', 'set', 'moved', '--response-times-since', dayOf(5)], env);
  t.match(set.stdout, `response times    since ${dayOf(5)}`);
  t.equal(await since(), dayOf(5), 'by hand they may begin later as well');
});

t.test('a bad line is refused with its reason, and the others are imported', async (t) => {
  const at = new Date(today - 3 * dayMs).toISOString();
  const good = { monitor: 'api', at, up: true };
  const file = await writeLines('mixed.ndjson', [
    good,
    'not JSON',
    [],
    { ...good, monitor: 'nobody' },
    { ...good, monitor: 7 },
    { ...good, at: '2026-02-30T00:00:00Z' },
    { ...good, at: '2999-01-01T00:00:00Z' },
    { ...good, at: '2001-01-01T00:00:00Z' },
    { ...good, up: 1 },
    { ...good, ok: 'yes' },
    { ...good, ms: -1 },
    { ...good, ms: '82' },
    `{"monitor": "${'x'.repeat(20_000)}"}`,
    { ...good, at: new Date(today - 3 * dayMs + 1).toISOString(), ms: 0 },
  ]);
  const { code, stdout, stderr } = await runInProcess(
    ['checks', 'import', '--page', 'acme', '--file', file, '--keep-series-start'],
    env,
  );
  t.equal(code, 1);
  t.equal(stdout, '2 checks were imported.\n');
  for (const text of [
    '12 lines were refused.',
    '3 × it is not a JSON object',
    '2 × "ms" must be a number of milliseconds or null',
    'line 2: it is not a JSON object',
    'line 4: the page has no monitor "nobody"',
    'line 6: "at" must be a time such as 2026-01-31T23:00:00Z',
    'line 7: "at" is in the future',
    'line 8: "at" is more than 400 days ago',
    'line 9: "up" must be true or false',
    'line 10: "ok" must be true or false',
  ]) {
    t.match(stderr, text);
  }
});

t.test('a line may have phases, a status and the class of a failure', async (t) => {
  const at = new Date(today - 5 * dayMs).toISOString();
  const later = new Date(today - 5 * dayMs + 60_000).toISOString();
  const file = await writeLines('phases.ndjson', [
    { monitor: 'api', at, up: true, ms: 82, dnsMs: 2, connectMs: 8, tlsMs: 20, firstByteMs: 52, status: 200 },
    { monitor: 'api', at: later, up: false, status: 503, error: 'status' },
  ]);
  const { code } = await runInProcess(['checks', 'import', '--page', 'acme', '--file', file], env);
  t.equal(code, 0);
  const rows = await select(
    clickhouse,
    `SELECT dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, status, error FROM checks FINAL
     WHERE at IN ('${at.slice(0, 19)}', '${later.slice(0, 19)}') AND (dns_ms IS NOT NULL OR error = 'status')
     ORDER BY at`,
  );
  const none = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, total_ms: null };
  t.strictSame(rows, [
    { dns_ms: 2, connect_ms: 8, tls_ms: 20, first_byte_ms: 52, total_ms: 82, status: 200, error: '' },
    { ...none, status: 503, error: 'status' },
  ]);
  const good = { monitor: 'api', at, up: true };
  const bad = await writeLines('bad-phases.ndjson', [
    { ...good, tlsMs: '3' },
    { ...good, status: 42 },
    { ...good, error: 'timeout' },
    { ...good, up: false, error: 'sad' },
  ]);
  const refused = await runInProcess(['checks', 'import', '--page', 'acme', '--file', bad], env);
  t.equal(refused.code, 1);
  for (const text of [
    '1 × "tlsMs" must be a number of milliseconds or null',
    '1 × "status" must be an HTTP status',
    '2 × "error" must be a class of failures, of a check that failed',
  ]) {
    t.match(refused.stderr, text);
  }
});

t.test('other pages, missing files and missing options are refused', async (t) => {
  await insertMonitor(sql, (await makePage(sql, { slug: 'other' })).id, { slug: 'theirs' });
  const file = await writeLines('theirs.ndjson', [
    { monitor: 'theirs', at: new Date(today).toISOString(), up: true },
  ]);
  const refused = await runInProcess(['checks', 'import', '--page', 'acme', '--file', file], env);
  t.match(refused.stderr, 'the page has no monitor "theirs"');
  const nowhere = await runInProcess(['checks', 'import', '--page', 'none', '--file', file], env);
  t.match(nowhere, {
    code: 1,
    stderr:
      'heartline: There is no page with the slug "none".\nList the pages with: npx heartline page list\n',
  });
  t.match(await runInProcess(['checks', 'import', '--page', 'acme', '--file', '/nowhere/file'], env), {
    code: 1,
    stderr: /There is no file/,
  });
  t.match(await runInProcess(['checks', 'import', '--page', 'acme'], env), {
    code: 2,
    stderr: /--file FILE is missing/,
  });
});

t.test('progress counts the checks that the store has confirmed, also when the store fails', async (t) => {
  const begin = today - 5 * dayMs;
  async function* lines(): AsyncGenerator<string> {
    for (const { at } of checksEvery(10, begin, begin + 250_000_000)) {
      yield JSON.stringify({ monitor: 'api', at: new Date(at).toISOString(), up: true });
    }
  }
  const { deps } = uptime;
  const stored = async (): Promise<number> => {
    const answer = await clickhouse.query({
      query: `SELECT count() AS count FROM checks FINAL WHERE at >= {begin:DateTime64(3, 'UTC')} AND at < {end:DateTime64(3, 'UTC')}`,
      query_params: { begin: new Date(begin), end: new Date(begin + 2 * dayMs) },
      format: 'JSONEachRow',
    });
    return Number((await answer.json<{ count: string }>())[0]?.count);
  };
  let inserts = 0;
  const failing = new Proxy(clickhouse, {
    get(target, name) {
      if (name !== 'insert') return Reflect.get(target, name);
      return (...args: [never]) => {
        inserts += 1;
        return inserts === 2 ? Promise.reject(new Error('gone')) : target.insert(...args);
      };
    },
  });
  const progress: number[] = [];
  const onProgress = ({ imported }: { imported: number }) => progress.push(imported);
  const input = { pageId: await loadPageId(sql, 'acme'), onProgress };
  await t.rejects(
    importChecks({ ...deps, by: testActor, clickhouse: failing }, { ...input, lines: lines() }),
    {
      message: /up to line 25000; 20000 are stored/,
    },
  );
  t.strictSame(progress, [20_000]);
  t.match(await importChecks({ ...deps, by: testActor }, { ...input, lines: lines() }), { imported: 25_000 });
  t.strictSame(progress, [20_000, 20_000, 25_000]);
  t.equal(await stored(), 17_280, 'the checks of two days, each once');
});

t.test('lines may span chunks, and long lines are cut off', async (t) => {
  const text = Buffer.from('one\r\nzwei ä\n\nmuch too long a line\nlast');
  const read = async (size: number): Promise<string[]> => {
    async function* chunks(): AsyncGenerator<Buffer> {
      for (let from = 0; from < text.length; from += size) yield text.subarray(from, from + size);
    }
    const lines: string[] = [];
    for await (const line of readLines(chunks(), 10)) lines.push(line);
    return lines;
  };
  for (const size of [1, 2, 7, 100]) {
    t.strictSame(await read(size), ['one\r', 'zwei ä', '', 'much too l', 'last'], `${size} bytes at a time`);
  }
});

t.test('a terminal shows a progress bar', (t) => {
  let text = '';
  const write = (more: string): unknown => {
    text += more;
    return true;
  };
  createProgressBar({ write }).show(0.5, 'half');
  t.equal(text, '');
  const bar = createProgressBar({ isTTY: true, write });
  bar.show(0.5, 'half');
  t.match(text, '[###############...............] half');
  bar.show(undefined, 'some');
  t.match(text, '\x1b[Ksome');
  bar.clear();
  t.equal(text.endsWith('\r\x1b[K'), true);
  t.end();
});
