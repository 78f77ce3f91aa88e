import t from 'tap';
import { copyRows } from '../../../control/copies/index.js';
import { deletePage } from '../../../control/pages/index.js';
import { systemClock } from '../../../lib/clock.js';
import { removePages } from '../../../service/jobs/remove-pages.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { testActor } from '../../support/actor.js';
import { controlClickHouse } from '../../support/controlled-clickhouse.js';
import { copyAll, countDue, insertCopied, readBoth } from '../../support/copies.js';
import { makePage } from '../../support/pages.js';
import { select } from '../../support/rollups.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const stores = await openStores(t);
const { sql, clickhouse, databaseUrl } = stores;
const deps = { sql, clickhouse, clock: systemClock, log: silentLog, by: testActor };

async function countCopies(pageId: string): Promise<number> {
  return (await select(clickhouse, `SELECT 1 FROM copies WHERE page_id = '${pageId}'`)).length;
}

t.test('a deleted page leaves nothing, also when its rows are being copied', async (t) => {
  const [{ id: pageId }, { id: otherId }] = [
    await makePage(sql, { slug: 'gone' }),
    await makePage(sql, { slug: 'stays' }),
  ];
  await insertCopied(sql, pageId);
  await insertCopied(sql, otherId);
  await copyAll(stores);
  const kept = await countCopies(otherId);
  t.ok(kept > 0 && (await countCopies(pageId)) > 0);

  await sql`update monitors set name = 'Changed' where page_id = ${pageId}`;
  const controlled = controlClickHouse(clickhouse);
  controlled.behaviour = 'hang';
  const other = openPostgres(databaseUrl, { max: 2 });
  t.teardown(() => other.end({ timeout: 5 }));
  const copying = copyRows({ ...deps, sql: other, clickhouse: controlled.clickhouse });
  await waitUntil('the copy is on its way', () => controlled.inserts > 0);
  await deletePage(deps, pageId);
  const removing = removePages(deps);
  await waitUntil('the removal waits for the copy', async () => {
    const waiting = await sql`
      select from pg_locks l join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`;
    return waiting.length > 0;
  });
  controlled.release();
  await Promise.all([copying, removing]);

  await waitUntil('ClickHouse has no copy of the page', async () => (await countCopies(pageId)) === 0);
  t.equal(await countDue(sql), 0);
  t.equal(await countCopies(otherId), kept);
  const { rows, copies } = await readBoth(stores);
  t.strictSame(copies, rows);
});

t.test('what changes after the deletion is not copied', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'late' });
  const { monitorId } = await insertCopied(sql, pageId);
  await deletePage(deps, pageId);
  // Another transaction noted it while the page was being deleted.
  await sql`
    insert into copies_due (page_id, kind, id) values (${pageId}, 'monitor', ${monitorId}) on conflict do nothing`;
  t.equal(await copyRows(deps), false);
  t.equal(await countDue(sql), 0);
  await sql`update monitors set name = 'Changed' where page_id = ${pageId}`;
  t.equal(await countDue(sql), 0);
  t.equal(await countCopies(pageId), 0);
});
