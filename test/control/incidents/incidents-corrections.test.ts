import fc from 'fast-check';
import t from 'tap';
import type { UpdateStatus } from '../../../contract/incidents.js';
import { updateStatuses } from '../../../contract/incidents.js';
import {
  appendUpdate,
  correctUpdate,
  createIncident,
  deleteIncident,
  deleteUpdate,
  loadLedger,
  loadManagedIncident,
  parseNewIncident,
  pruneAnnouncedTexts,
  pruneAnnouncements,
} from '../../../control/incidents/index.js';
import { type IncidentId, parseId, type UpdateId } from '../../../lib/ids.js';
import { testActor } from '../../support/actor.js';
import { loadAnnounced, outage } from '../../support/incidents.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { propertyOf } from '../../support/property.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const { id: pageId } = await makePage(sql);
const deps = { sql, clock: makeStoppedClock(), by: testActor };

async function open(): Promise<IncidentId> {
  const { id } = await createIncident(deps, { pageId, input: parseNewIncident(outage) });
  const incidentId = parseId<IncidentId>(id);
  if (incidentId === undefined) throw new Error('A new incident has an id.');
  return incidentId;
}

async function append(
  incidentId: IncidentId,
  input: { body: string; status: UpdateStatus; notify: boolean },
) {
  const update = await appendUpdate(deps, { pageId, incidentId, input });
  const id = parseId<UpdateId>(update?.id ?? '');
  if (id === undefined) throw new Error('A new update has an id.');
  return id;
}

type Shown = { id: UpdateId; status: UpdateStatus; body: string };

const text = fc.constantFrom('One.', 'Two.', 'Three.');
const status = fc.constantFrom(...updateStatuses);
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('append' as const), body: text, status, notify: fc.boolean() }),
    fc.record({
      do: fc.constant('correct' as const),
      at: fc.nat(3),
      body: text,
      status,
      notify: fc.boolean(),
    }),
    fc.record({ do: fc.constant('delete' as const), at: fc.nat(3) }),
  ),
  { maxLength: 12 },
);

t.test(
  'each announcement shows the timeline of its time without what was deleted, and all others the current one',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const incidentId = await open();
        let timeline: Shown[] = [];
        let announced: { of: UpdateId | null; timeline: Shown[] }[] = [{ of: null, timeline: [] }];
        let ended = false;
        for (const step of steps) {
          const at = 'at' in step ? timeline[step.at % Math.max(1, timeline.length)] : undefined;
          if (step.do === 'append') {
            const { do: _, ...input } = step;
            const id = await append(incidentId, input);
            timeline = [...timeline, { id, body: step.body, status: step.status }];
            const ends: boolean = step.status === 'resolved' && !ended;
            ended ||= ends;
            if (step.notify) announced.push({ of: ends ? null : id, timeline });
          } else if (at !== undefined && step.do === 'correct') {
            const { body, status, notify } = step;
            const correction = { body, status, notify };
            t.ok(await correctUpdate(deps, { pageId, incidentId, updateId: at.id, correction }));
            const differs = at.body !== body || at.status !== status;
            timeline = timeline.map((update) => (update === at ? { ...update, body, status } : update));
            if (notify && differs) announced.push({ of: at.id, timeline });
          } else if (at !== undefined) {
            t.ok(await deleteUpdate(deps, { pageId, incidentId, updateId: at.id }));
            timeline = timeline.filter((update) => update !== at);
            announced = announced
              .filter(({ of }) => of !== at.id)
              .map((one) => ({ ...one, timeline: one.timeline.filter(({ id }) => id !== at.id) }));
          }
        }
        const shownOf = (updates: readonly { id: string; status: string; body: Record<string, string> }[]) =>
          updates.map(({ id, status, body }) => ({ id, status, body: body['en'] }));
        const found = await loadAnnounced(sql, incidentId);
        t.same(
          found.map(({ entry }) => shownOf(entry.updates)),
          announced.map(({ timeline }) => timeline),
        );
        const entry = (await loadLedger(deps, pageId)).find(({ id }) => id === incidentId);
        t.same(shownOf(entry?.updates ?? []), timeline);
        const managed = await loadManagedIncident(deps, { pageId, incidentId });
        t.match(managed?.updates ?? [], timeline);
        t.equal(managed?.state, ended ? 'resolved' : 'open');
        t.ok(await deleteIncident({ ...deps, forgetEmails: async () => {} }, { pageId, incidentId }));
        t.notOk(await deleteIncident({ ...deps, forgetEmails: async () => {} }, { pageId, incidentId }));
      }),
      propertyOf(t, { few: 25, many: 200 }),
    );
    const left = await sql`
    select (select count(*)::int from announced_updates) as updates,
      (select count(*)::int from announced_texts) as texts, (select count(*)::int from announcements) as announcements`;
    t.same([...left], [{ updates: 0, texts: 0, announcements: 0 }], 'deleted incidents leave nothing behind');
  },
);

t.test('a correction stores each text once, and what it keeps goes with the announcements', async (t) => {
  const incidentId = await open();
  const updateId = await append(incidentId, { body: 'A', status: 'investigating', notify: true });
  const bodies = ['B', 'A', 'B', 'C', 'A'];
  for (const body of bodies) {
    await correctUpdate(deps, { pageId, incidentId, updateId, correction: { body, notify: true } });
  }
  for (const body of ['D', 'E']) {
    await correctUpdate(deps, { pageId, incidentId, updateId, correction: { body, notify: false } });
  }
  const kept = async () => (await sql`select 1 from announced_updates where update_id = ${updateId}`).length;
  const texts = async () =>
    (await sql`select 1 from announced_texts where incident_id = ${incidentId}`).length;
  t.equal(await kept(), 6, 'a row for each state that was announced');
  // Title, summary and the list of services, and three bodies.
  t.equal(await texts(), 6);
  await pruneAnnouncedTexts(sql);
  t.equal(await kept(), 6);
  t.equal(await texts(), 6);
  await sql`update announcements set webhooks_queued_at = now(), emails_queued_at = now()`;
  await pruneAnnouncements(sql, new Date(deps.clock.now() + 1));
  await pruneAnnouncedTexts(sql);
  t.equal(await kept(), 0);
  t.equal(await texts(), 0);
});

t.test(
  'a correction may not take an incident beyond its limits, and shortening is always possible',
  async (t) => {
    const incidentId = await open();
    const long = 'x'.repeat(19_900);
    const ids: UpdateId[] = [];
    for (let i = 0; i < 10; i += 1) {
      ids.push(await append(incidentId, { body: i === 0 ? 'x' : long, status: 'monitoring', notify: false }));
    }
    const [updateId] = ids;
    if (updateId === undefined) throw new Error('There are ten updates.');
    const correct = (body: string) =>
      correctUpdate(deps, { pageId, incidentId, updateId, correction: { body, notify: false } });
    t.ok(await correct('x'.repeat(19_000)));
    await sql`update incidents set summary = ${'y'.repeat(20_000)} where id = ${incidentId}`;
    await t.rejects(correct('x'.repeat(19_001)), likeServiceError('incidentLimit'));
    t.ok(await correct('x'.repeat(18_999)));
  },
);
