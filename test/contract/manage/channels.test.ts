import t from 'tap';
import { channelKinds } from '../../../contract/channels.js';
import type { ManagedChannel, ManagedMessage } from '../../../contract/manage/channels.js';
import { settingsFor } from '../../support/channels.js';
import { openManageClient } from '../../support/manage-client.js';
import { startReceiver } from '../../support/receiver.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs, allowPrivateAddresses: true });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);
const list = '/acme/channels';
const receiver = await startReceiver(t);
const itemsOf = <T>(body: unknown) => (body as { items: T[] }).items;

async function create(fields: object = {}): Promise<ManagedChannel> {
  const settings = { url: `${receiver.url}/secret-path` };
  const { status, body } = await send('POST', list, { kind: 'webhook', name: 'Pager', settings, ...fields });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body as ManagedChannel;
}

const auditOf = (id: string) => sql`
  select action, target_name, before, after from audit_log where target_id = ${id} order by id`;
const messagesOf = async (id: string) =>
  itemsOf<ManagedMessage>((await send('GET', `${list}/${id}/messages`)).body);
/** Everything that may be in the settings of a channel and in no answer. */
const secrets = /secret-path|AAH-abc|tk_secret|acme-operations|A\.gotify|a{30}|u{30}|R{32}|0b0b0b0b|whsec_/;

t.test(
  '201: a channel of every kind is created, and no answer and no row of the log has its secrets',
  async (t) => {
    const hosts: string[] = [];
    for (const kind of channelKinds) {
      const path = kind === 'gotify' ? '' : '/secret-path';
      const settings = settingsFor(`https://hooks.example.com${path}`)[kind];
      const created = await send('POST', list, { kind, name: `Team ${kind}`, settings });
      t.equal(created.status, 201, kind);
      const channel = created.body as ManagedChannel;
      const location = `/api/v1/pages/acme/channels/${channel.id}`;
      t.equal(created.headers.get('location'), location);
      const shown = await send('GET', `${list}/${channel.id}`);
      t.strictSame(shown.body, channel);
      t.match(channel, {
        ...{
          kind,
          name: `Team ${kind}`,
          topics: null,
          quietHours: null,
          enabled: true,
          waiting: 0,
          last: null,
        },
      });
      hosts.push(channel.host);
      const rows = await auditOf(channel.id);
      t.match(
        [...rows],
        [{ action: 'channel.create', target_name: `Team ${kind}`, after: { kind, enabled: true } }],
      );
      t.notMatch(JSON.stringify([created.body, shown.body, rows]), secrets, kind);
      const [row] = await sql<
        { text: string }[]
      >`select c::text as text from channels c where id = ${channel.id}`;
      t.notMatch(row?.text, secrets, 'the row has them encrypted');
      await send('DELETE', `${list}/${channel.id}`);
    }
    t.ok(hosts.includes('api.telegram.org') && hosts.includes('hooks.example.com'));
  },
);

t.test('PUT creates the channel with a name, replaces it, and changes nothing the second time', async (t) => {
  const at = `${list}/${encodeURIComponent('On call')}`;
  const wanted = { kind: 'ntfy', settings: { topic: 'acme-operations', server: 'https://push.example.com' } };
  const made = await send('PUT', at, { ...wanted, topics: ['monitor'] });
  t.match(made, { status: 201, body: { name: 'On call', host: 'push.example.com', topics: ['monitor'] } });
  const { id } = made.body as ManagedChannel;
  t.equal(made.headers.get('location'), `/api/v1/pages${list}/${id}`);
  t.match(await send('PUT', at, { ...wanted, topics: ['monitor'] }), { status: 200, body: { id } });
  t.equal((await auditOf(id)).length, 1, 'the same again changes nothing');
  const settings = { topic: 'acme-operations' };
  const replaced = await send('PUT', at, { kind: 'ntfy', settings, enabled: false });
  t.match(replaced, {
    status: 200,
    body: { id, topics: null, host: 'ntfy.sh', settings: {}, enabled: false },
  });
  t.notMatch(JSON.stringify([made.body, replaced.body, await auditOf(id)]), secrets);
  t.equal((await send('PUT', at, { kind: 'slack' })).status, 409, 'of another kind');
  t.equal((await send('PUT', at, { kind: 'ntfy', name: 'Other' })).status, 400, 'of another name');
  t.equal((await send('PUT', `${list}/${id}`, wanted)).status, 400, 'by its id');
  t.equal((await send('PUT', `${list}/New`, { kind: 'slack' })).status, 400, 'without its secret');
  const stale = { headers: { 'if-match': '"other"' } };
  t.equal((await send('PUT', at, wanted, stale)).status, 412);
  const twins = [await create({ name: 'Twin' }), await create({ name: 'Twin' })];
  t.equal((await send('PUT', `${list}/Twin`, { kind: 'webhook' })).status, 409, 'several have the name');
  for (const channel of [...twins, { id }]) await send('DELETE', `${list}/${channel.id}`);
});

