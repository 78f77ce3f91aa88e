import t from 'tap';
import { testRefusals } from '../support/event-route-refusals.js';
import { startTestService } from '../support/service.js';

const path = '/api/v1/events';
const api = await startTestService(t);

t.test('400: no event array', async (t) => {
  for (const body of [{}, { events: {} }, { events: null }, { event: [] }, 7, '"events"', null, true]) {
    const answer = await api.post(path, JSON.stringify(body));
    t.equal(answer.status, 400, JSON.stringify(body));
    t.strictSame(answer.body, {
      error: 'The body must be an array of events or an object with an "events" array.',
      code: 'events.missing',
    });
  }
});

await testRefusals(t, api, path, (events) => ({ events }));
