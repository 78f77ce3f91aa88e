import t from 'tap';
import {
  createIncident,
  loadCurrentIncidents,
  loadDayIncidents,
  loadFeedIncidents,
  loadIncidentMonth,
  loadLedger,
  loadRecentIncidents,
  monthOf,
  parseNewIncident,
} from '../../../control/incidents/index.js';
import { dayMs } from '../../../lib/times.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { testActor } from '../../support/actor.js';
import { makeMonitors, outage } from '../../support/incidents.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const incidents = 20_000;
/** A month counts 5,000 of its incidents and reads some of them; all others read fewer. */
const readMax = 6_000;
/** As long as somebody writes; a table of shorter ones is so small that PostgreSQL reads it whole, and rightly so. */
const summary = 'Requests take longer. '.repeat(50);

const { databaseUrl } = await openTestPostgres(t);
// One connection, whose figures PostgreSQL adds to the table's when it is asked to.
const sql = openPostgres(databaseUrl, { max: 1 });
t.teardown(() => sql.end({ timeout: 5 }));
const clock = makeStoppedClock();
const deps = { sql, clock, by: testActor };
const { id: pageId } = await makePage(sql);
const query = { pageId, language: 'en' };

/** Returns how many rows of incidents were read since the last call. */
async function rowsRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ rows: number }[]>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as rows
    from pg_stat_user_tables where relname = 'incidents'`;
  const rows = row?.rows ?? 0;
  const read = rows - readBefore;
  readBefore = rows;
  return read;
}
let readBefore = 0;

/** Adds incidents that have ended, one a minute, or all with the same times, which their writer chooses. */
async function fill(startedAt: Date, stepSeconds: number, count: number): Promise<void> {
  await sql`
    insert into incidents (id, page_id, type, title, summary, started_at, resolved_at, published_at)
    select gen_random_uuid(), ${pageId}, 'incident', 'Slow', ${summary}, at, at + interval '1 minute', at
    from generate_series(1, ${count}) as place,
      lateral (select ${startedAt} - place * ${stepSeconds} * interval '1 second' as at) x`;
}

const reads: Record<string, () => Promise<readonly unknown[] | undefined>> = {
  ledger: () => loadLedger(deps, pageId),
  'status view': () => loadRecentIncidents(deps, query),
  'days of the status view': () => loadDayIncidents(deps, pageId, 90),
  'state of the page': () => loadCurrentIncidents(deps, pageId),
  feed: () => loadFeedIncidents(deps, query),
  'history of a month': async () =>
    (await loadIncidentMonth(deps, { ...query, month: monthOf(clock.now()), page: 1 }))?.incidents,
};

t.before(async () => {
  const now = clock.now();
  await makeMonitors(sql, pageId, ['api']);
  const half = incidents / 2;
  await fill(new Date(now), 60, half);
  await fill(new Date(now - 30 * dayMs), 0, half);
  await createIncident(deps, {
    pageId,
    input: parseNewIncident({ ...outage, startedAt: new Date(now).toISOString(), monitorSlugs: ['api'] }),
  });
  await sql`analyze`;
});

for (const [name, read] of Object.entries(reads)) {
  t.test(`with ${incidents} incidents of a page, the ${name} reads those that it may show`, async (t) => {
    await rowsRead();
    const found = await read();
    const rows = await rowsRead();
    t.ok(found?.length, 'something is found');
    t.ok(rows > 0 && rows < readMax, `${rows} rows`);
  });
}