t.test(
  '200: PUT changes a channel whose stored name is no line, and creates none with such a name',
  async (t) => {
    const { id } = await create({ name: 'Old' });
    const name = 'a\u202eb';
    await sql`update channels set name = ${name} where id = ${id}`;
    const at = (of: string) => `${list}/${encodeURIComponent(of)}`;
    const changed = await send('PUT', at(name), { kind: 'webhook', settings: {}, topics: ['monitor'] });
    t.match(changed, { status: 200, body: { id, name, topics: ['monitor'] } });
    const refused = [];
    for (const other of ['b\u202ea', 'a\0b', 'a\nb', ' ']) {
      const { status, body } = await send('PUT', at(other), {
        kind: 'webhook',
        settings: { url: receiver.url },
      });
      refused.push([status, /name of a channel must/.test(JSON.stringify(body))]);
    }
    t.strictSame(refused, Array(4).fill([400, true]));
    await send('DELETE', `${list}/${id}`);
  },
);

t.test('400: settings, names, topics and hours that cannot be used', async (t) => {
  const url = 'https://hooks.example.com/';
  const wrong = [
    { kind: 'fax', name: 'A', settings: { url } },
    { kind: 'slack', name: 'A', settings: {} },
    { kind: 'slack', name: 'A' },
    { kind: 'slack', name: '', settings: { url } },
    { kind: 'slack', name: 'a\nb', settings: { url } },
    { kind: 'slack', name: 'a'.repeat(81), settings: { url } },
    { kind: 'slack', name: 'A', settings: { url: 'hooks.example.com' } },
    { kind: 'slack', name: 'A', settings: { url, token: 'x' } },
    { kind: 'slack', name: 'A', settings: { url }, topics: [] },
    { kind: 'slack', name: 'A', settings: { url }, topics: ['monitors'] },
    { kind: 'slack', name: 'A', settings: { url }, quietHours: { from: '22:00', to: '22:00' } },
    { kind: 'slack', name: 'A', settings: { url }, quietHours: { from: '25:00', to: '07:00' } },
    { kind: 'slack', name: 'A', settings: { url }, pageId: service.otherPageId },
  ];
  for (const body of wrong) t.equal((await send('POST', list, body)).status, 400, JSON.stringify(body));
  const { id } = await create();
  for (const body of [
    { kind: 'discord' },
    { settings: { url: null } },
    { settings: { url: 'x' } },
    { topics: [] },
    { quietHours: { from: '1:00' } },
  ]) {
    t.equal((await send('PATCH', `${list}/${id}`, body)).status, 400, JSON.stringify(body));
  }
  t.match((await send('GET', `${list}/${id}`)).body, { name: 'Pager', topics: null, quietHours: null });
  t.equal((await send('GET', `${list}?limit=0`)).status, 400);
});

