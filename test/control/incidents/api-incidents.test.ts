import t from 'tap';
import { createIncident, createIncidentCheck, parseNewIncident } from '../../../control/incidents/index.js';
import { systemClock } from '../../../lib/clock.js';
import { type IncidentId, newId, parseId } from '../../../lib/ids.js';
import { testActor } from '../../support/actor.js';
import { outage } from '../../support/incidents.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const flooded = await makePage(sql);
const quiet = await makePage(sql, { slug: 'quiet' });
const input = parseNewIncident(outage);
const created = await createIncident({ sql, clock: systemClock, by: testActor }, { pageId: quiet.id, input });
const incidentId = parseId<IncidentId>(created.id);
if (incidentId === undefined) throw new Error('It has no id.');

t.test('an incident is found at its own page only', async (t) => {
  const hasIncident = createIncidentCheck({ sql });
  t.equal(await hasIncident(quiet.id, incidentId), true);
  t.equal(await hasIncident(flooded.id, incidentId), false);
});

t.test('made-up ids of one page leave room for those of another', async (t) => {
  const hasIncident = createIncidentCheck({ sql });
  const madeUp = Array.from({ length: 6_000 }, () =>
    hasIncident(flooded.id, newId<IncidentId>(Date.now())).catch((error: unknown) => error),
  );
  t.equal(await hasIncident(quiet.id, incidentId), true);
  const answers = await Promise.all(madeUp);
  // One more than wait: the first is looked up at once.
  t.equal(answers.filter((answer) => answer === false).length, 1_001);
  t.match(
    answers.find((answer) => answer !== false),
    likeServiceError('overloaded', { retryAfterSeconds: 2 }),
  );
});
