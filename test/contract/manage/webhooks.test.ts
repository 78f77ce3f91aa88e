import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { openManageClient } from '../../support/manage-client.js';
import { startReceiver } from '../../support/receiver.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';
import { announceIncident } from '../../support/webhooks.js';

const service = await startTestService(t, { roles: withoutJobs, allowPrivateAddresses: true });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);
const list = '/acme/webhooks';
const receiver = await startReceiver(t);

type Item = { id: string; url: string; events: string[] | null; enabled: boolean; secret?: string };
type Delivery = { id: string; kind: string; state: string; attempts: number };
const itemsOf = <T = Item>(body: unknown) => (body as { items: T[] }).items;

async function create(url = `${receiver.url}/hook`, fields: object = {}): Promise<Required<Item>> {
  const { status, body } = await send('POST', list, { url, ...fields });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body as Required<Item>;
}

const auditOf = (id: string) => sql`
  select action, actor_type, target_name, before, after from audit_log where target_id = ${id} order by id`;

async function deliveriesOf(id: string, query = ''): Promise<Delivery[]> {
  return itemsOf<Delivery>((await send('GET', `${list}/${id}/deliveries${query}`)).body);
}

const untilDelivered = (id: string, count: number) =>
  waitUntil(`${count} deliveries are made`, async () => {
    return (await deliveriesOf(id, '?state=delivered')).length === count;
  });

t.test('201: a webhook is created, and its secret is in this answer alone', async (t) => {
  const url = 'https://hooks.example.com/T0/secret-path?token=query-secret';
  const { status, body, headers } = await send('POST', list, { url, events: ['incident.*'] });
  t.equal(status, 201);
  t.match(body, { url, events: ['incident.*'], enabled: true, hasSecret: true, secret: /^whsec_/ });
  const { id, secret } = body as Required<Item>;
  const location = `/api/v1/pages/acme/webhooks/${id}`;
  t.equal(headers.get('location'), location);
  const shown = await send('GET', `${list}/${id}`);
  t.match(shown.body, { id, url, hasSecret: true });
  t.notMatch(JSON.stringify([shown.body, (await send('GET', list)).body]), secret);
  const rows = await auditOf(id);
  t.match(
    [...rows],
    [
      {
        ...{ action: 'webhook.create', actor_type: 'key', target_name: 'https://hooks.example.com' },
        after: { origin: 'https://hooks.example.com', events: ['incident.*'], enabled: true },
      },
    ],
  );
  t.notMatch(JSON.stringify(rows), /secret-path|query-secret|whsec/, 'the log has no secret');
});

t.test('400: URLs, events and fields that cannot be used', async (t) => {
  const bodies = [
    { url: 'https://ann:password@hooks.example.com/' },
    { url: 'ftp://hooks.example.com/' },
    { url: 'hooks.example.com' },
    { url: `https://hooks.example.com/${'a'.repeat(2_048)}` },
    { url: 'https://hooks.example.com/', events: [] },
    { url: 'https://hooks.example.com/', events: ['incident.exploded'] },
    { url: 'https://hooks.example.com/', secret: 'whsec_mine' },
    { url: 'https://hooks.example.com/', pageId: service.otherPageId },
    { events: null },
  ];
  const { id } = await create();
  for (const body of bodies) {
    t.equal((await send('POST', list, body)).status, 400, JSON.stringify(body));
    if ('url' in body) t.equal((await send('PATCH', `${list}/${id}`, body)).status, 400);
  }
  t.match((await send('GET', `${list}/${id}`)).body, { url: `${receiver.url}/hook`, events: null });
  for (const query of ['state=x', 'page=2', 'limit=0']) {
    t.equal((await send('GET', `${list}/${id}/deliveries?${query}`)).status, 400, query);
  }
  await send('DELETE', `${list}/${id}`);
});

t.test('200: a webhook is changed; null clears the filter; nothing changed is no row', async (t) => {
  const { id } = await create();
  const path = `${list}/${id}`;
  const changed = await send('PATCH', path, { events: ['incident.created'], url: 'https://new.example/x' });
  t.match(
    [changed.status, changed.body],
    [200, { url: 'https://new.example/x', events: ['incident.created'] }],
  );
  t.match((await send('PATCH', path, { events: null })).body, { events: null, url: 'https://new.example/x' });
  t.equal((await send('PATCH', path, { events: ['all'] })).status, 200);
  t.equal((await send('PATCH', path, {})).status, 200);
  t.match([...(await auditOf(id))].slice(1), [
    {
      action: 'webhook.update',
      before: { events: null },
      after: { origin: 'https://new.example', urlChanged: true },
    },
    { action: 'webhook.update', before: { events: ['incident.created'] }, after: { events: null } },
  ]);
  t.equal((await auditOf(id)).length, 3);
});

