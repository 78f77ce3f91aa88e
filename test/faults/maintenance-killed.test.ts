import t from 'tap';
import { createSeries } from '../../control/maintenance-series/index.js';
import { systemClock } from '../../lib/clock.js';
import { dayMs } from '../../lib/times.js';
import { testActor } from '../support/actor.js';
import { makePage } from '../support/pages.js';
import { openStores } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';
import { onLinux, serveOn } from './running-service.js';

const { sql, databaseUrl, clickhouseUrl } = await openStores(t);

const [pageCount, days] = [32, 10];
/** A run that was cut off is repeated within 40 s, and the first begins with the next minute. */
const runsWithinMs = 90_000;

/** Each page has a series whose next ten days are due. */
async function planSeries(): Promise<void> {
  const tomorrow = new Date(Date.now() + dayMs).toISOString().slice(0, 10);
  for (let i = 0; i < pageCount; i += 1) {
    const { id: pageId } = await makePage(sql, { slug: `page-${i}` });
    const body = {
      ...{ title: 'Updates', summary: 'Read-only.', startsAt: `${tomorrow}T02:00`, durationMinutes: 60 },
      ...{ rule: `FREQ=DAILY;COUNT=${days}`, timeZone: 'UTC', noticeDays: 90 },
    };
    await createSeries({ sql, clock: systemClock, by: testActor }, { pageId, body });
  }
}

async function countPublished(): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from incidents`;
  return row?.count ?? 0;
}

t.test(
  'the service killed while it plans maintenance: every occurrence is published, once',
  { ...onLinux, timeout: 280_000 },
  async (t) => {
    await planSeries();
    const all = pageCount * days;
    const stores = { databaseUrl, clickhouseUrl };
    const service = await serveOn(t, stores);
    await waitUntil('some are published', async () => (await countPublished()) > 20, runsWithinMs);
    process.kill(service.pid, 'SIGKILL');
    t.same(await service.exited, { code: null, signal: 'SIGKILL' });
    const published = await countPublished();
    t.ok(published < all, `killed after ${published} of ${all}`);

    await serveOn(t, stores);
    await waitUntil('no series is due', isPlanned, runsWithinMs);
    const incidents = await sql<{ count: number }[]>`
      select count(*)::int as count from incidents group by page_id, started_at`;
    t.equal(incidents.length, all, 'every occurrence');
    t.ok(
      incidents.every(({ count }) => count === 1),
      'once',
    );
    const [others] = await sql`
      select (select count(*)::int from maintenance_occurrences) as remembered,
        (select count(*)::int from announcements) as announced`;
    t.strictSame({ ...others }, { remembered: all, announced: all });
  },
);

/** Whether every series waits for an occurrence that is not due yet, or has none left. */
async function isPlanned(): Promise<boolean> {
  const due = await sql`select 1 from maintenance_series where due_at <= now() limit 1`;
  return due.length === 0;
}
