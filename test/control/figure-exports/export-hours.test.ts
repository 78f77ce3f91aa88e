import t from 'tap';
import type { HourlyTable } from '../../../contract/exported-tables.js';
import type { PutFigureExport } from '../../../contract/manage/figure-export.js';
import { exportHours, findFigureExport, setFigureExport } from '../../../control/figure-exports/index.js';
import { createEgress } from '../../../lib/outbound/egress.js';
import { ServiceError, storeUnavailable } from '../../../lib/service-error.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { startBucket } from '../../support/bucket.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makePage, setPage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const bucket = await startBucket(t);
const begin = Date.UTC(2027, 0, 31, 5);
/** Just after the first hour is settled. */
const due = begin + hourMs + 10 * minuteMs;
let now = begin;
const clock = { now: () => now };
const deps = { sql, clock, by: testActor, secretKey: testSecretKey };
const page = await makePage(sql);
const both: HourlyTable[] = ['requests_hour', 'checks'];

type Deps = Parameters<typeof exportHours>[0];
const run = (given: Partial<Deps> = {}) =>
  exportHours({
    ...{ sql, clock, log: silentLog, secretKey: testSecretKey },
    egress: createEgress({ allowPrivateAddresses: true }),
    readPiece: async () => Buffer.from('rows'),
    loadOldestWaiting: async () => undefined,
    ...given,
  });
const set = (fields: Partial<PutFigureExport> = {}) =>
  setFigureExport(deps, page.id, { ...bucket.settings, format: 'csv', tables: both, ...fields });
const find = async () => {
  const found = await findFigureExport({ sql }, page.id);
  if (found === undefined) throw new Error('There is no export.');
  return found;
};
const hoursOf = async () =>
  Object.fromEntries(
    (await find()).progress.map(({ table, exportedUntil }) => [table, (exportedUntil - begin) / hourMs]),
  );
const nameOf = (table: HourlyTable, hour = '05') => `acme/${table}/2027/01/31/${hour}.csv`;

t.beforeEach(async () => {
  await sql`delete from figure_exports`;
  bucket.puts.length = 0;
  bucket.answer = () => undefined;
  now = begin;
  await set();
  now = due;
});

const ends: [name: string, end: () => Promise<unknown>, back: () => Promise<unknown>][] = [
  [
    'is deleted',
    () => sql`update pages set deleted_at = now() where id = ${page.id}`,
    () => sql`update pages set deleted_at = null where id = ${page.id}`,
  ],
  [
    'loses its analytics',
    () => setPage(deps, { slug: 'acme', capabilities: { 'internal-analytics': false } }),
    () => setPage(deps, { slug: 'acme', capabilities: { 'internal-analytics': true } }),
  ],
  ['turns the export off', () => set({ enabled: false }), () => set({ enabled: true })],
];
for (const [name, end, back] of ends) {
  t.test(`a page that ${name} in the middle of an hour gets no further object`, async (t) => {
    let reads = 0;
    const readPiece = async () => {
      reads += 1;
      if (reads === 2) await end();
      return Buffer.from('rows');
    };
    await run({ readPiece });
    t.same(bucket.puts, [nameOf('requests_hour')]);
    await run();
    t.equal(bucket.puts.length, 1, 'nor in the next run');
    await back();
    await run();
    t.same(bucket.puts, [nameOf('requests_hour'), nameOf('checks')], 'and goes on where it was');
  });
}

t.test('stores that are away, and full turns, are no failures of the export', async (t) => {
  for (const refusal of [
    storeUnavailable(),
    new ServiceError('rateLimited'),
    new ServiceError('overloaded'),
  ]) {
    let reads = 0;
    const readPiece = async () => {
      reads += 1;
      throw refusal;
    };
    await run({ readPiece });
    t.equal(reads, 1, 'no other table is tried');
    t.match(await find(), { failures: 0, lastError: null });
  }
  await run();
  t.same(await hoursOf(), { requests_hour: 1, checks: 1 }, 'the next run is not put off');
});

t.test('an error of our own ends the run of the page, and fails the job', async (t) => {
  const readPiece = async () => {
    throw new Error('a fault');
  };
  await t.rejects(run({ readPiece }), /could not be exported/);
  t.match(await find(), { failures: 0 });
});