t.test('a webhook is disabled and enabled with its other fields', async (t) => {
  const { id } = await create();
  const path = `${list}/${id}`;
  const body = { enabled: false, url: `${receiver.url}/other` };
  t.match((await send('PATCH', path, body)).body, { ...body, disabledAt: /^20/, disabledReason: /by hand/ });
  t.equal((await send('POST', `${path}/test`)).status, 409);
  t.equal((await send('PATCH', path, { enabled: false })).status, 200);
  t.match((await send('PATCH', path, { enabled: true })).body, { enabled: true, disabledAt: null });
  const actions = (await auditOf(id)).map(({ action }) => action);
  t.same([actions.at(0), actions.at(-1)], ['webhook.create', 'webhook.enable']);
  t.same(actions.slice(1, -1).sort(), ['webhook.disable', 'webhook.update'], 'at the same time');
});

t.test('304 and 412: entity tags', async (t) => {
  const { id } = await create();
  const path = `${list}/${id}`;
  const tag = (await send('GET', path)).headers.get('etag') ?? '';
  t.equal((await send('GET', path, undefined, { headers: { 'if-none-match': tag } })).status, 304);
  const headers = { 'if-match': tag };
  const events = ['incident.created'];
  const both = await Promise.all([
    send('PATCH', path, { events }, { headers }),
    send('PATCH', path, { enabled: false }, { headers }),
  ]);
  t.same(both.map(({ status }) => status).sort(), [200, 412], 'one of two edits wins');
  t.equal((await send('POST', `${path}/rotate`, undefined, { headers })).status, 412);
  t.equal((await send('DELETE', path, undefined, { headers })).status, 412);
  t.equal((await send('GET', path)).status, 200);
});

t.test('rotate answers with a new secret, and both sign for a day', async (t) => {
  const { id, secret: before } = await create();
  const { status, body } = await send('POST', `${list}/${id}/rotate`);
  t.match([status, body], [200, { id, secret: /^whsec_/, previousSecretUntil: /^20/ }]);
  const { secret } = body as Required<Item>;
  t.not(secret, before);
  receiver.received.length = 0;
  const queued = await send('POST', `${list}/${id}/test`);
  t.equal(queued.status, 202);
  await untilDelivered(id, 1);
  const [request] = receiver.received;
  for (const known of [before, secret]) {
    const event = new Webhook(known).verify(request?.body ?? '', request?.headers ?? {});
    t.match(event, { type: 'webhook.test' });
  }
  const rows = await auditOf(id);
  t.match([...rows].slice(1), [
    { action: 'webhook.rotate', after: { secretChanged: true } },
    { action: 'webhook.test', after: { deliveryId: (queued.body as { deliveryId: string }).deliveryId } },
  ]);
  t.notMatch(JSON.stringify(rows), /whsec/);
});

t.test('deliveries are listed in parts, and one is sent again', async (t) => {
  const { id } = await create();
  const incidentId = await announceIncident({ sql, clock: systemClock }, service.pageId, 3);
  await untilDelivered(id, 4);
  const kinds: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `${list}/${id}/deliveries?limit=1${cursor && `&cursor=${cursor}`}`;
    const { body } = await send('GET', path, undefined, { key: keys.read });
    const [item] = itemsOf<Delivery>(body);
    t.match(item, { incidentId, state: 'delivered', attempts: 1, lastAttempt: { status: 204, error: null } });
    kinds.push(item?.kind ?? '');
    cursor = (body as { nextCursor: string | null }).nextCursor;
  }
  t.same(kinds, [...Array(3).fill('incident.update_posted'), 'incident.created']);

  const [first] = (await deliveriesOf(id)).slice(-1);
  const path = `${list}/${id}/deliveries/${first?.id}/replay`;
  receiver.received.length = 0;
  const replayed = await send('POST', path);
  t.match([replayed.status, replayed.body], [200, { id: first?.id, kind: 'incident.created' }]);
  await waitUntil('it arrives again', () => receiver.received.length === 1);
  t.equal(receiver.received[0]?.headers['webhook-id'], first?.id);
  t.match(
    [...(await auditOf(first?.id ?? ''))],
    [{ action: 'delivery.replay', target_name: 'incident.created', before: { state: 'delivered' } }],
  );
  await untilDelivered(id, 4);
  const { id: another } = await create();
  const astray = `${list}/${another}/deliveries/${first?.id}/replay`;
  t.equal((await send('POST', astray)).status, 404, 'a delivery of another webhook');
  await send('PATCH', `${list}/${id}`, { enabled: false });
  t.equal((await send('POST', path)).status, 409);
});

