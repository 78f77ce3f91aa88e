import t from 'tap';
import type { OverviewAnswer } from '../../../contract/manage/overview.js';
import { setEventStore } from '../../../control/event-stores/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { answer, silence, startHostileStore } from '../../support/hostile-store.js';
import { openManageClient } from '../../support/manage-client.js';
import { insertMonitor } from '../../support/points.js';
import { startAnother, startTestService, withoutJobs } from '../../support/service.js';
import { openTcpGate } from '../../support/tcp-gate.js';
import { waitUntil } from '../../support/wait-until.js';

const roles = withoutJobs;
const first = await startTestService(t, { roles });
const gate = await openTcpGate(t, first.stores.clickhouseUrl);
const { sql } = first.stores;
await insertMonitor(sql, first.pageId, { slug: 'website', state: 'down' });
const unknown = { silentReporters: null, failingReporters: null, lateReporters: null };
const website = { slug: 'website', state: 'down', uptime24h: null, responseMs: null };

t.test('a ClickHouse that is down leaves what PostgreSQL knows', async (t) => {
  const service = await startAnother(t, first, { clickhouseUrl: gate.url, roles });
  const client = await openManageClient(t, service);
  const read = () => client.send('GET', '/acme/overview');
  t.match((await read()).body, { silentReporters: 0, monitors: [website] });
  await gate.close();
  const { status, body } = await read();
  t.equal(status, 200);
  const { monitors, ...rest } = body as OverviewAnswer;
  t.match(rest, { ...unknown, incidents: [], backlog: { emails: 0, webhooks: 0, events: 0 } });
  t.match(monitors, [website]);
  t.ok(monitors[0]?.bars.every((bar) => bar === null));
});

t.test('an overview gives up a ClickHouse that hangs early enough to answer in time', async (t) => {
  await gate.open();
  const service = await startAnother(t, first, { clickhouseUrl: gate.url, roles });
  const client = await openManageClient(t, service);
  gate.stall(/SELECT monitor_id AS monitorId/);
  const { status, body } = await client.send('GET', '/acme/overview');
  // The end of a connection that was closed before the answer has come by the time of the next one.
  t.equal((await client.send('GET', '/acme')).status, 200);
  t.equal(gate.held(), 1, 'the client of ClickHouse still waits');
  t.match([status, body], [200, { silentReporters: 0, monitors: [website] }]);
});

t.test("a page's own store that fails or hangs leaves the rest, and holds up no other page", async (t) => {
  const store = await startHostileStore(t, answer('', '', '500 Internal Server Error'));
  const service = await startAnother(t, first, { allowPrivateAddresses: true, roles });
  const client = await openManageClient(t, service);
  await setEventStore(
    { sql, clock: systemClock, secretKey: testSecretKey, by: testActor },
    { pageId: first.pageId, url: store.url, database: 'events', username: 'owner', password: 'secret' },
  );
  const read = () => client.send('GET', '/acme/overview');
  await waitUntil('the service asks the new store', async () => {
    t.match((await read()).body, { monitors: [website] });
    return store.queries.length > 0;
  });
  t.match((await read()).body, unknown);
  store.behave = silence;
  const asked = store.queries.length;
  const hanging = read();
  await waitUntil('the read hangs', () => store.queries.length > asked);
  const other = await client.send('GET', '/other/overview', undefined, { key: client.keys.other });
  t.match([other.status, other.body], [200, { silentReporters: 0 }]);
  store.behave = answer('', '', '500 Internal Server Error');
  const hung = await hanging;
  t.match([hung.status, hung.body], [200, { ...unknown, monitors: [website] }]);
});
