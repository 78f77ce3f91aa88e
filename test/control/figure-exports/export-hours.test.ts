import t from 'tap';
import { setFigureExport } from '../../../control/figure-exports/index.js';
import type { PageId } from '../../../lib/ids.js';
import { ServiceError, storeUnavailable } from '../../../lib/service-error.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { makePage, setPage } from '../../support/pages.js';
import { begin, bothTables, due, type ExportHoursDeps, nameOf, openExport } from './support.js';

const { sql, bucket, clock, deps, page, set, find, run, hoursOf } = await openExport(t);

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
  clock.time = due + 2 * hourMs;
  for (const [failures, kind] of [
    [1, 'sqlResultTooLarge'],
    [2, 'sqlTooExpensive'],
  ] as const) {
    const readPiece: ExportHoursDeps['readPiece'] = async (_page, { table }) => {
      if (table === 'requests_hour') throw new ServiceError(kind);
      return Buffer.from('rows');
    };
    await run({ readPiece });
    t.same(await hoursOf(), { requests_hour: 0, checks: 3 });
    const lastError =
      'requests_hour of 2027-01-31T05:00Z has more rows than one object may have; leave the table out.';
    t.match(await find(), { failures, lastError }, kind);
    clock.time += 2 * minuteMs;
  }
});

t.test('pages that cannot be read come behind those that had no turn', async (t) => {
  const pageIds = [page.id];
  clock.time = begin;
  for (let i = 1; i <= 8; i += 1) {
    const { id } = await makePage(sql, { slug: `busy-${i}` });
    await setFigureExport(deps, id, bucket.settings);
    pageIds.push(id);
  }
  clock.time = due;
  const begun: PageId[] = [];
  const loadOldestWaiting: ExportHoursDeps['loadOldestWaiting'] = async (pageId) => {
    begun.push(pageId);
    return {};
  };
  const readPiece = async () => {
    // So late in the run that nothing more begins.
    clock.time += minuteMs;
    throw new ServiceError('rateLimited');
  };
  await run({ loadOldestWaiting, readPiece });
  t.equal(begun.length, 8);
  const [left] = pageIds.filter((pageId) => !begun.includes(pageId));
  begun.length = 0;
  await run({ loadOldestWaiting, readPiece });
  t.equal(begun.length, 8);
  t.ok(left !== undefined && begun.includes(left));
});

t.test('a table that is read too slowly stops no other one, and has its turn again', async (t) => {
  const readPiece: ExportHoursDeps['readPiece'] = (_page, { table }, signal) =>
    table === 'checks'
      ? Promise.resolve(Buffer.from('rows'))
      : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  clock.time = due + hourMs;
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
  clock.time = due + hourMs;
  const arrived: (() => void)[] = [];
  bucket.answer = () =>
    new Promise((resolve) => {
      arrived.push(() => resolve(undefined));
      if (arrived.length === 2) for (const release of arrived) release();
      if (arrived.length > 2) resolve(undefined);
    });
  await Promise.all([run(), run()]);
  await run();
  const names = bothTables.flatMap((table) => [nameOf(table), nameOf(table, '06')]);
  t.same([...new Set(bucket.puts)].sort(), names.sort());
  t.same(await hoursOf(), { requests_hour: 2, checks: 2 });
  t.match(await find(), { failures: 0 });
});

t.test('hours that a table does not keep are left out', async (t) => {
  await set({ tables: ['requests_minute'] });
  clock.time = begin + 14 * dayMs + 4 * hourMs;
  const tried: string[] = [];
  bucket.answer = (name) => {
    tried.push(name);
    return { status: 403 };
  };
  await run();
  t.same(tried, [nameOf('requests_minute', '09')]);
});