t.test('200: a channel is changed, and what is not named stays', async (t) => {
  const { id } = await create();
  const path = `${list}/${id}`;
  const quietHours = { from: '22:00', to: '07:30' };
  const changed = await send('PATCH', path, { topics: ['certificate', 'monitor'], quietHours });
  t.match(
    [changed.status, changed.body],
    [200, { topics: ['monitor', 'certificate'], quietHours, name: 'Pager' }],
  );
  const moved = await send('PATCH', path, {
    settings: { url: 'https://new.example/secret-path' },
    topics: null,
  });
  t.match(moved.body, { host: 'new.example', topics: null, quietHours });
  t.match((await send('PATCH', path, { quietHours: null, name: 'On call' })).body, {
    quietHours: null,
    name: 'On call',
  });
  t.equal((await send('PATCH', path, {})).status, 200);
  const rows = await auditOf(id);
  t.match([...rows].slice(1), [
    { action: 'channel.update', after: { topics: ['monitor', 'certificate'] } },
    { action: 'channel.update', after: { host: 'new.example', secretsChanged: true } },
    { action: 'channel.update', after: { name: 'On call' } },
  ]);
  t.equal(rows.length, 4, 'nothing changed is no row');
  t.notMatch(JSON.stringify(rows), secrets);
});

t.test('400: no secret follows the name of a server unless it is given again', async (t) => {
  const token = 'A'.repeat(15);
  const made = await send('POST', list, {
    ...{ kind: 'gotify', name: 'Gotify', settings: { server: 'https://push.example.com', token } },
  });
  const ntfy = await send('POST', list, {
    ...{ kind: 'ntfy', name: 'Ntfy', settings: { topic: 'acme-operations', token: 'tk_1' } },
  });
  const found: unknown[] = [];
  for (const [channel, kind, needs] of [
    [made.body as ManagedChannel, 'gotify', ['token']],
    [ntfy.body as ManagedChannel, 'ntfy', ['topic', 'token']],
  ] as const) {
    for (const [method, at, body] of [
      ['PATCH', channel.id, {}],
      ['PUT', channel.name, { kind }],
    ] as const) {
      const moved = { ...body, settings: { server: receiver.url } };
      const { status, body: refusal } = await send(method, `${list}/${at}`, moved);
      const { error, field } = refusal as { error: string; field: string };
      if (
        status !== 400 ||
        field !== `/settings/${needs[0]}` ||
        !needs.every((field) => error.includes(`"${field}"`))
      )
        found.push([method, kind, field, error]);
    }
  }
  t.same(found, []);
  const { id } = made.body as ManagedChannel;
  t.match((await send('GET', `${list}/${id}`)).body, { host: 'push.example.com' }, 'nothing has changed');
  const same = { settings: { server: 'https://push.example.com/gotify' } };
  t.equal((await send('PATCH', `${list}/${id}`, same)).status, 200, 'another path of the server');
  const again = { settings: { server: receiver.url, token } };
  t.match(await send('PATCH', `${list}/${id}`, again), {
    status: 200,
    body: { host: new URL(receiver.url).host },
  });
  for (const channel of [made, ntfy]) await send('DELETE', `${list}/${(channel.body as ManagedChannel).id}`);
});

t.test('304 and 412: entity tags, which the outcome of messages does not change', async (t) => {
  const { id } = await create();
  const path = `${list}/${id}`;
  const tag = (await send('GET', path)).headers.get('etag') ?? '';
  t.equal((await send('GET', path, undefined, { headers: { 'if-none-match': tag } })).status, 304);
  await send('POST', `${path}/test`);
  await waitUntil('the test is delivered', async () => (await messagesOf(id))[0]?.state === 'delivered');
  const headers = { 'if-match': tag };
  t.equal((await send('PATCH', path, { name: 'A' }, { headers })).status, 200);
  t.equal((await send('PATCH', path, { name: 'B' }, { headers })).status, 412);
  t.equal((await send('DELETE', path, undefined, { headers })).status, 412);
  t.match((await send('GET', path)).body, { name: 'A' });
});

