import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import { incidentLimits, type LedgerEntry } from '../../../contract/incidents.js';
import { changeIncident, parseIncidentChange } from '../../../control/incidents/index.js';
import { createBodyComposer } from '../../../control/webhooks/compose-body.js';
import { disableWebhook, replayWebhookDelivery, rotateWebhook } from '../../../control/webhooks/index.js';
import type { AnnouncementId, IncidentId } from '../../../lib/ids.js';
import { testActor } from '../../support/actor.js';
import { countingSql } from '../../support/counting-sql.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makeMonitors, outage } from '../../support/incidents.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { type Received, startReceiver } from '../../support/receiver.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';
import {
  announceIncident,
  announceUpdate,
  countDeliveries,
  idsInOrder,
  loadDeliveries,
  makeWebhook,
  startTestLoop,
} from '../../support/webhooks.js';

const { sql } = await openTestPostgres(t);
const page = await makePage(sql, { languages: ['en', 'de', 'fr'] });
await makeMonitors(sql, page.id, ['api', 'web']);
const clock = makeStoppedClock();
const deps = { sql, clock, by: testActor };

const entryOf = ({ body }: Received) => (JSON.parse(body) as { data: LedgerEntry }).data;
const idOf = ({ headers }: Received) => headers['webhook-id'] ?? '';

/** Starts a receiver with a webhook, and the loop; the webhook is disabled when the test ends. */
async function receive(t: Test) {
  const receiver = await startReceiver(t);
  const { id, secret } = await makeWebhook(deps, receiver.url);
  startTestLoop(t, deps);
  t.teardown(() => disableWebhook(deps, { id }));
  const delivered = (count: number) =>
    waitUntil(`${count} are delivered`, async () => (await countDeliveries(sql, id, 'delivered')) === count);
  return { receiver, id, secret, delivered };
}

async function change(incidentId: IncidentId, fields: object): Promise<void> {
  clock.advance(1_000);
  await changeIncident(deps, { pageId: page.id, incidentId, change: parseIncidentChange(fields) });
}

t.test('each delivery shows the incident right after its change, whenever it is sent', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await makeWebhook(deps, receiver.url);
  const incidentId = await announceIncident(deps, page.id);
  await announceUpdate(deps, page.id, incidentId, 'One.');
  await change(incidentId, { title: 'Second title', monitorSlugs: ['web', 'api'] });
  await change(incidentId, { title: 'Database outage', resolvedAt: '2026-11-20T12:00:00Z' });
  await announceUpdate(deps, page.id, incidentId, 'Two.');
  await change(incidentId, { type: 'maintenance', monitorSlugs: [], scheduledEndAt: '2026-11-20T13:00:00Z' });
  await change(incidentId, { type: 'incident', summary: 'Third summary', resolvedAt: null });
  // All is changed before the first delivery is composed.
  startTestLoop(t, deps);
  await waitUntil('all are delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 7);
  const shown = receiver.received.map((request) => {
    const { type, title, summary, services, resolvedAt, scheduledEndAt, maintenanceState, updates } =
      entryOf(request);
    const bodies = updates.map(({ body }) => body['en']);
    return [
      ...[type, title['en'], summary['en'], services.join(), resolvedAt?.slice(11, 16) ?? null],
      ...[scheduledEndAt?.slice(11, 16) ?? null, maintenanceState, bodies.join(' ')],
    ];
  });
  const [first, text] = ['Database outage', 'Connections time out.'];
  t.strictSame(shown, [
    ['incident', first, text, '', null, null, null, ''],
    ['incident', first, text, '', null, null, null, 'One.'],
    ['incident', 'Second title', text, 'web,api', null, null, null, 'One.'],
    ['incident', first, text, 'web,api', '12:00', null, null, 'One.'],
    ['incident', first, text, 'web,api', '12:00', null, null, 'One. Two.'],
    ['maintenance', first, text, '', '12:00', '13:00', 'completed', 'One. Two.'],
    ['incident', first, 'Third summary', '', null, null, null, 'One. Two.'],
  ]);
  t.strictSame(
    idsInOrder(receiver.received),
    (await loadDeliveries(sql, id)).map((delivery) => delivery.id),
    'in the order of the changes',
  );
  await disableWebhook(deps, { id });
});

