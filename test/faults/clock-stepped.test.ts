import t, { type Test } from 'tap';
import { revokeKey } from '../../control/keys/index.js';
import { hourMs } from '../../lib/times.js';
import { testActor } from '../support/actor.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { makeKey } from '../support/pages.js';
import { startAnother, startTestService, type TestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { type Load, startLoad, untilStored } from './load.js';
import { acknowledgers } from './running-service.js';

const steps = { forwards: hourMs, backwards: -hourMs };

/** This service only provides stores. The other one has a ClickHouse that can be cut off, and a clock that is stepped. */
const first = await startTestService(t, { roles: new Set(['api'] as const) });
const { sql, databaseUrl, clickhouseUrl } = first.stores;
const gate = await openTcpGate(t, clickhouseUrl);
const clock = makeMovingClock();
const { ingestKey } = first;

/** Batches of the loads so far. */
const sent: Load['sent'][number][] = [];
const buffered = (load: Load): number => load.sent.filter((sent) => sent.buffered).length;

for (const from of acknowledgers) {
  t.test(`the clock stepped (${from})`, async (t) => {
    const api = await startAnother(t, first, { clock, clickhouseUrl: gate.url, hasLog: from === 'log' });
    for (const [direction, stepMs] of Object.entries(steps)) {
      await t.test(`an hour ${direction} under load`, (t) => stepUnderLoad(t, api, stepMs));
      await t.test(`an hour ${direction} while ClickHouse is unavailable`, (t) =>
        stepDuringOutage(t, api, stepMs),
      );
    }
  });
}

async function stepUnderLoad(t: Test, api: TestService, stepMs: number): Promise<void> {
  const load = startLoad(t, () => api.url, ingestKey, { firstBatch: sent.length });
  await load.untilAccepted(30);
  clock.advance(stepMs);
  await load.untilAccepted(30);
  t.equal(buffered(load), 0, 'the store keeps accepting batches');
  await endStored(t, api, load);
}

async function stepDuringOutage(t: Test, api: TestService, stepMs: number): Promise<void> {
  const load = startLoad(t, () => api.url, ingestKey, { firstBatch: sent.length });
  await load.untilAccepted(10);
  await gate.close();
  // An attempt has failed, with a sealed file of the log or a block that is in the buffer since.
  await waitUntil('batches wait', () => buffered(load) >= 5);
  clock.advance(stepMs);
  await waitUntil('batches are buffered', () => buffered(load) >= 30);
  clock.advance(-stepMs);
  await waitUntil('batches continue to be buffered', () => buffered(load) >= 100);
  clock.advance(stepMs);
  await gate.open();
  await endStored(t, api, load);
}

async function endStored(t: Test, { url, logDir }: TestService, load: Load): Promise<void> {
  const service = { url, databaseUrl, logDir };
  await untilStored(service, ingestKey);
  await load.end();
  t.strictSame(
    load.sent.filter(({ status }) => status !== 202),
    [],
    'every batch was accepted',
  );
  await untilStored(service, ingestKey);
  await checkAccounts(t, clickhouseUrl, load.sent, sent);
  sent.push(...load.sent);
}

t.test('keys, the window of v2 and rates follow the new time', async (t) => {
  const api = await startAnother(t, first, { clock });
  const deps = { sql, clock, by: testActor };
  const { key, id } = await makeKey(deps, { slug: 'acme', scope: 'ingest' });
  const now = () => new Date(clock.now()).toISOString();
  const post = async (at: string): Promise<unknown> => {
    const reporter = { reporterId: 'one', englishName: 'One' };
    return (
      await api.post('/api/v2/events', { reporter, events: [{ endpoint: '/v2', status: 200, at }] }, { key })
    ).body;
  };
  const writeIncident = async () =>
    (await api.post('/api/v1/incidents', '{', { key: api.incidentKey })).status;

  const before = now();
  t.match(await post(before), { accepted: 1, rejected: 0 });
  for (let i = 0; i < 60; i += 1) await writeIncident();
  t.equal(await writeIncident(), 429);
  clock.advance(hourMs);
  t.match(await post(before), { accepted: 0, rejected: 1 }, 'that is too old now');
  t.match(await post(now()), { accepted: 1, rejected: 0 });
  t.equal(await writeIncident(), 400, 'the minute is over');

  const ahead = now();
  for (let i = 0; i < 60; i += 1) await writeIncident();
  t.equal(await writeIncident(), 429);
  clock.advance(-hourMs);
  t.match(await post(ahead), { accepted: 0, rejected: 1 }, 'that is still to come now');
  t.match(await post(now()), { accepted: 1, rejected: 0 });
  t.equal(await writeIncident(), 400, 'the minute is another one');

  await revokeKey(deps, { id });
  const stopped = async () => (await api.post('/api/v1/events', [], { key })).status === 401;
  await waitUntil('a revoked key stops', stopped, 5_000);
});
