import t from 'tap';
import { deleteFigureExport } from '../../control/figure-exports/index.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import { exportFigures } from '../../service/jobs/export-figures.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { begin, nameAt, openExportJob } from './export-figures-support.js';

const { sql, clickhouse, bucket, text, clock, deps, jobDeps, page, other, set, runAt, state, rowsOf } =
  await openExportJob(t);

t.test('an hour is put ten minutes after its end, with its rows alone', async (t) => {
  await set({ tables: ['requests_hour', 'requests_minute'] });
  await runAt(hourMs + 10 * minuteMs - 1);
  t.same(bucket.puts, []);
  await runAt(hourMs + 10 * minuteMs);
  t.same(bucket.puts, [nameAt(0), nameAt(0, 'requests_minute')]);
  const [row, ...rest] = rowsOf(nameAt(0));
  t.same(rest, [], 'rows of one key are one row, and the next hour is not there');
  t.match(row, { kind: 'service', service: 'api', endpoint: '/a', method: 'GET', status: 200, requests: 9 });
  t.equal(row?.['latency_count'], 9);
  t.notOk(row !== undefined && ('page_id' in row || 'latency_sketch' in row));
  t.equal(rowsOf(nameAt(0, 'requests_minute')).length, 2);
  t.equal(bucket.objects.get(nameAt(0))?.mediaType, 'application/x-ndjson; charset=utf-8');
  t.match(await state(), { exportedUntil: new Date(begin + hourMs), failures: 0, lastError: null });
  await runAt(hourMs + 11 * minuteMs);
  t.equal(bucket.puts.length, 2, 'once');
});

t.test('hours that were missed are made up for, also those without rows', async (t) => {
  bucket.puts.length = 0;
  await set({ tables: ['requests_hour'] });
  await runAt(4 * hourMs + 10 * minuteMs);
  t.same(bucket.puts, [nameAt(hourMs), nameAt(2 * hourMs), nameAt(3 * hourMs)]);
  t.match(rowsOf(nameAt(hourMs)), [{ endpoint: '/b', requests: 7 }]);
  t.equal(bucket.objects.get(nameAt(2 * hourMs))?.body.length, 0);
});

t.test('a crash between a put and the progress repeats the hour under its names', async (t) => {
  bucket.puts.length = 0;
  await sql`
    create function refuse_progress() returns trigger language plpgsql as $$ begin raise 'crash'; end $$`;
  await sql`
    create trigger refuse before update on figure_export_tables for each row execute function refuse_progress()`;
  await t.rejects(runAt(5 * hourMs + 10 * minuteMs), /could not be exported/);
  await sql`drop trigger refuse on figure_export_tables`;
  t.same(bucket.puts, [nameAt(4 * hourMs)]);
  t.match(await state(), { exportedUntil: new Date(begin + 4 * hourMs) });
  await runAt(6 * hourMs + 10 * minuteMs);
  t.same(bucket.puts, [nameAt(4 * hourMs), nameAt(4 * hourMs), nameAt(5 * hourMs)], 'no gap');
  t.match(await state(), { exportedUntil: new Date(begin + 6 * hourMs) });
});

t.test('a table that is refused does not count', async (t) => {
  bucket.puts.length = 0;
  await set({ tables: ['requests_hour', 'checks'] });
  const full = '<Error><Code>QuotaExceeded</Code><Message>The bucket\nis full.</Message></Error>';
  bucket.answer = (name) => (name.includes('/checks/') ? { status: 507, body: full } : undefined);
  await runAt(7 * hourMs + 10 * minuteMs);
  const failed = await state();
  t.match(failed, { exportedUntil: new Date(begin + 6 * hourMs), failures: 1 });
  const hour = new Date(begin + 6 * hourMs).toISOString().slice(0, 13);
  t.equal(
    failed.lastError,
    `checks of ${hour}:00Z: The bucket answers 507 (QuotaExceeded): The bucket is full.`,
  );
  const pauseMs = (failed.nextAttemptAt?.getTime() ?? 0) - clock.time;
  t.ok(pauseMs >= minuteMs && pauseMs <= 1.2 * minuteMs, `${pauseMs} ms`);
  await runAt(7 * hourMs + 10 * minuteMs + 30_000);
  t.equal((await state()).failures, 1, 'it backs off');
  await runAt(7 * hourMs + 12 * minuteMs);
  t.equal((await state()).failures, 2);
  bucket.answer = () => undefined;
  await runAt(7 * hourMs + 30 * minuteMs);
  t.match(await state(), { exportedUntil: new Date(begin + 7 * hourMs), failures: 0, lastError: null });
  t.equal(bucket.objects.get(nameAt(6 * hourMs, 'checks'))?.body.length, 0);
});

