import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { describedOperation, type Example, readExamples } from '../docs/examples.js';
import { shiftTimes } from '../docs/substitutions.js';
import { checkAnswersWith, type Description } from '../support/api-description.js';
import { setPage } from '../support/pages.js';
import { requestAt } from '../support/request-at.js';
import { startTestService, unansweredSmtp } from '../support/service.js';

const api = await startTestService(t, { smtpUrl: unansweredSmtp });
const description = (await api.get('/openapi.json')).body as Description;
const examples = await readExamples();

t.test('the service answers the requests of the docs as described', async (t) => {
  const deps = { sql: api.stores.sql, clock: systemClock };
  await setPage(deps, { slug: 'acme', databaseHealthEnabled: true });
  const findUndescribed = checkAnswersWith(description);
  let incident = 'none';
  for (const example of examples) {
    const answer = await send(example, incident);
    const { operation } = describedOperation(description, example);
    const isRefused = Object(example.answer).error !== undefined;
    t.equal(
      answer.status >= 400,
      isRefused,
      `${example.method} ${example.path}: ${JSON.stringify(answer.body)}`,
    );
    t.strictSame(findUndescribed(operation, answer), [], `${example.method} ${example.path}`);
    if (operation.operationId === 'createIncident') incident = Object(answer.body).id;
  }
});

async function send({ method, path, key, body }: Example, incident: string) {
  const now = Date.now();
  const keys = { ingest: api.ingestKey, read: api.readKey, incident: api.incidentKey };
  const range = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now + 60_000).toISOString() };
  const target = path.replace('{from}', range.from).replace('{to}', range.to).replace('{incident}', incident);
  const headers = {
    ...(key !== undefined && { authorization: `Bearer ${keys[key]}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const options = { method, headers, ...(body !== undefined && { body: shiftTimes(body, now) }) };
  return requestAt(api.url, `acme.localhost:${new URL(api.url).port}`, target, options);
}
