import t from 'tap';
import { createSeries, planMaintenance } from '../../../control/maintenance-series/index.js';
import { dayMs } from '../../../lib/times.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import { testActor } from '../../support/actor.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
let now = Date.parse('2026-11-01T12:00:00Z');
const deps = { sql, clock: { now: () => now }, log: silentLog, by: testActor };
const body = {
  ...{ title: 'Updates', summary: 'Read-only.', startsAt: '2026-11-02T02:00', durationMinutes: 60 },
  ...{ rule: 'FREQ=DAILY', noticeDays: 5 },
};
let pages = 0;
const nextSlug = () => {
  pages += 1;
  return `page-${pages}`;
};
const startsOf = async (pageId: string) =>
  (
    await sql<
      { at: Date }[]
    >`select started_at as at from incidents where page_id = ${pageId} order by started_at`
  ).map(({ at }) => at.toISOString().slice(0, 10));

t.test('any number of runs at once publish each occurrence once', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: nextSlug() });
  const seriesId = await createSeries(deps, { pageId, body });
  const changed: string[] = [];
  const run = () => planMaintenance({ ...deps, onChange: (id) => void changed.push(id) });
  await Promise.all([run(), run(), run(), run()]);
  const days = ['2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05', '2026-11-06'];
  t.strictSame(await startsOf(pageId), days);
  t.equal(changed.length, 5);
  const [series] = await sql`select due_at from maintenance_series where id = ${seriesId}`;
  t.strictSame(series?.['due_at'], new Date('2026-11-02T02:00:00Z'));
  now += dayMs;
  await Promise.all([run(), run()]);
  t.strictSame(await startsOf(pageId), [...days, '2026-11-07']);
  const announced = await sql`
    select incident_id from announcements where page_id = ${pageId}`;
  t.equal(announced.length, 6, 'each is announced once');
});

t.test('a run that is cut off leaves nothing half done, and the next one does the rest', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: nextSlug() });
  await createSeries(deps, { pageId, body: { ...body, startsAt: '2026-11-10T02:00', noticeDays: 20 } });
  let count = 0;
  const cut = planMaintenance({
    ...deps,
    onChange() {
      count += 1;
      if (count === 3) throw new Error('killed');
    },
  });
  await t.rejects(cut);
  t.equal((await startsOf(pageId)).length, 3);
  const later = { ...deps, clock: { now: () => now + 600_000 } };
  await planMaintenance(later);
  const starts = await startsOf(pageId);
  t.equal(new Set(starts).size, starts.length);
  t.equal(starts.length, 10, 'as many as may be open');
  const [rows] =
    await sql`select count(*)::int as count from maintenance_occurrences where page_id = ${pageId}`;
  t.equal(rows?.['count'], 10);
});

t.test('a transaction that is rolled back has published nothing', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: nextSlug() });
  await createSeries(deps, { pageId, body: { ...body, startsAt: '2026-11-10T02:00', noticeDays: 20 } });
  await sql`
    create function fail_occurrence() returns trigger language plpgsql as $$ begin raise 'no room'; end $$`;
  await sql`
    create trigger fail_occurrence before insert on maintenance_occurrences
      for each row execute function fail_occurrence()`;
  await t.rejects(planMaintenance(deps), /1 of 1 due/);
  t.strictSame(await startsOf(pageId), []);
  await inTransaction(sql, (tx) => tx`drop trigger fail_occurrence on maintenance_occurrences`);
  await planMaintenance(deps);
  t.strictSame(await startsOf(pageId), [], 'it waits for half a minute');
  await planMaintenance({ ...deps, clock: { now: () => now + 30_000 } });
  t.equal((await startsOf(pageId)).length, 10);
});

t.test('while nobody ran, what has ended is not published, and what lasts is', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: nextSlug() });
  await createSeries(deps, { pageId, body: { ...body, startsAt: '2026-12-01T02:00', noticeDays: 1 } });
  now = Date.parse('2026-12-05T02:30:00Z');
  await planMaintenance(deps);
  t.strictSame(await startsOf(pageId), ['2026-12-05', '2026-12-06']);
});

t.test('series leave room for people, on the page and each for itself', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: nextSlug() });
  await sql`update maintenance_series set due_at = null`;
  await createSeries(deps, {
    pageId,
    body: { ...body, startsAt: '2026-12-06T02:00', summary: 'x'.repeat(20_000), noticeDays: 90 },
  });
  for (const hour of ['05', '07', '09']) {
    await createSeries(deps, {
      pageId,
      body: { ...body, startsAt: `2026-12-06T${hour}:00`, noticeDays: 90 },
    });
  }
  await planMaintenance(deps);
  t.equal((await startsOf(pageId)).length, 30);
  const open = await sql`
    select count(*)::int as count from maintenance_occurrences where page_id = ${pageId} group by series_id`;
  t.strictSame(
    open.map(({ count }) => count),
    [10, 10, 10],
  );
});

t.test('a page that is deleted gets nothing', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: nextSlug() });
  await createSeries(deps, { pageId, body: { ...body, startsAt: '2026-12-06T02:00' } });
  await sql`update pages set deleted_at = now() where id = ${pageId}`;
  await planMaintenance(deps);
  t.strictSame(await startsOf(pageId), []);
});

t.test('an occurrence that lasts until the notice of the next one is published once', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: nextSlug() });
  now = Date.parse('2026-12-20T01:00:00Z');
  const long = { ...body, startsAt: '2026-12-20T02:00', durationMinutes: 2_880, noticeDays: 6 };
  await createSeries(deps, { pageId, body: { ...long, rule: 'FREQ=WEEKLY' } });
  for (const time of ['20T01:30', '20T12:00', '21T02:30', '21T12:00']) {
    now = Date.parse(`2026-12-${time}:00Z`);
    await planMaintenance(deps);
  }
  t.strictSame(await startsOf(pageId), ['2026-12-20', '2026-12-27']);
});