t.test('a bucket that fails delays no other page, and a wrong key says so', async (t) => {
  bucket.puts.length = 0;
  await set({ secretAccessKey: 'a wrong one of this page', tables: ['requests_hour'] });
  await set({ since: new Date(begin).toISOString() }, other.id);
  await runAt(8 * hourMs + 10 * minuteMs);
  t.match(await state(), {
    lastError: /answers 403 \(SignatureDoesNotMatch\): The signature does not match\.$/,
  });
  t.equal(bucket.puts.length, 8);
  t.match(rowsOf(nameAt(0, 'requests_hour', 'other')), [{ endpoint: '/of-other', requests: 9 }]);
  await deleteFigureExport(deps, other.id);
});

t.test('settings that change while an hour is put are those that count', async (t) => {
  bucket.puts.length = 0;
  await set();
  let isChanged = false;
  bucket.answer = async () => {
    if (!isChanged) await set({ prefix: 'moved' });
    isChanged = true;
    return undefined;
  };
  await runAt(9 * hourMs + 10 * minuteMs);
  t.same(bucket.puts, [nameAt(7 * hourMs)]);
  t.match(await state(), { prefix: 'moved', exportedUntil: new Date(begin + 7 * hourMs) });
  await exportFigures(jobDeps);
  t.same(bucket.puts.slice(1), [
    nameAt(7 * hourMs, 'requests_hour', 'moved'),
    nameAt(8 * hourMs, 'requests_hour', 'moved'),
  ]);
  bucket.answer = () => undefined;
});

t.test('an export that is off, of a deleted page, or without SQL puts nothing', async (t) => {
  bucket.puts.length = 0;
  await set({ enabled: false });
  await runAt(10 * hourMs + 10 * minuteMs);
  await set({ enabled: true });
  const { pageSql: _, ...withoutSql } = jobDeps;
  await exportFigures(withoutSql);
  await sql`update pages set deleted_at = now() where id = ${page.id}`;
  await exportFigures(jobDeps);
  t.same(bucket.puts, []);
  await sql`update pages set deleted_at = null where id = ${page.id}`;
  await exportFigures(jobDeps);
  t.ok(bucket.puts.length > 0);
});

t.test('private addresses are refused unless they are allowed', async (t) => {
  await set({ prefix: 'private' });
  clock.time = begin + 11 * hourMs + 10 * minuteMs;
  await exportFigures({ ...jobDeps, outgoing: { secretKey: testSecretKey, allowPrivateAddresses: false } });
  t.match(await state(), { lastError: /leads to an address that is not public/ });
});

t.test('a page with a store of its own says where its figures are', async (t) => {
  await set({ prefix: 'own' });
  const clickhouseOf = () => Object.assign(Object.create(clickhouse), { loadRows: async () => [] });
  await exportFigures({ ...jobDeps, clickhouseOf });
  t.match(await state(), { lastError: /ClickHouse of its own/ });
});

t.test('no secret is in the log or the audit log', async (t) => {
  const rows = await sql`select action, before, after from audit_log where target_type = 'figure-export'`;
  t.ok(rows.length > 5);
  const all = text() + JSON.stringify(rows);
  for (const secret of [bucket.settings.secretAccessKey, 'a wrong one of this page']) {
    t.notOk(all.includes(secret));
  }
  t.match(text(), /could not be exported/);
});
