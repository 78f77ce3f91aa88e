import t from 'tap';
import { announcementKinds } from '../../../contract/incidents.js';
import {
  changeIncident,
  createIncident,
  parseIncidentChange,
  parseNewIncident,
} from '../../../control/incidents/index.js';
import {
  changeWebhook,
  createWebhook,
  disableWebhook,
  listWebhookDeliveries,
  listWebhooks,
  testWebhook,
} from '../../../control/webhooks/index.js';
import { queueDeliveries } from '../../../control/webhooks/queue.js';
import { type IncidentId, type PageId, parseId } from '../../../lib/ids.js';
import { dayMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { makeStoppedClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { startReceiver } from '../../support/receiver.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';
import { announceIncident, announceUpdate, countDeliveries, startTestLoop } from '../../support/webhooks.js';

const { sql } = await openTestPostgres(t);
const page = await makePage(sql);
const other = await makePage(sql, { slug: 'other' });
const clock = makeStoppedClock();
const deps = { sql, clock, secretKey: testSecretKey, by: testActor };

const create = (pageId: PageId, events?: string[]) =>
  createWebhook(deps, { pageId, url: 'https://hooks.example/', ...(events !== undefined && { events }) });
const change = (pageId: PageId, incidentId: IncidentId, fields: object) =>
  changeIncident(deps, { pageId, incidentId, change: parseIncidentChange(fields) });

/** Announces an event of each kind on a page. */
async function announceAll(pageId: PageId): Promise<void> {
  const maintenance = parseNewIncident({
    ...{ type: 'maintenance', title: 'New switches', summary: 'Short interruptions.' },
    startedAt: new Date(clock.now() - dayMs).toISOString(),
    scheduledEndAt: new Date(clock.now() + dayMs).toISOString(),
  });
  const created = await createIncident(deps, { pageId, input: maintenance });
  const id = parseId<IncidentId>(created.id);
  if (id === undefined) throw new Error('A new incident has an id.');
  for (const incidentId of [await announceIncident(deps, pageId), id]) {
    await announceUpdate(deps, pageId, incidentId, 'An update.');
    await change(pageId, incidentId, { summary: 'Another summary.' });
    await change(pageId, incidentId, { resolvedAt: new Date(clock.now()).toISOString() });
    await change(pageId, incidentId, { resolvedAt: null });
  }
  while (await queueDeliveries(deps));
}

async function kindsOf(webhookId: string): Promise<string[]> {
  const deliveries = await listWebhookDeliveries(deps, { id: webhookId, state: undefined, limit: 100 });
  return deliveries.map(({ kind }) => kind).sort();
}

t.test('a webhook gets the events of its filter, and of its page alone', async (t) => {
  const filters: [events: string[] | undefined, kinds: readonly string[]][] = [
    [undefined, announcementKinds],
    [['all'], announcementKinds],
    [
      ['incident.created', 'incident.resolved'],
      ['incident.created', 'incident.resolved'],
    ],
    [['maintenance.*'], announcementKinds.filter((kind) => kind.startsWith('maintenance.'))],
    [
      ['maintenance.update_posted', 'incident.*'],
      [...announcementKinds.filter((kind) => kind.startsWith('incident.')), 'maintenance.update_posted'],
    ],
  ];
  const webhooks = [];
  for (const [events, kinds] of filters) webhooks.push({ ...(await create(page.id, events)), kinds });
  const strange = await create(other.id);
  await announceAll(page.id);
  for (const { id, kinds } of webhooks) t.strictSame(await kindsOf(id), [...kinds].sort());
  t.strictSame(await kindsOf(strange.id), []);
  for (const { id } of [...webhooks, strange]) await disableWebhook(deps, { id });
});

t.test('a filter is changed, and cleared, for what is announced from then on', async (t) => {
  const { id } = await create(page.id, ['incident.resolved']);
  const { id: strange } = await create(other.id, ['maintenance.created']);
  const incidentId = await announceIncident(deps, page.id);
  await queueDeliveries(deps);
  t.strictSame(await kindsOf(id), []);
  const changed = await changeWebhook(deps, {
    id,
    events: ['incident.update_posted', 'incident.created', 'incident.created'],
  });
  t.strictSame(
    changed.events,
    ['incident.created', 'incident.update_posted'],
    'each once, in the order of the docs',
  );
  await announceUpdate(deps, page.id, incidentId, 'One.');
  await change(page.id, incidentId, { title: 'Another title' });
  await queueDeliveries(deps);
  t.strictSame(await kindsOf(id), ['incident.update_posted']);
  t.equal((await changeWebhook(deps, { id, events: ['all'] })).events, null);
  await change(page.id, incidentId, { title: 'Another one' });
  await queueDeliveries(deps);
  t.strictSame(await kindsOf(id), ['incident.update_posted', 'incident.updated']);
  const [untouched] = (await listWebhooks(deps, { pageId: other.id })).filter((one) => one.id === strange);
  t.match(untouched, { events: ['maintenance.created'], url: 'https://hooks.example/' }, 'of another page');
  for (const one of [id, strange]) await disableWebhook(deps, { id: one });
});

t.test('a filtered webhook gets tests, and pending deliveries go to a new URL', async (t) => {
  const receiver = await startReceiver(t);
  const { id } = await create(page.id, ['maintenance.created']);
  await testWebhook(deps, { id });
  const moved = await changeWebhook(deps, { id, url: `${receiver.url}/moved` });
  t.match(moved, { url: `${receiver.url}/moved`, events: ['maintenance.created'] }, 'the filter stays');
  startTestLoop(t, deps);
  await waitUntil('it is delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 1);
  t.match(receiver.received, [{ path: '/moved' }]);
  await disableWebhook(deps, { id });
});

t.test('a name that is no event is refused with those that are', async (t) => {
  const { id } = await create(page.id, ['incident.created']);
  const cases: [events: string[], message: string, hint: RegExp][] = [
    [['incident.create'], 'There is no event "incident.create".', /^Did you mean incident\.created/],
    [
      ['incident'],
      'There is no event "incident".',
      /maintenance\.update_posted; incident\.\* and maintenance\.\*/,
    ],
    [['*'], 'There is no event "*".', /^The events are incident\.created,/],
    [['all', 'incident.created'], 'There is no event "all".', /all alone for every event/],
    [['webhook.test'], 'There is no event "webhook.test".', /^The events/],
    [[], 'There is no event "".', /^The events/],
  ];
  for (const [events, message, hint] of cases) {
    await t.rejects(create(page.id, events), likeServiceError('invalidBody', { message, hint }));
    await t.rejects(changeWebhook(deps, { id, events }), likeServiceError('invalidBody', { message }));
  }
  await t.rejects(changeWebhook(deps, { id, url: 'ftp://hooks.example/' }), likeServiceError('invalidBody'));
  await t.rejects(changeWebhook(deps, { id: page.id, events: ['all'] }), likeServiceError('notFound'));
  const [stored] = (await listWebhooks(deps, { pageId: page.id })).filter((one) => one.id === id);
  t.match(stored, { url: 'https://hooks.example/', events: ['incident.created'] }, 'nothing changed');
});
