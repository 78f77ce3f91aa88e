import t from 'tap';
import { findFigureExport, setFigureExport } from '../../../control/figure-exports/index.js';
import { hourMs } from '../../../lib/times.js';
import { makePage } from '../../support/pages.js';
import { begin, bothTables, nameOf, openExport } from './support.js';

const { sql, bucket, clock, deps, set, find, run, hoursOf } = await openExport(t);

t.test('a new table begins for itself', async (t) => {
  await run();
  bucket.puts.length = 0;
  const since = new Date(begin - hourMs).toISOString();
  await set({ tables: [...bothTables, 'requests_minute'], since });
  t.same(await hoursOf(), { requests_hour: 1, requests_minute: -1, checks: 1 });
  await run();
  t.same(bucket.puts, [nameOf('requests_minute', '04'), nameOf('requests_minute')]);
});

t.test('without a new table all begin again, once for each time that is asked for', async (t) => {
  const since = new Date(begin - hourMs).toISOString();
  await set({ since });
  t.same(await hoursOf(), { requests_hour: -1, checks: -1 });
  await run();
  const put = await find();
  await set({ since });
  t.same(await find(), put, 'the same again');
  await set();
  await set({ format: 'jsonl' });
  await set({ format: 'csv', since });
  t.same(await hoursOf(), { requests_hour: -1, checks: -1 }, 'objects have other names now');
  await run();
  await set({ enabled: false, since });
  t.same(await hoursOf(), { requests_hour: 1, checks: 1 }, 'another setting alone');
  await set({ since: new Date(begin).toISOString() });
  t.same(await hoursOf(), { requests_hour: 0, checks: 0 }, 'another time');
});

t.test('objects that go elsewhere from now on are not put there again', async (t) => {
  await run();
  await set({ prefix: 'moved' });
  bucket.puts.length = 0;
  clock.time = begin + 25 * hourMs;
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
  await setFigureExport(deps, other.id, { ...same, accessKeyId: 'another' });
  t.match(await findFigureExport({ sql }, other.id), { prefix: 'acme' }, 'with another key');
});