t.test('a table that is too large stops no other one, and is named', async (t) => {
  const readPiece: Deps['readPiece'] = async (_page, { table }) => {
    if (table === 'requests_hour') throw new ServiceError('sqlResultTooLarge');
    return Buffer.from('rows');
  };
  now = due + 2 * hourMs;
  await run({ readPiece });
  t.same(await hoursOf(), { requests_hour: 0, checks: 3 });
  t.match(await find(), { failures: 1, lastError: /^requests_hour of 2027-01-31T05:00Z: / });
});

t.test('a table that is read too slowly stops no other one, and has its turn again', async (t) => {
  const readPiece: Deps['readPiece'] = (_page, { table }, signal) =>
    table === 'checks'
      ? Promise.resolve(Buffer.from('rows'))
      : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  now = due + hourMs;
  await run({ readPiece, readMsMax: 1 });
  t.same(await hoursOf(), { requests_hour: 0, checks: 2 });
  t.match(await find(), { failures: 0, lastError: null });
  await run();
  t.same(await hoursOf(), { requests_hour: 2, checks: 2 });
});

t.test('a run that is ended leaves what is on its way to the next one', async (t) => {
  const ending = new AbortController();
  bucket.answer = () => {
    ending.abort();
    return 'hang';
  };
  await run({ signal: ending.signal });
  t.match(await find(), { failures: 0, lastError: null });
  t.same(await hoursOf(), { requests_hour: 0, checks: 0 });
  bucket.answer = () => undefined;
  await run();
  t.same(await hoursOf(), { requests_hour: 1, checks: 1 });
});

t.test('two runs at once leave no gap, and move each table on once', async (t) => {
  now = due + hourMs;
  const arrived: (() => void)[] = [];
  bucket.answer = () =>
    new Promise((resolve) => {
      arrived.push(() => resolve(undefined));
      if (arrived.length === 2) for (const release of arrived) release();
      if (arrived.length > 2) resolve(undefined);
    });
  await Promise.all([run(), run()]);
  await run();
  const names = both.flatMap((table) => [nameOf(table), nameOf(table, '06')]);
  t.same([...new Set(bucket.puts)].sort(), names.sort());
  t.same(await hoursOf(), { requests_hour: 2, checks: 2 });
  t.match(await find(), { failures: 0 });
});

t.test('a new table begins for itself', async (t) => {
  await run();
  bucket.puts.length = 0;
  const since = new Date(begin - hourMs).toISOString();
  await set({ tables: [...both, 'requests_minute'], since });
  t.same(await hoursOf(), { requests_hour: 1, requests_minute: -1, checks: 1 });
  await run();
  t.same(bucket.puts, [nameOf('requests_minute', '04'), nameOf('requests_minute')]);
  await set({ tables: [...both, 'requests_minute'], since });
  t.same(await hoursOf(), { requests_hour: -1, requests_minute: -1, checks: -1 }, 'without a new one, all');
});

t.test('hours that a table does not keep are left out', async (t) => {
  await set({ tables: ['requests_minute'] });
  now = begin + 14 * dayMs + 4 * hourMs;
  const tried: string[] = [];
  bucket.answer = (name) => {
    tried.push(name);
    return { status: 403 };
  };
  await run();
  t.same(tried, [nameOf('requests_minute', '09')]);
});

t.test('objects that go elsewhere from now on are not put there again', async (t) => {
  await run();
  await set({ prefix: 'moved' });
  bucket.puts.length = 0;
  now = begin + 25 * hourMs;
  await run();
  t.notOk(bucket.puts.includes('moved/requests_hour/2027/01/31/05.csv'));
  t.ok(bucket.puts.includes('moved/requests_hour/2027/01/31/06.csv'));
});

t.test('two pages do not export to one place', async (t) => {
  const other = await makePage(sql, { slug: 'other' });
  const same = { ...bucket.settings, prefix: 'acme' };
  await t.rejects(setFigureExport(deps, other.id, same), /Another page exports to this bucket/);
  t.notOk(await findFigureExport({ sql }, other.id));
  await setFigureExport(deps, other.id, { ...same, prefix: 'acme/other' });
});
