import t from 'tap';
import {
  appendUpdate,
  changeIncident,
  createIncident,
  loadLedger,
  parseIncidentChange,
  parseNewIncident,
  parseNewUpdate,
} from '../../../control/incidents/index.js';
import { systemClock } from '../../../lib/clock.js';
import { type IncidentId, parseId } from '../../../lib/ids.js';
import { testActor } from '../../support/actor.js';
import { loadAnnounced, outage } from '../../support/incidents.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const { id: pageId } = await makePage(sql);
const deps = { sql, clock: systemClock, by: testActor };

async function open(): Promise<IncidentId> {
  const { id } = await createIncident(deps, { pageId, input: parseNewIncident(outage) });
  const incidentId = parseId<IncidentId>(id);
  if (incidentId === undefined) throw new Error('A new incident has an id.');
  return incidentId;
}

const change = (incidentId: IncidentId, fields: object) =>
  changeIncident(deps, { pageId, incidentId, change: parseIncidentChange(fields) });
const append = (incidentId: IncidentId, fields: object) =>
  appendUpdate(deps, { pageId, incidentId, input: parseNewUpdate({ body: 'Text.', ...fields }) });
const kindsOf = async (incidentId: IncidentId) =>
  (
    await sql<
      { kind: string }[]
    >`select kind from announcements where incident_id = ${incidentId} order by seq`
  ).map(({ kind }) => kind);

t.test('concurrent changes of different fields are all kept', async (t) => {
  const id = await open();
  await Promise.all([
    change(id, { title: 'New title' }),
    change(id, { summary: 'New summary' }),
    change(id, { startedAt: '2026-11-20T09:00:00Z' }),
    change(id, { resolvedAt: '2026-11-20T12:00:00Z' }),
    ...Array.from({ length: 6 }, (_, i) => append(id, { body: `Update ${i}.` })),
  ]);
  const [entry] = (await loadLedger(deps, pageId)).filter((entry) => entry.id === id);
  t.match(entry, {
    title: { en: 'New title' },
    summary: { en: 'New summary' },
    startedAt: '2026-11-20T09:00:00.000Z',
    resolvedAt: '2026-11-20T12:00:00.000Z',
  });
  t.equal(entry?.updates.length, 6);
});

t.test('one of many concurrent updates resolves the incident', async (t) => {
  const id = await open();
  const updates = await Promise.all(Array.from({ length: 8 }, () => append(id, { status: 'resolved' })));
  t.equal(updates.filter((update) => update?.resolvedIncident).length, 1);
  t.equal((await kindsOf(id)).filter((kind) => kind === 'incident.resolved').length, 1);
});

t.test('a change and an update that both resolve an incident announce one end', async (t) => {
  for (let i = 0; i < 5; i += 1) {
    const id = await open();
    await Promise.all([
      append(id, { status: 'resolved' }),
      change(id, { resolvedAt: '2026-11-20T12:00:00Z' }),
    ]);
    t.equal((await kindsOf(id)).filter((kind) => kind === 'incident.resolved').length, 1);
  }
});

t.test('announcements show every state of the incident, in order', async (t) => {
  const id = await open();
  await Promise.all(Array.from({ length: 10 }, (_, i) => change(id, { title: `Title ${i}` })));
  const titles = (await loadAnnounced(sql, id)).map(({ entry }) => entry.title['en']);
  t.equal(new Set(titles).size, 11, 'the creation and ten changes, each with the state that it made');
  const [entry] = (await loadLedger(deps, pageId)).filter((entry) => entry.id === id);
  t.equal(titles.at(-1), entry?.title['en']);
});

t.test('a change that fails announces nothing and requests no translation', async (t) => {
  const id = await open();
  const before = await kindsOf(id);
  await t.rejects(change(id, { title: 'Never', resolvedAt: '2026-11-20T09:00:00Z' }));
  t.strictSame(await kindsOf(id), before);
});
