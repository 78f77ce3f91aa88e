import t from 'tap';
import { incidentLimits } from '../../../contract/incidents.js';
import {
  appendUpdate,
  changeIncident,
  createIncident,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
} from '../../../control/incidents/index.js';
import { watchMonitors } from '../../../control/monitors/index.js';
import { type IncidentId, newId, parseId } from '../../../lib/ids.js';
import { testActor } from '../../support/actor.js';
import { fillOpenIncidents, fillUpdates, makeMonitors, outage } from '../../support/incidents.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const clock = makeStoppedClock();
const deps = { sql, clock, log: silentLog, by: testActor };
const { updates: updatesMax, entryBytes, openPerPage, openBytesPerPage } = incidentLimits;

/** A page of its own, with what the tests do on it. */
async function makeOn(slug: string) {
  const { id: pageId } = await makePage(sql, { slug });
  const create = (fields: object = {}) =>
    createIncident(deps, { pageId, input: parseNewIncident({ ...outage, ...fields }) });
  return {
    pageId,
    create,
    async open(fields: object = {}): Promise<IncidentId> {
      const incidentId = parseId<IncidentId>((await create(fields)).id);
      if (incidentId === undefined) throw new Error('A new incident has an id.');
      return incidentId;
    },
    append: (incidentId: IncidentId, fields: object = {}) =>
      appendUpdate(deps, { pageId, incidentId, input: parseNewUpdate({ body: 'Text.', ...fields }) }),
    change: (incidentId: IncidentId, fields: object) =>
      changeIncident(deps, { pageId, incidentId, change: parseIncidentChange(fields) }),
  };
}

const succeeded = (outcomes: PromiseSettledResult<unknown>[]) =>
  outcomes.filter(({ status }) => status === 'fulfilled').length;
const refused = (message: RegExp) => ({ kind: 'incidentLimit', message });

