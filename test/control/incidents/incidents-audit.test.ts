import t from 'tap';
import {
  createIncident,
  deleteIncident,
  moveMaintenance,
  parseNewIncident,
  recordIncident,
} from '../../../control/incidents/index.js';
import { watchMonitors } from '../../../control/monitors/index.js';
import { countIncidentEmails, forgetIncidentEmails } from '../../../control/subscribers/index.js';
import { countIncidentDeliveries } from '../../../control/webhooks/index.js';
import { type IncidentId, parseId } from '../../../lib/ids.js';
import { minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { outage } from '../../support/incidents.js';
import { insertMonitor } from '../../support/monitors.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage, setPage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const { id: pageId } = await makePage(sql, { languages: ['en', 'de'] });
const clock = makeStoppedClock();
const deps = { sql, clock, log: silentLog, by: testActor };

type Row = { action: string; actor: string; before: object | null; after: object | null };

/** In the order in which the rows were made. Where they lie says nothing: PostgreSQL fills space that others left. */
const auditOf = async (id: string) => [
  ...(await sql<Row[]>`
    select action, actor_type || ' ' || actor_name as actor, before, after from audit_log
    where page_id = ${pageId} and (target_id = ${id} or before->>'incidentId' = ${id} or after->>'incidentId' = ${id})
    order by id`),
];

async function open(fields: object): Promise<IncidentId> {
  const { id } = await createIncident(deps, { pageId, input: parseNewIncident({ ...outage, ...fields }) });
  const incidentId = parseId<IncidentId>(id);
  if (incidentId === undefined) throw new Error('A new incident has an id.');
  return incidentId;
}

t.test('the job that moves maintenance says what it did', async (t) => {
  const time = (minutes: number) => new Date(clock.now() + minutes * minuteMs).toISOString();
  const id = await open({ type: 'maintenance', startedAt: time(1), scheduledEndAt: time(3) });
  clock.advance(minuteMs);
  await moveMaintenance(deps);
  await moveMaintenance(deps);
  clock.advance(2 * minuteMs);
  await moveMaintenance(deps);
  await moveMaintenance(deps);
  t.match(await auditOf(id), [
    { action: 'incident.create', actor: 'cli test' },
    {
      ...{ action: 'incident.update', actor: 'job move-maintenance' },
      ...{ before: { maintenanceState: 'scheduled' }, after: { maintenanceState: 'in_progress' } },
    },
    {
      ...{ action: 'incident.resolve', actor: 'job move-maintenance' },
      ...{ before: { resolvedAt: null }, after: { resolvedAt: /Z$/, maintenanceState: 'completed' } },
    },
  ]);
  t.equal((await auditOf(id)).length, 3);
});

t.test('an imported incident has one row, and its translations are by people', async (t) => {
  const id = await recordIncident(deps, {
    ...{ pageId, input: parseNewIncident(outage), publishedAt: clock.now() },
    updates: [{ at: clock.now(), status: 'resolved', body: 'Over.' }],
    texts: [{ text: outage.title, translations: { de: 'Ausfall' } }],
  });
  const rows = await auditOf(id);
  t.match(rows, [{ action: 'incident.import', before: null, after: { title: outage.title, updates: 1 } }]);
  t.match(rows, [{ after: { resolvedAt: /Z$/ } }]);
  t.equal(rows.length, 1);
  const translations = await sql`
    select by_person from translations where page_id = ${pageId} and text = 'Ausfall'`;
  t.same([...translations], [{ by_person: true }]);
});

t.test(
  'a monitor opens and resolves incidents in its own name, and leaves a deleted one deleted',
  async (t) => {
    await setPage(deps, { slug: 'acme', incidentsFromMonitors: true });
    const monitorId = await insertMonitor(sql, { pageId, slug: 'api' });
    const setState = (state: string) =>
      sql`update monitors set state = ${state}, state_since = now() where id = ${monitorId}`;
    const loadOpened = async () => {
      const rows = await sql<{ id: IncidentId; author: string }[]>`
      select id, author_type || ' ' || author_name as author from incidents
      where page_id = ${pageId} and title = 'api is down' order by id`;
      return [...rows];
    };
    await setState('down');
    await watchMonitors(deps);
    const [first] = await loadOpened();
    if (first === undefined) throw new Error('The monitor has opened no incident.');
    t.equal(first.author, 'job watch-monitors');
    await setState('up');
    await watchMonitors(deps);
    t.match(await auditOf(first.id), [
      { action: 'incident.create', actor: 'job watch-monitors' },
      { action: 'incident-update.create', actor: 'job watch-monitors' },
      { action: 'incident.resolve', actor: 'job watch-monitors' },
    ]);
    await setState('down');
    await watchMonitors(deps);
    const second = (await loadOpened()).find(({ id }) => id !== first.id);
    if (second === undefined || second.id === first.id)
      throw new Error('The monitor has opened no incident.');
    t.ok(
      await deleteIncident(
        { ...deps, forgetEmails: forgetIncidentEmails },
        { pageId, incidentId: second.id },
      ),
    );
    await watchMonitors(deps);
    t.same(await loadOpened(), [first], 'one incident for one outage');
    await setState('up');
    await watchMonitors(deps);
    await setState('down');
    await watchMonitors(deps);
    t.equal((await loadOpened()).length, 2, 'the next outage opens the next one');
  },
);

t.test(
  'deleting an incident deletes what was sent and what is pending, which is counted until then',
  async (t) => {
    const incidentId = await open({});
    const [announcement] = await sql<{ id: string }[]>`
    select id from announcements where incident_id = ${incidentId}`;
    if (announcement === undefined) throw new Error('A new incident is announced.');
    for (const state of ['pending', 'pending', 'delivered']) {
      await sql`
      with added as (
        insert into subscribers (id, page_id, email, language, created_at, requested_at)
        values (gen_random_uuid(), ${pageId}, gen_random_uuid() || '@example.com', 'en', now(), now()) returning id)
      insert into emails (id, page_id, subscriber_id, kind, announcement_id, state, next_attempt_at, created_at)
      select gen_random_uuid(), ${pageId}, id, 'announcement', ${announcement.id}, ${state}, 'infinity', now() from added`;
    }
    await sql`
    with added as (
      insert into webhooks (id, page_id, url, secret, created_at)
      values (gen_random_uuid(), ${pageId}, 'https://hooks.example.com', '', now()) returning id)
    insert into webhook_deliveries (id, page_id, webhook_id, announcement_id, queue, seq, kind, state, reason,
      next_attempt_at, created_at, finished_at)
    select gen_random_uuid(), ${pageId}, id, ${announcement.id}, ${incidentId}, 1, 'incident.created', 'parked', 'Gone.',
      now(), now(), now() from added`;
    const ref = { pageId, incidentId };
    t.same(await countIncidentEmails(deps, ref), { pending: 2, delivered: 1, parked: 0 });
    t.same(await countIncidentDeliveries(deps, ref), { pending: 0, delivered: 0, parked: 1 });
    const forgetAndFail = async (...args: Parameters<typeof forgetIncidentEmails>) => {
      await forgetIncidentEmails(...args);
      throw new Error('The connection broke.');
    };
    await t.rejects(deleteIncident({ ...deps, forgetEmails: forgetAndFail }, ref), /broke/);
    t.same(await countIncidentEmails(deps, ref), { pending: 2, delivered: 1, parked: 0 }, 'all or nothing');
    t.ok(await deleteIncident({ ...deps, forgetEmails: forgetIncidentEmails }, ref));
    const left = await sql`
    select 1 from emails where announcement_id = ${announcement.id}
    union all select 1 from webhook_deliveries where announcement_id = ${announcement.id}`;
    t.equal(left.length, 0);
  },
);