t.test('one delivery has the request as it is sent, without a signature, and its attempts', async (t) => {
  const { id, url, secret } = await create(`${receiver.url}/one`);
  await send('POST', `${list}/${id}/test`);
  await untilDelivered(id, 1);
  const [first] = await deliveriesOf(id);
  const path = `${list}/${id}/deliveries/${first?.id}`;
  const { status, body } = await send('GET', path);
  const sent = receiver.received.at(-1);
  const header = (name: string) => ({ name, value: sent?.headers[name] });
  t.equal(status, 200);
  t.match(body, {
    ...{ id: first?.id, kind: 'webhook.test', state: 'delivered', attempts: 1 },
    request: {
      ...{ method: 'POST', url, body: sent?.body },
      headers: ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp'].map(header),
    },
    pastAttempts: [{ status: 204, error: null }],
  });
  t.notMatch(JSON.stringify(body), /webhook-signature|whsec/);
  t.notMatch(JSON.stringify(body), secret);
  const incidentId = await announceIncident({ sql, clock: systemClock }, service.pageId, 0);
  await untilDelivered(id, 2);
  const [announced] = await deliveriesOf(id);
  const shown = (await send('GET', `${list}/${id}/deliveries/${announced?.id}`)).body;
  t.match(shown, { incidentId, request: { body: receiver.received.at(-1)?.body } });
  await sql`delete from webhook_attempts where delivery_id = ${first?.id ?? ''}`;
  const unsent = (await send('GET', path)).body as { request: { headers: { name: string }[] } };
  t.notOk(unsent.request.headers.some(({ name }) => name === 'webhook-timestamp'));
  const { id: another } = await create();
  t.equal((await send('GET', `${list}/${another}/deliveries/${first?.id}`)).status, 404);
  t.equal((await send('GET', `${list}/${id}/deliveries/none`)).status, 404);
  t.equal((await send('GET', `${list}/none/deliveries/${first?.id}`)).status, 404);
});

t.test('410 disables a webhook, and the log says that the service did it', async (t) => {
  const gone = await startReceiver(t);
  gone.answer = () => ({ status: 410 });
  const { id } = await create(gone.url);
  await send('POST', `${list}/${id}/test`);
  await waitUntil('the webhook is disabled', async () => {
    return ((await send('GET', `${list}/${id}`)).body as Item).enabled === false;
  });
  t.match([...(await auditOf(id))].at(-1), {
    ...{ action: 'webhook.disable', actor_type: 'job', before: { enabled: true } },
    after: { enabled: false, disabledReason: 'The receiver answered 410 Gone.' },
  });
});

t.test('204: a deleted webhook is gone with its deliveries and its secrets', async (t) => {
  const slow = await startReceiver(t);
  slow.answer = () => ({ status: 500 });
  const { id } = await create(slow.url);
  await send('POST', `${list}/${id}/test`);
  await waitUntil('an attempt fails', () => slow.received.length === 1);
  await waitUntil('it is recorded', async () => (await deliveriesOf(id))[0]?.attempts === 1);
  t.equal((await send('DELETE', `${list}/${id}`)).status, 204);
  t.equal((await send('DELETE', `${list}/${id}`)).status, 404);
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/deliveries'],
    ['POST', '/rotate'],
    ['POST', '/test'],
  ] as const) {
    t.equal((await send(method, `${list}/${id}${path}`)).status, 404, `${method} ${path}`);
  }
  t.equal((await send('PATCH', `${list}/${id}`, { enabled: true })).status, 404);
  t.notOk(itemsOf((await send('GET', `${list}?limit=200`)).body).some((item) => item.id === id));
  t.same(
    [...(await sql`select 1 from webhook_deliveries where webhook_id = ${id} and state = 'pending'`)],
    [],
  );
  t.same([...(await sql`select length(secret) as bytes from webhooks where id = ${id}`)], [{ bytes: 0 }]);
  t.match([...(await auditOf(id))].at(-1), { action: 'webhook.delete', after: null });
});