t.test('an incident has 200 updates, of which the last one resolves it', async (t) => {
  const { open, append, change } = await makeOn('updates');
  const id = await open();
  await fillUpdates(sql, id, updatesMax - 5);
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => append(id)));
  t.equal(succeeded(outcomes), 4, 'exactly as many as there is room for');
  await t.rejects(
    append(id),
    refused(/has 199 updates, and the last one is kept for an update that resolves/),
  );
  t.match(await append(id, { status: 'resolved' }), { resolvedIncident: true });
  await change(id, { resolvedAt: null });
  const full = refused(/has 200 updates, which is the most\. Resolve it by its end time/);
  await t.rejects(append(id), full);
  await t.rejects(append(id, { status: 'resolved' }), full);
  t.match(await change(id, { resolvedAt: '2026-11-20T12:00:00Z' }), {
    resolvedAt: '2026-11-20T12:00:00.000Z',
  });
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from incident_updates where incident_id = ${id}`;
  t.equal(row?.count, updatesMax);
});

t.test('an incident has 200,000 bytes of text, which the update that resolves it may exceed', async (t) => {
  const { open, append, change } = await makeOn('bytes');
  const id = await open({ title: 'Titel', summary: 'ä'.repeat(10_000) });
  await fillUpdates(sql, id, 17, 'x'.repeat(10_000));
  const left = entryBytes - 20_005 - 170_000;
  await t.rejects(
    append(id, { body: `${'x'.repeat(left - 1)}ä` }),
    refused(/have 200,001 bytes, and may have 200,000/),
  );
  await append(id, { body: `${'x'.repeat(left - 2)}ä` });
  await t.rejects(append(id, { body: 'x' }), refused(/200,001 bytes/));
  await t.rejects(change(id, { title: 'Titel!' }), refused(/200,001 bytes/));
  t.match(
    await change(id, { title: 'Titän', summary: 'Kürzer.' }),
    { title: 'Titän' },
    'it may be shortened',
  );
  await change(id, { summary: 'ä'.repeat(9_999) });
  t.match(await append(id, { body: 'x'.repeat(20_000), status: 'resolved' }), { resolvedIncident: true });
  await t.rejects(append(id, { body: 'x' }), refused(/bytes/));
  await change(id, { resolvedAt: null });
  const onlyEnd = refused(/have 2\d\d,\d\d\d bytes already, .* Resolve it by its end time \(resolvedAt\)\.$/);
  await t.rejects(append(id, { body: 'x', status: 'resolved' }), onlyEnd, 'once');
  t.match(await change(id, { resolvedAt: '2026-11-20T12:00:00Z', notify: false }), { notify: false });
});

t.test('a page has 100 open incidents and maintenance', async (t) => {
  const { pageId, create, open, change } = await makeOn('open');
  const resolved = await open({ resolvedAt: '2026-11-20T12:00:00Z' });
  await fillOpenIncidents(sql, pageId, openPerPage - 2);
  const maintenance = { type: 'maintenance', scheduledEndAt: '2026-11-20T13:00:00Z' };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, (_, i) => create(i % 2 === 0 ? maintenance : {})),
  );
  t.equal(succeeded(outcomes), 2, 'exactly as many as there is room for');
  const full = refused(/^The page has 100 open incidents and maintenance, which is the most\. Resolve one/);
  await t.rejects(create(), full);
  await t.rejects(change(resolved, { resolvedAt: null }), full);
  await create({ resolvedAt: '2026-11-20T12:00:00Z' });
  const { create: createElsewhere } = await makeOn('neighbour');
  t.ok(await createElsewhere(), 'another page has its own');
});

t.test('the open incidents of a page have 2,000,000 bytes of text', async (t) => {
  const { pageId, create, open, append, change } = await makeOn('text');
  const id = await open({ title: 'Titel', summary: 'Text.' });
  const each = 20_000;
  await fillOpenIncidents(sql, pageId, 91, 'x'.repeat(each - 'Filled'.length));
  await fillUpdates(sql, id, 17, 'x'.repeat(10_000));
  await append(id, { body: 'x'.repeat(openBytesPerPage - 91 * each - 170_000 - 15) });
  const full = refused(/would have 2,000,0\d\d bytes, and may have 2,000,000\. Resolve one, or shorten/);
  await t.rejects(append(id, { body: 'x'.repeat(6) }), full);
  await t.rejects(change(id, { title: 'Titel..........' }), refused(/bytes/));
  await t.rejects(create(), full);
  await append(id, { status: 'resolved' });
  t.ok(await create(), 'there is room again');
  await t.rejects(change(id, { resolvedAt: null }), refused(/would have 2,000,\d\d\d bytes/));
});

t.test('attached services count as 64 bytes each', async (t) => {
  const { pageId, create, open, change } = await makeOn('services');
  const slugs = Array.from({ length: 1_000 }, (_, i) => `s-${i}`);
  await makeMonitors(sql, pageId, slugs);
  const summary = 'x'.repeat(20_000);
  const id = await open({ title: 'Titel', summary });
  await fillUpdates(sql, id, 13, 'x'.repeat(10_000));
  await t.rejects(
    change(id, { monitorSlugs: slugs }),
    refused(/would have 214,005 bytes, and may have 200,000/),
  );
  t.match(await change(id, { monitorSlugs: [...slugs.slice(0, 700), 'unknown'] }), { title: 'Titel' });
  await t.rejects(change(id, { monitorSlugs: slugs.slice(0, 800) }), refused(/would have 201,205 bytes/));
  t.ok(await change(id, { monitorSlugs: slugs.slice(300, 1_000) }), 'as many others');
  t.ok(await change(id, { monitorSlugs: [] }), 'fewer');
  await change(id, { resolvedAt: '2026-11-20T12:00:00Z' });

  const outcomes = [];
  for (let i = 0; i < 40; i += 1) {
    outcomes.push(...(await Promise.allSettled([create({ summary: 'Text.', monitorSlugs: slugs })])));
  }
  t.equal(succeeded(outcomes), 31, '31 times 64,000 bytes, with their texts');
  await t.rejects(
    create({ monitorSlugs: slugs }),
    refused(/services of all open incidents .* or the list of services/),
  );
  t.ok(await create({ monitorSlugs: ['s-1'] }), 'one with fewer');
});

t.test('a monitor opens and resolves its incident on a page that is full', async (t) => {
  const { pageId, create, append } = await makeOn('monitored');
  await sql`update pages set incidents_from_monitors = true where id = ${pageId}`;
  await makeMonitors(sql, pageId, ['api']);
  await fillOpenIncidents(sql, pageId, openPerPage - 1, 'x'.repeat(20_300));
  const setState = (state: string) =>
    sql`update monitors set state = ${state}, state_since = now() where page_id = ${pageId}`;
  await setState('down');
  await watchMonitors(deps);
  const [monitor] = await sql<{ incident_id: IncidentId }[]>`
    select incident_id from monitors where page_id = ${pageId}`;
  const id = monitor?.incident_id ?? newId<IncidentId>(0);
  await t.rejects(append(id, { body: 'x' }), refused(/bytes/), 'people and keys have the limits there, too');
  await sql`update incidents set summary = 'Text.' where page_id = ${pageId} and title = 'Filled'`;
  t.ok(await create(), 'the incident of a monitor takes the place of no other');
  await t.rejects(create(), refused(/100 open incidents/));
  await fillUpdates(sql, id, updatesMax);
  await setState('up');
  await watchMonitors(deps);
  const [incident] = await sql<{ resolved_at: Date | null }[]>`
    select resolved_at from incidents where id = ${id}`;
  t.ok(incident?.resolved_at);
});
