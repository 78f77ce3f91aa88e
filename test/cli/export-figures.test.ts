import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { cut, lengthsOf } from '../../cli/export/pieces.js';
import { writePieces } from '../../cli/export/write-pieces.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { insertRequests } from '../analytics/support.js';
import { openBothWays } from '../support/cli-both.js';
import { likeServiceError } from '../support/like-service-error.js';
import { makePage } from '../support/pages.js';
import { select } from '../support/rollups.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const { service, local, remote } = await openBothWays(t);
const { clickhouse, sql } = service.stores;
/** Two days that are over, within what is kept. */
const begin = Math.floor(Date.now() / dayMs) * dayMs - 3 * dayMs;
const end = begin + 2 * dayMs;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const ends = ['--from', dayOf(begin), '--to', dayOf(begin + dayMs)];
const page = ['--page', 'acme'];

const rows = Array.from({ length: 48 }, (_, hour) => ({
  ...{ at: begin + hour * hourMs, endpoint: `/${hour % 5}`, requests: hour + 1, latencyMs: [hour + 1, 5] },
  status: hour % 7 === 0 ? 500 : 200,
}));
await insertRequests(clickhouse, service.pageId, rows);
await insertRequests(clickhouse, service.pageId, rows.slice(0, 10));
await insertRequests(clickhouse, service.pageId, [{ at: end, endpoint: '/later', requests: 1 }]);
await insertRequests(clickhouse, service.otherPageId, [{ at: begin, endpoint: '/of-other', requests: 100 }]);

const [stored] = await select<{ requests: number; timed: number }>(
  clickhouse,
  `SELECT toUInt32(sum(requests)) AS requests, toUInt32(sum(latency_count)) AS timed FROM requests_hour
   WHERE page_id = '${service.pageId}' AND hour < fromUnixTimestamp(${end / 1_000})`,
);

/** Sums of the files of a folder, which ClickHouse itself reads where they are in Parquet. */
async function sumsOf(folder: string, format: 'jsonl' | 'parquet') {
  const sums = { requests: 0, timed: 0 };
  for (const name of await readdir(folder)) {
    const bytes = await readFile(join(folder, name));
    const lines =
      format === 'jsonl'
        ? String(bytes)
            .split('\n')
            .filter((line) => line !== '')
            .map((line): { requests: number; latency_count: number } => JSON.parse(line))
        : await select<{ requests: number; latency_count: number }>(
            clickhouse,
            `SELECT toUInt32(requests) AS requests, toUInt32(latency_count) AS latency_count
             FROM format(Parquet, unhex('${bytes.toString('hex')}'))`,
          );
    for (const { requests, latency_count } of lines) {
      sums.requests += requests;
      sums.timed += latency_count;
    }
  }
  return sums;
}

t.test('the sums in the files are those of the store, on the stores and over HTTP', async (t) => {
  for (const [run, format] of [
    [local, 'jsonl'],
    [remote, 'parquet'],
  ] as const) {
    const out = await temporaryFolder(t);
    const folder = join(out, 'acme', 'requests_hour');
    const first = await run(
      'export',
      'figures',
      ...page,
      ...ends,
      '--format',
      format,
      '--out',
      out,
      '--json',
    );
    t.equal(first.stderr, '');
    const told = { folder: join(out, 'acme'), tables: ['requests_hour'], written: 2, skipped: 0 };
    t.match(JSON.parse(first.stdout), told);
    t.same(
      (await readdir(folder)).sort(),
      [begin, begin + dayMs].map((at) => `${dayOf(at)}.${format}`),
    );
    t.same(await sumsOf(folder, format), stored);
    for (const name of await readdir(folder)) {
      t.notOk(String(await readFile(join(folder, name))).includes('/of-other'));
    }
  }
});

t.test('a rerun makes only what is missing', async (t) => {
  const out = await temporaryFolder(t);
  const folder = join(out, 'acme', 'requests_hour');
  const run = () => local('export', 'figures', ...page, ...ends, '--format', 'jsonl', '--out', out, '--json');
  await run();
  const [kept = '', lost = ''] = (await readdir(folder)).sort();
  await rm(join(folder, lost));
  await writeFile(join(folder, `.${lost}.part`), 'half of');
  const old = new Date(1_000_000);
  await utimes(join(folder, kept), old, old);
  t.match(JSON.parse((await run()).stdout), { written: 1, skipped: 1 });
  t.same((await readdir(folder)).sort(), [kept, lost]);
  t.same(await sumsOf(folder, 'jsonl'), stored);
});

t.test('pages that share a folder have one each in it', async (t) => {
  const out = await temporaryFolder(t);
  for (const slug of ['acme', 'other']) {
    const { stdout } = await local(
      ...['export', 'figures', '--page', slug, ...ends, '--format', 'jsonl', '--out', out, '--json'],
    );
    t.match(JSON.parse(stdout), { folder: join(out, slug), written: 2, skipped: 0 });
  }
  t.same(await sumsOf(join(out, 'acme', 'requests_hour'), 'jsonl'), stored);
  t.same(await sumsOf(join(out, 'other', 'requests_hour'), 'jsonl'), { requests: 100, timed: 0 });
});