t.test('202: a test is sent in quiet hours too, and its outcome is among the messages', async (t) => {
  const { id } = await create({ quietHours: { from: '00:00', to: '23:59' } });
  const queued = await send('POST', `${list}/${id}/test`);
  t.equal(queued.status, 202);
  const { messageId } = queued.body as { messageId: string };
  await waitUntil('it is delivered', async () => (await messagesOf(id))[0]?.state === 'delivered');
  t.match(await messagesOf(id), [
    { id: messageId, event: 'channel.test', attempts: 1, status: 204, reason: null, nextAttemptAt: null },
  ]);
  t.match((await send('GET', `${list}/${id}`)).body, {
    waiting: 0,
    last: { state: 'delivered', reason: null },
  });
  t.match([...(await auditOf(id))].at(-1), { action: 'channel.test', after: { messageId } });
  await send('POST', `${list}/${id}/test`);
  await waitUntil('both are delivered', async () =>
    (await messagesOf(id)).every(({ state }) => state === 'delivered'),
  );
  const [newest] = await messagesOf(id);
  const part = (await send('GET', `${list}/${id}/messages?limit=1`)).body as {
    items: ManagedMessage[];
    nextCursor: string;
  };
  t.equal(part.items[0]?.id, newest?.id);
  const rest = await send('GET', `${list}/${id}/messages?limit=1&cursor=${part.nextCursor}`);
  t.equal(itemsOf<ManagedMessage>(rest.body)[0]?.id, messageId);
});

t.test('409: a channel that is turned off takes no test', async (t) => {
  const { id } = await create();
  t.match((await send('PATCH', `${list}/${id}`, { enabled: false })).body, { enabled: false });
  t.equal((await send('POST', `${list}/${id}/test`)).status, 409);
  t.match((await send('PATCH', `${list}/${id}`, { enabled: true })).body, { enabled: true });
  t.strictSame(
    (await auditOf(id)).map(({ action }) => action),
    ['channel.create', 'channel.disable', 'channel.enable'],
  );
});

t.test('204: a deleted channel is gone with its messages', async (t) => {
  const { id } = await create();
  await send('POST', `${list}/${id}/test`);
  t.equal((await send('DELETE', `${list}/${id}`)).status, 204);
  t.equal((await send('DELETE', `${list}/${id}`)).status, 404);
  t.equal((await send('GET', `${list}/${id}/messages`)).status, 404);
  t.strictSame([...(await sql`select 1 from channel_messages where channel_id = ${id}`)], []);
  t.match([...(await auditOf(id))].at(-1), { action: 'channel.delete', after: null });
});

t.test("401, 403, 404: callers who may not, and another page's ids", async (t) => {
  const { id } = await create();
  const rowsBefore = (await auditOf(id)).length;
  const calls = [
    ['GET', `/channels/${id}`],
    ['PATCH', `/channels/${id}`, { enabled: false }],
    ['DELETE', `/channels/${id}`],
    ['POST', `/channels/${id}/test`],
    ['GET', `/channels/${id}/messages`],
  ] as const;
  for (const [method, path, body] of calls) {
    t.equal((await send(method, `/acme${path}`, body, { key: null })).status, 401, path);
    t.equal((await send(method, `/acme${path}`, body, { key: keys.read })).status, 403, path);
    t.equal((await send(method, `/acme${path}`, body, { key: keys.other })).status, 404, path);
    t.equal((await send(method, `/other${path}`, body, { key: keys.other })).status, 404, `/other${path}`);
  }
  t.strictSame(itemsOf((await send('GET', '/other/channels', undefined, { key: keys.other })).body), []);
  t.match((await send('GET', `${list}/${id}`)).body, { id, enabled: true });
  t.equal((await auditOf(id)).length, rowsBefore);
  t.equal((await messagesOf(id)).length, 0);
});

t.test('409: a page has its limit of channels, however many ask at once', async (t) => {
  const options = { key: keys.other };
  const body = { kind: 'slack', name: 'A', settings: { url: 'https://hooks.example.com/' } };
  const answers = await Promise.all(
    Array.from({ length: 53 }, () => send('POST', '/other/channels', body, options)),
  );
  const refused = answers.filter(({ status }) => status === 409);
  t.equal(refused.length, 3);
  t.match(refused[0]?.body, { error: /50 channels/ });
});
