import t from 'tap';
import { createIncident, parseNewIncident } from '../../control/incidents/index.js';
import { systemClock } from '../../lib/clock.js';
import { hourMs, secondMs } from '../../lib/times.js';
import { jobs } from '../../service/jobs/jobs.js';
import { testActor } from '../support/actor.js';
import { loadEntry, openIncident, patchIncident, postUpdate } from '../support/incidents.js';
import { addConfirmed } from '../support/mail-setup.js';
import { makePage } from '../support/pages.js';
import { startReceiver } from '../support/receiver.js';
import { requestAt } from '../support/request-at.js';
import { startTestService, withoutJobs } from '../support/service.js';
import { silentLog } from '../support/silent-log.js';
import { startSmtpSink } from '../support/smtp-sink.js';
import { startTranslator } from '../support/translator.js';
import { waitUntil } from '../support/wait-until.js';
import { makeWebhook } from '../support/webhooks.js';

const receiver = await startReceiver(t);
const sink = await startSmtpSink(t);
const translator = await startTranslator(t);
// No loop looks for work by itself within the test: only a wake delivers.
const api = await startTestService(t, {
  deliveryPollMs: hourMs,
  roles: withoutJobs,
  smtpUrl: sink.url,
  translateUrl: translator.url,
  allowPrivateAddresses: true,
});
const { sql } = api.stores;
const typesOf = () => receiver.received.map(({ body }) => JSON.parse(body).type);

t.test('the process that writes an incident delivers it at once', async (t) => {
  await sql`update pages set languages = '{en,de}' where id = ${api.pageId}`;
  await makeWebhook({ sql, clock: systemClock }, receiver.url);
  await addConfirmed({ sql, page: { id: api.pageId } }, ['ann@example.com'], 'de');

  const { id } = await openIncident(api, api.incidentKey);
  await loadEntry(api, id); // The ledger is in memory when the translation arrives.
  await waitUntil('the webhook arrives', () => receiver.received.length === 1);
  await waitUntil('the email arrives', () => sink.to('ann@example.com').length === 1);
  t.match(sink.to('ann@example.com')[0]?.subject, '[de] Database outage', 'with its translation');
  t.match(
    await loadEntry(api, id),
    { title: { de: '[de] Database outage' } },
    'which the ledger shows as well',
  );

  await postUpdate(api, api.incidentKey, id, { body: 'A disk is full.' });
  await waitUntil('the update arrives', () => receiver.received.length === 2);
  await patchIncident(api, api.incidentKey, id, { resolvedAt: '2026-11-20T12:00:00Z' });
  await waitUntil('the end arrives', () => receiver.received.length === 3);
  t.strictSame(typesOf(), ['incident.created', 'incident.update_posted', 'incident.resolved']);
  await waitUntil('all emails arrive', () => sink.to('ann@example.com').length === 3);
});

t.test('a chat of a stranger is not in a private network, whatever pages may reach', async (t) => {
  const { hostname } = await makePage(sql, { slug: 'open' });
  const { status } = await requestAt(api.url, hostname, '/api/public/open/subscribers', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ chat: { kind: 'webhook', url: `${receiver.url}/chat` } }),
  });
  t.equal(status, 202);
  await openIncident(api, api.incidentKey); // It wakes the loops.
  const reasonOf = async () =>
    (await sql<{ reason: string | null }[]>`select reason from channel_messages`)[0]?.reason ?? '';
  await waitUntil('the message is refused', async () => (await reasonOf()).includes('not public'));
  t.notOk(receiver.received.some(({ path }) => path === '/chat'));
});

t.test('jobs that announce wake the loops after their run', async (t) => {
  const { id: pageId } = await makePage(sql, { slug: 'planned' });
  const now = Date.now();
  const input = parseNewIncident({
    type: 'maintenance',
    title: 'New switches',
    summary: 'Short interruptions.',
    startedAt: new Date(now).toISOString(),
    scheduledEndAt: new Date(now + hourMs).toISOString(),
  });
  await createIncident({ sql, clock: { now: () => now - secondMs }, by: testActor }, { pageId, input });
  const loadKinds = async () =>
    (
      await sql<{ kind: string }[]>`select kind from announcements where page_id = ${pageId} order by seq`
    ).map(({ kind }) => kind);
  for (const name of ['move-maintenance', 'plan-maintenance', 'watch-rules', 'watch-monitors']) {
    let atWake: Promise<string[]> | undefined;
    await jobs
      .find((job) => job.name === name)
      ?.run({
        ...api.stores,
        clickhouseOf: () => api.stores.clickhouse,
        clock: systemClock,
        log: silentLog,
        onAnnounced: () => {
          atWake = loadKinds();
        },
      });
    t.strictSame(await atWake, ['maintenance.created', 'maintenance.updated'], name);
  }
});