t.test('each table has a folder, and CSV the names of its columns', async (t) => {
  const out = await temporaryFolder(t);
  const tables = ['--table', 'checks', '--table', 'page_requests_day'];
  const hour = new Date(begin + 5 * hourMs + minuteMs).toISOString();
  const given = ['--from', hour, '--to', new Date(begin + 6 * hourMs).toISOString()];
  const { stdout } = await local(
    'export',
    'figures',
    ...page,
    ...given,
    ...tables,
    '--format',
    'csv',
    '--out',
    out,
  );
  t.match(stdout, /^2 files with .* were written to .*; 0 were there\.\n$/);
  t.same(await readdir(join(out, 'acme', 'checks')), [`${hour.slice(0, 13)}.csv`]);
  const days = await readdir(join(out, 'acme', 'page_requests_day'));
  t.same(days, [`${dayOf(begin)}.csv`]);
  const text = String(await readFile(join(out, 'acme', 'page_requests_day', days[0] ?? '')));
  t.match(text, /^"method","day","requests","errors",/);
});

t.test('mistakes are named', async (t) => {
  const folder = await temporaryFolder(t);
  const out = ['--out', folder];
  const cases: [args: string[], code: number, error: RegExp][] = [
    [[...page, ...out], 2, /--from TIME is missing/],
    [[...page, ...ends], 2, /--out FOLDER is missing/],
    [[...page, ...ends, ...out, '--table', 'keys'], 2, /--table must be/],
    [[...page, ...ends, ...out, '--format', 'xml'], 2, /--format must be/],
    [['--page', 'none', ...ends, ...out], 1, /none/],
    [[...page, ...out, '--from', 'now', '--to', '2026-01-01'], 1, /must be before/],
  ];
  for (const [args, code, stderr] of cases) {
    t.match(await local('export', 'figures', ...args), { code, stdout: '', stderr }, args.join(' '));
  }
  for (const slug of ['other', 'none', '..']) {
    const refused = await remote('export', 'figures', '--page', slug, ...ends, ...out);
    t.match(refused, { code: slug === '..' ? 2 : 1, stdout: '' }, slug);
  }
  t.same(await readdir(folder), [], 'nothing was written');
});

t.test('a page is exported for apply as before, also one of this name', async (t) => {
  await makePage(sql, { slug: 'figures' });
  t.match((await local('export', 'acme')).stdout, /slug: acme/);
  t.match((await local('export', '--', 'figures')).stdout, /slug: figures/);
});

t.test('days that a table does not keep whole make no file', async (t) => {
  const asked: string[] = [];
  await writePieces({
    ...{ folder: await temporaryFolder(t), tables: ['requests_hour'], from: begin, to: end, format: 'csv' },
    ...{ now: begin + 100 * dayMs + 1, signal: new AbortController().signal },
    onProgress() {},
    async read(_table, { name }) {
      asked.push(name);
      return Buffer.from(name);
    },
  });
  t.same(asked, [dayOf(begin + dayMs)]);
});

t.test('a piece that is too large is cut, and stays cut', async (t) => {
  const folder = await temporaryFolder(t);
  const asked: string[] = [];
  const write = (isLarge: (lengthMs: number) => boolean, now = end + hourMs) =>
    writePieces({
      ...{ folder, tables: ['requests_hour'], from: begin, to: end, now, format: 'csv' },
      signal: new AbortController().signal,
      onProgress() {},
      async read(_table, { from, to, name }) {
        asked.push(name);
        if (isLarge(to - from)) throw new ServiceError('sqlResultTooLarge');
        return Buffer.from(name);
      },
    });
  const counts = await write((lengthMs) => lengthMs === dayMs);
  t.match(counts, { written: 48, skipped: 0 });
  t.same(asked.slice(0, 2), [dayOf(begin), `${dayOf(begin)}T00`]);
  asked.length = 0;
  t.match(await write(() => false), { written: 0, skipped: 48 }, 'no day beside its hours');
  t.same(asked, []);
  await rm(join(folder, 'requests_hour'), { recursive: true });
  await t.rejects(
    write(() => true),
    likeServiceError('sqlResultTooLarge'),
  );
  await rm(join(folder, 'requests_hour'), { recursive: true });
  t.match(await write(() => false, end), { written: 1 }, 'a day that ended just now is left for later');
});

t.test('pieces are whole, and their names tell them', (t) => {
  const at = Date.parse('2026-01-31T22:15:00Z');
  const names = (lengthMs: number) => cut({ from: at, to: at + hourMs }, lengthMs).map(({ name }) => name);
  t.same(names(dayMs), ['2026-01-31']);
  t.same(names(hourMs), ['2026-01-31T22', '2026-01-31T23']);
  t.same(names(10 * minuteMs).slice(0, 2), ['2026-01-31T22-10', '2026-01-31T22-20']);
  t.same(lengthsOf('checks'), [hourMs, 10 * minuteMs]);
  t.same(lengthsOf('endpoint_requests_day'), [dayMs]);
  t.end();
});