t.test('a replay shows the entry as of its change, with the translations that have come since', async (t) => {
  const { receiver, id, secret, delivered } = await receive(t);
  const incidentId = await announceIncident(deps, page.id, 1);
  await delivered(2);
  await announceUpdate(deps, page.id, incidentId, 'Later.');
  await change(incidentId, {
    title: 'Later title',
    resolvedAt: '2026-11-20T12:00:00Z',
    monitorSlugs: ['api'],
  });
  await delivered(4);
  await sql`
    update translations set text = 'Eins', translated_at = now()
    where language = 'de' and source_hash = sha256(convert_to('Update 1.', 'UTF8'))`;
  const [, before] = receiver.received;
  if (before === undefined) throw new Error('Nothing arrived.');
  const { secret: rotated } = await rotateWebhook({ ...deps, secretKey: testSecretKey }, { id });
  await replayWebhookDelivery(deps, { id: idOf(before) });
  await waitUntil('it arrives again', () => receiver.received.length === 5);
  const again = receiver.received.at(-1);
  if (again === undefined) throw new Error('Nothing arrived.');
  t.equal(idOf(again), idOf(before));
  const [update] = entryOf(before).updates;
  t.strictSame(update?.body, { en: 'Update 1.' });
  t.strictSame(entryOf(again), {
    ...entryOf(before),
    updates: [{ ...update, body: { en: 'Update 1.', de: 'Eins' } }],
  });
  t.equal(JSON.parse(again.body).timestamp, JSON.parse(before.body).timestamp);
  for (const one of [secret, rotated]) {
    t.ok(new Webhook(one).verify(again.body, again.headers), 'the bytes that are sent are signed');
  }
  await delivered(4);
});

t.test('pending deliveries of an incident that is deleted are not sent', async (t) => {
  const { receiver, id, delivered } = await receive(t);
  receiver.answer = () => ({ status: 500 });
  const gone = await announceIncident(deps, page.id, 1);
  await waitUntil('the first is attempted', () => receiver.received.length === 1);
  const announced = await sql<{ id: AnnouncementId }[]>`
    select id from announcements where incident_id = ${gone} order by seq`;
  await sql`delete from incidents where id = ${gone}`;
  const compose = createBodyComposer({ sql });
  t.equal(await compose({ announcementId: announced[0]?.id ?? null, body: null }), undefined);
  receiver.answer = () => ({ status: 204 });
  clock.advance(60_000);
  const next = await announceIncident(deps, page.id);
  await delivered(1);
  t.strictSame(
    receiver.received.map((request) => entryOf(request).id),
    [gone, next],
  );
  t.equal((await loadDeliveries(sql, id)).length, 1);
});

t.test('a long incident of a page with many languages is in the default language alone', async (t) => {
  const languages = ['en', ...Array.from({ length: 39 }, (_, at) => `de-${100 + at}`)];
  const { id: pageId } = await makePage(sql, { slug: 'polyglot', languages });
  const bytesMax = incidentLimits.ledgerTextBytesInAll / languages.length;
  const incidentId = await announceIncident(deps, pageId);
  let bytes = outage.title.length + outage.summary.length;
  while (bytes < bytesMax) {
    const body = 'ä'.repeat(Math.min(10_000, Math.floor((bytesMax - bytes) / 2)));
    await announceUpdate(deps, pageId, incidentId, body);
    bytes += Buffer.byteLength(body);
  }
  t.equal(bytes, bytesMax);
  await announceUpdate(deps, pageId, incidentId, 'x');
  await sql`update translations set text = 'Text', translated_at = now() where page_id = ${pageId}`;
  const announced = await sql<{ id: AnnouncementId }[]>`
    select id from announcements where incident_id = ${incidentId} order by seq desc limit 2`;
  const compose = createBodyComposer({ sql });
  const languagesOf = async (announcement: { id: AnnouncementId } | undefined) => {
    const body = await compose({ announcementId: announcement?.id ?? null, body: null });
    const { title, summary, updates } = (JSON.parse(body ?? '') as { data: LedgerEntry }).data;
    const texts = [title, summary, ...updates.map((update) => update.body)];
    return new Set(texts.map((text) => Object.keys(text).length));
  };
  const [over, within] = announced;
  t.strictSame(await languagesOf(within), new Set([languages.length]));
  t.strictSame(await languagesOf(over), new Set([1]));
});

t.test('a body is composed once for all webhooks that get it at the same time', async (t) => {
  const incidentId = await announceIncident(deps, page.id, 2);
  const [announced] = await sql<{ id: AnnouncementId }[]>`
    select id from announcements where incident_id = ${incidentId} order by seq desc limit 1`;
  const counted = countingSql(sql);
  const compose = createBodyComposer({ sql: counted.sql });
  const delivery = { announcementId: announced?.id ?? null, body: null };
  const first = await compose(delivery);
  const queries = counted.count();
  const bodies = await Promise.all(Array.from({ length: 9 }, () => compose(delivery)));
  t.strictSame(new Set(bodies), new Set([first]));
  t.equal(counted.count(), queries);
});
