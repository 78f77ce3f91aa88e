import t from 'tap';
import type { LedgerEntry } from '../../../contract/incidents.js';
import {
  appendUpdate,
  changeIncident,
  createIncident,
  loadLedger,
  moveMaintenance,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
} from '../../../control/incidents/index.js';
import { type IncidentId, newId, parseId } from '../../../lib/ids.js';
import { minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { loadAnnounced } from '../../support/incidents.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const { id: pageId } = await makePage(sql);
const begin = Date.parse('2026-06-01T12:00:00.000Z');
let now = begin;
const deps = { sql, clock: { now: () => now }, log: silentLog, by: testActor };
const at = (minutes: number): string => new Date(begin + minutes * minuteMs).toISOString();

/** Schedules a maintenance from minute 10 to minute 70, at minute 0. */
async function schedule(fields: object = {}): Promise<IncidentId> {
  now = begin;
  const input = parseNewIncident({
    type: 'maintenance',
    title: 'New switches',
    summary: 'Short interruptions.',
    startedAt: at(10),
    scheduledEndAt: at(70),
    ...fields,
  });
  return parseId<IncidentId>((await createIncident(deps, { pageId, input })).id) ?? newId<IncidentId>(0);
}

async function runAt(minutes: number): Promise<void> {
  now = begin + minutes * minuteMs;
  await moveMaintenance(deps);
}

const change = (incidentId: IncidentId, fields: object) =>
  changeIncident(deps, { pageId, incidentId, change: parseIncidentChange(fields) });

const announcedOf = (id: IncidentId) => loadAnnounced(sql, id);

async function entryOf(id: IncidentId): Promise<LedgerEntry | undefined> {
  return (await loadLedger(deps, pageId)).find((entry) => entry.id === id);
}

t.test('the start and the planned end of a maintenance are announced once each', async (t) => {
  const id = await schedule();
  await runAt(9);
  t.equal((await announcedOf(id)).length, 1, 'not before its time');
  await runAt(10);
  await runAt(11);
  t.match((await announcedOf(id)).slice(1), [
    { kind: 'maintenance.updated', entry: { maintenanceState: 'in_progress', resolvedAt: null } },
  ]);
  await runAt(69);
  await runAt(75);
  await runAt(76);
  const announced = await announcedOf(id);
  t.equal(announced.length, 3);
  t.match(announced[2], {
    kind: 'maintenance.resolved',
    entry: { maintenanceState: 'completed', resolvedAt: at(70), scheduledEndAt: at(70) },
  });
  t.match(await entryOf(id), { maintenanceState: 'completed', resolvedAt: at(70) });
});

t.test('a maintenance that began and ended while nothing ran is announced as ended only', async (t) => {
  const id = await schedule();
  await runAt(200);
  await runAt(201);
  t.strictSame(
    (await announcedOf(id)).map(({ kind }) => kind),
    ['maintenance.created', 'maintenance.resolved'],
  );
  t.match(await entryOf(id), { resolvedAt: at(70) });
});

t.test('a maintenance without a planned end runs until a request ends it', async (t) => {
  const id = await schedule({ scheduledEndAt: null });
  await runAt(10);
  await runAt(5_000);
  t.match(await entryOf(id), { maintenanceState: 'in_progress', resolvedAt: null });
  await change(id, { resolvedAt: at(4_999) });
  await runAt(5_001);
  t.strictSame(
    (await announcedOf(id)).map(({ kind }) => kind),
    ['maintenance.created', 'maintenance.updated', 'maintenance.resolved'],
  );
});

t.test('an end that a request sets is announced once, with the request', async (t) => {
  const ahead = await schedule();
  await change(ahead, { resolvedAt: at(40) });
  const off = await schedule();
  const update = parseNewUpdate({ body: 'Called off.', status: 'resolved' });
  await appendUpdate(deps, { pageId, incidentId: off, input: update });
  for (const minutes of [5, 10, 39, 40, 41, 70, 71]) await runAt(minutes);
  t.match(await announcedOf(ahead), [
    { kind: 'maintenance.created' },
    { kind: 'maintenance.resolved' },
    { kind: 'maintenance.updated', entry: { maintenanceState: 'in_progress' } },
  ]);
  t.match(await entryOf(ahead), { maintenanceState: 'completed', resolvedAt: at(40) });
  t.strictSame(
    (await announcedOf(off)).map(({ kind }) => kind),
    ['maintenance.created', 'maintenance.resolved'],
  );
});

t.test('new times of a maintenance replace the old ones', async (t) => {
  const id = await schedule();
  await runAt(10);
  await change(id, { startedAt: at(30), scheduledEndAt: at(90) });
  for (const minutes of [11, 30, 70, 90]) await runAt(minutes);
  t.match(await announcedOf(id), [
    { kind: 'maintenance.created' },
    { kind: 'maintenance.updated', entry: { maintenanceState: 'in_progress' } },
    { kind: 'maintenance.updated', entry: { maintenanceState: 'scheduled' } },
    { kind: 'maintenance.updated', entry: { maintenanceState: 'in_progress' } },
    { kind: 'maintenance.resolved', entry: { resolvedAt: at(90) } },
  ]);
  t.equal((await announcedOf(id)).length, 5);
});

t.test('concurrent runs announce each step once', async (t) => {
  const ids = await Promise.all(Array.from({ length: 10 }, () => schedule()));
  for (const minutes of [10, 70]) await Promise.all(Array.from({ length: 4 }, () => runAt(minutes)));
  for (const id of ids) {
    t.strictSame(
      (await announcedOf(id)).map(({ kind }) => kind),
      ['maintenance.created', 'maintenance.updated', 'maintenance.resolved'],
    );
  }
});

t.test('a maintenance that cannot be moved fails the run, and holds up no other', async (t) => {
  const [broken, sound] = [await schedule(), await schedule()];
  await sql`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if new.incident_id::text = current_setting('test.broken', true) then raise exception 'broken'; end if;
      return new;
    end $$`;
  await sql.unsafe(`alter function refuse() set test.broken = '${broken}'`);
  await sql`create trigger refuse before insert on announcements for each row execute function refuse()`;
  const log = captureLog();
  now = begin + 10 * minuteMs;
  await t.rejects(moveMaintenance({ ...deps, log: log.log }), {
    message: '1 of 2 due maintenance windows were not moved.',
  });
  t.match(log.entries(), [{ incidentId: broken }]);
  t.equal((await announcedOf(sound)).length, 2);
  t.equal((await announcedOf(broken)).length, 1);
  await sql`drop trigger refuse on announcements`;
  await moveMaintenance(deps);
  t.equal((await announcedOf(broken)).length, 2, 'a later run moves it');
});

t.test('the job does not change incidents', async (t) => {
  const id = await schedule({ type: 'incident' });
  await runAt(100);
  t.match(await entryOf(id), { resolvedAt: null, maintenanceState: null });
});

t.test('a planned end in the past becomes the end', async (t) => {
  const created = await schedule({ startedAt: at(-70), scheduledEndAt: at(-10) });
  const moved = await schedule({ startedAt: at(-70) });
  await change(moved, { scheduledEndAt: at(-5) });
  await runAt(1);
  t.match(await entryOf(created), { resolvedAt: at(-10), maintenanceState: 'completed' });
  t.match(await entryOf(moved), { resolvedAt: at(-5), maintenanceState: 'completed' });
  t.equal((await announcedOf(created)).at(-1)?.kind, 'maintenance.resolved');
});

t.test('a maintenance that is reopened after its planned end stays open', async (t) => {
  const id = await schedule({ startedAt: at(-70), scheduledEndAt: at(-10) });
  await runAt(1);
  await change(id, { resolvedAt: null });
  await runAt(2);
  t.match(await entryOf(id), { resolvedAt: null, maintenanceState: 'completed' });
});
