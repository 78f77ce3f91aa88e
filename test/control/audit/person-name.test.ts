import t from 'tap';
import { listAuditEntries, recordChange } from '../../../control/audit/index.js';
import {
  appendUpdate,
  createIncident,
  listManagedIncidents,
  loadIncidentNews,
  loadManagedIncident,
  parseNewIncident,
  parseNewUpdate,
} from '../../../control/incidents/index.js';
import { createKey, listManagedKeys } from '../../../control/keys/index.js';
import { createSeries, listSeries } from '../../../control/maintenance-series/index.js';
import { createInvitation, deleteUser, listInvitations, userActor } from '../../../control/people/index.js';
import type { IncidentId } from '../../../lib/ids.js';
import { labelPeople } from '../../../lib/person-labels.js';
import { dayMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { outage } from '../../support/incidents.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { makeUser } from '../../support/people.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const clock = makeStoppedClock();
const deps = { sql, clock, by: testActor };
const { id: pageId } = await makePage(sql);
const ada = await makeUser(deps, { email: 'ada@example.com', name: 'Ada Lovelace' });
const grace = await makeUser(deps, { email: 'grace@example.com', name: 'Grace Hopper' });
const byAda = { ...deps, by: userActor(ada) };

const made = await createIncident(byAda, { pageId, input: parseNewIncident(outage) });
const incidentId = made.id as IncidentId; // The id of an incident that was just made.
await appendUpdate(byAda, {
  ...{ pageId, incidentId },
  input: parseNewUpdate({ status: 'identified', body: 'It is the disk.' }),
});
await createKey(byAda, { pageId, scope: 'read' });
await createSeries(byAda, {
  pageId,
  body: {
    ...{ title: 'Backup', summary: 'Slow.', durationMinutes: 60, rule: 'FREQ=WEEKLY' },
    startsAt: new Date(clock.now() + dayMs).toISOString().slice(0, 16),
  },
});
await createInvitation(byAda, { pageId, role: 'viewer', email: 'new@example.com' });
await sql.begin((tx) =>
  recordChange(
    tx,
    { by: userActor(ada), now: clock.now() },
    {
      ...{ pageId, action: 'role.update', target: { type: 'user', id: grace.id, name: grace.email } },
      ...{ before: { role: 'viewer' }, after: { role: 'editor' } },
    },
  ),
);

/** Who made each thing of the page, as its representation says. */
async function authors() {
  const [listed] = await listManagedIncidents(deps, { pageId, limit: 1 });
  const whole = await loadManagedIncident(deps, { pageId, incidentId });
  const [key] = await listManagedKeys(deps, { pageId, limit: 1 });
  const [series] = await listSeries(deps, { pageId, limit: 1 });
  return [listed?.author, whole?.author, whole?.updates[0]?.author, key?.createdBy, series?.author];
}

const shownAda = { type: 'user', id: ada.id, name: 'ada@example.com', personName: 'Ada Lovelace' };

t.test('a person has a name beside the email, wherever an author is shown', async (t) => {
  t.strictSame(await authors(), Array(5).fill(shownAda));
  const [entry] = await listAuditEntries(deps, { pageId, action: 'role.update' }, { limit: 1 });
  t.strictSame(
    [entry?.actor, entry?.target.name, entry?.target.personName],
    [...[shownAda, 'grace@example.com', 'Grace Hopper']],
  );
  const [news] = await loadIncidentNews(deps, pageId, { since: new Date(clock.now() - dayMs), limit: 1 });
  t.match(news, { actor: 'ada@example.com', actorType: 'user', actorPersonName: 'Ada Lovelace' });
  const [invitation] = await listInvitations(deps, { pageId, limit: 1 });
  t.match(invitation, { invitedBy: 'ada@example.com', invitedByName: 'Ada Lovelace' });
});

t.test('a person who was deleted keeps the name', async (t) => {
  const before = await listAuditEntries(deps, { pageId, actor: 'Ada Lovelace' }, { limit: 50 });
  await deleteUser(deps, { id: ada.id });
  t.strictSame(await authors(), Array(5).fill(shownAda));
  const after = await listAuditEntries(deps, { pageId, actor: 'Ada Lovelace' }, { limit: 50 });
  t.strictSame(after, before, 'and is found by it');
  t.ok(after.length > 2);
  t.strictSame(await listAuditEntries(deps, { pageId, actor: 'ada@example.com' }, { limit: 50 }), after);
});

t.test('who is no person has no name beside, whatever the id is', async (t) => {
  await sql.begin((tx) =>
    recordChange(
      tx,
      { by: { type: 'key', id: grace.id, name: 'ci' }, now: clock.now() },
      {
        ...{ pageId, action: 'page.update', target: { type: 'page', id: grace.id, name: 'acme' } },
        ...{ before: { name: 'a' }, after: { name: 'b' } },
      },
    ),
  );
  await sql.begin((tx) =>
    recordChange(
      tx,
      { by: { type: 'user', id: 'unknown', name: 'who@example.com' }, now: clock.now() },
      {
        ...{ pageId, action: 'session.refuse', target: { type: 'session', id: 'unknown', name: 'x' } },
        ...{ before: null, after: {} },
      },
    ),
  );
  const byKey = await listAuditEntries(deps, { actor: 'ci' }, { limit: 1 });
  const refused = await listAuditEntries(deps, { actor: 'unknown' }, { limit: 1 });
  t.strictSame(
    [...byKey, ...refused].flatMap(({ actor, target }) => [actor.personName, target.personName]),
    Array(4).fill(undefined),
  );
});

t.test('an email stands behind a name that two people have, and nowhere else', (t) => {
  const one = { name: 'a@example.com', personName: 'Ada' };
  const two = { name: 'b@example.com', personName: 'Ada' };
  const other = { name: 'c@example.com', personName: 'Grace' };
  const key = { name: 'ci' };
  const list = [one, two, other, key, one];
  t.strictSame(list.map(labelPeople(list)), [
    ...['Ada (a@example.com)', 'Ada (b@example.com)', 'Grace', 'ci', 'Ada (a@example.com)'],
  ]);
  t.equal(labelPeople([one, key])(one), 'Ada');
  t.end();
});