t.test("401, 403, 404: callers who may not, and another page's ids", async (t) => {
  const { id } = await create();
  await send('POST', `${list}/${id}/test`);
  await untilDelivered(id, 1);
  const [delivery] = await deliveriesOf(id);
  const rowsBefore = (await auditOf(id)).length;
  const calls = [
    ['GET', `/webhooks/${id}`],
    ['PATCH', `/webhooks/${id}`, { enabled: false }],
    ['DELETE', `/webhooks/${id}`],
    ['POST', `/webhooks/${id}/rotate`],
    ['POST', `/webhooks/${id}/test`],
    ['GET', `/webhooks/${id}/deliveries`],
    ['GET', `/webhooks/${id}/deliveries/${delivery?.id}`],
    ['POST', `/webhooks/${id}/deliveries/${delivery?.id}/replay`],
  ] as const;
  for (const [method, path, body] of calls) {
    const reads = path.endsWith('/deliveries');
    t.equal((await send(method, `/acme${path}`, body, { key: null })).status, 401, path);
    t.equal((await send(method, `/acme${path}`, body, { key: keys.read })).status, reads ? 200 : 403, path);
    t.equal((await send(method, `/acme${path}`, body, { key: keys.other })).status, 404, path);
    t.equal((await send(method, `/other${path}`, body, { key: keys.other })).status, 404, `/other${path}`);
  }
  t.same(itemsOf((await send('GET', '/other/webhooks', undefined, { key: keys.other })).body), []);
  t.match((await send('GET', `${list}/${id}`)).body, { id, enabled: true, previousSecretUntil: null });
  t.equal((await auditOf(id)).length, rowsBefore);
  t.equal((await auditOf(delivery?.id ?? '')).length, 0);
});

t.test('409: a page has its limit of enabled webhooks, however many ask at once', async (t) => {
  const options = { key: keys.other };
  const url = 'https://hooks.example.com/many';
  const answers = await Promise.all(
    Array.from({ length: 53 }, () => send('POST', '/other/webhooks', { url }, options)),
  );
  const refused = answers.filter(({ status }) => status === 409);
  t.equal(refused.length, 3);
  t.match(refused[0]?.body, { error: /50 active webhooks/ });
  const seen = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/other/webhooks?limit=20${cursor && `&cursor=${cursor}`}`;
    const { body } = await send('GET', path, undefined, options);
    for (const { id } of itemsOf(body)) seen.add(id);
    cursor = (body as { nextCursor: string | null }).nextCursor;
  }
  t.equal(seen.size, 50);
  const [id = ''] = seen;
  await send('PATCH', `/other/webhooks/${id}`, { enabled: false }, options);
  t.equal((await send('POST', '/other/webhooks', { url }, options)).status, 201);
  const enabled = await send(
    'PATCH',
    `/other/webhooks/${id}`,
    { enabled: true, url: 'https://b.example' },
    options,
  );
  t.equal(enabled.status, 409);
  t.match((await send('GET', `/other/webhooks/${id}`, undefined, options)).body, { url, enabled: false });
});

t.test('409: a page has its limit of webhooks, disabled ones included', async (t) => {
  const { pageId } = service;
  await sql`update webhooks set disabled_at = now(), disabled_reason = 'Test.' where page_id = ${pageId}`;
  await sql`
    insert into webhooks (id, page_id, url, secret, created_at, disabled_at, disabled_reason)
    select gen_random_uuid(), ${pageId}, 'https://hooks.example.com/', '', now(), now(), 'Test.'
    from generate_series(1, 200 - (
      select count(*)::integer from webhooks where page_id = ${pageId} and deleted_at is null))`;
  const refused = await send('POST', list, { url: 'https://hooks.example.com/201' });
  t.match(refused, { status: 409, body: { error: /200 webhooks/ } });
  await sql`
    update webhooks set deleted_at = now() where id = (
      select id from webhooks where page_id = ${pageId} and deleted_at is null limit 1)`;
  t.ok(await create('https://hooks.example.com/200'), 'deleted ones leave room');
});
