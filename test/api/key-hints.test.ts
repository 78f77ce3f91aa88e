import t from 'tap';
import { revokeKey } from '../../control/keys/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from '../support/actor.js';
import { makeKey } from '../support/pages.js';
import { startTestService } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t);
const path = '/api/v1/events';

type Refusal = { status: number; error: string; hint: string };

async function refusalOf(headers: Record<string, string>, address = path): Promise<Refusal> {
  const answer = await api.post(address, [], { key: null, headers });
  return { status: answer.status, ...(answer.body as { error: string; hint: string }) };
}

const { ingestKey } = api;
const form = 'key_live_…, key_ingest_…, key_read_…';

t.test('401: the hint says what to look at, and never repeats what was sent', async (t) => {
  const cases: [headers: Record<string, string>, hint: string][] = [
    [{}, 'The request has no Authorization header. Send "Authorization: Bearer key_ingest_…".'],
    [{ 'x-api-key': ingestKey }, 'The header x-api-key is not read.'],
    [{ 'api-key': ingestKey }, 'The header api-key is not read.'],
    [{ authorization: ingestKey }, 'does not begin with the word Bearer'],
    [{ authorization: `Basic ${ingestKey}` }, 'does not begin with the word Bearer'],
    [{ authorization: `Bearer: ${ingestKey}` }, 'does not begin with the word Bearer'],
    [{ authorization: '' }, 'does not begin with the word Bearer'],
    [{ authorization: 'Bearer' }, 'has no key after the word Bearer'],
    [{ authorization: `Bearer "${ingestKey}"` }, form],
    [{ authorization: `Bearer ${ingestKey} ${ingestKey}` }, form],
    [{ authorization: `Bearer ${ingestKey}x` }, form],
    [{ authorization: `bearer ${ingestKey.slice(0, -1)}`, 'x-api-key': 'x' }, form],
    [{ authorization: 'Bearer sk-1234' }, form],
  ];
  for (const [headers, hint] of cases) {
    const refusal = await refusalOf(headers);
    t.equal(refusal.status, 401);
    t.equal(refusal.error, 'Invalid or revoked ingest key.');
    t.match(refusal.hint, hint);
    for (const value of Object.values(headers).filter((text) => text.length > 6)) {
      t.notOk(refusal.hint.includes(value.slice(-6)), hint);
    }
  }
  const ofIncidents = await refusalOf({}, '/api/v1/incidents');
  t.match(ofIncidents, { error: /^Invalid or revoked API key\.$/, hint: 'Bearer key_live_…' });
});

t.test('401: an unknown key and a revoked one get the same answer, to the letter', async (t) => {
  const deps = { sql: api.stores.sql, clock: systemClock, by: testActor };
  const { id, key } = await makeKey(deps, { slug: 'acme', scope: 'ingest' });
  const ask = (key: string) => refusalOf({ authorization: `Bearer ${key}` });
  await revokeKey(deps, { id });
  await waitUntil('the key is revoked', async () => (await ask(key)).status === 401, 5_000);
  const revoked = await ask(key);
  t.match(revoked.hint, 'it is unknown or revoked');
  t.strictSame(revoked, await ask(`key_ingest_${'0'.repeat(43)}`));
  t.strictSame(revoked, await ask(`key_read_${'0'.repeat(43)}`));
});

t.test('403: the scope that is needed, and that of the key', async (t) => {
  t.strictSame(await refusalOf({ authorization: `Bearer ${api.incidentKey}` }), {
    status: 403,
    error: 'This key has the scope incident; this route needs the scope ingest.',
    code: 'key.wrong_scope',
    hint: 'Use a key that begins with key_ingest_; "npx heartline key create --page SLUG --scope ingest" makes one.',
  });
});
