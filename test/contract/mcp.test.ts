import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t from 'tap';
import { createKey } from '../../control/keys/index.js';
import { systemClock } from '../../lib/clock.js';
import { newId } from '../../lib/ids.js';
import { testActor } from '../support/actor.js';
import { makeIncidentKey } from '../support/incidents.js';
import { backend, makeTeam, weeks } from '../support/on-call.js';
import { makeKey } from '../support/pages.js';
import { startTestService, withoutJobs } from '../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
const writeKey = (await makeKey(deps, { slug: 'acme', scope: 'manage' })).key;
const readKey = (await makeKey(deps, { slug: 'acme', scope: 'manage', access: 'read' })).key;
const otherKey = (await makeKey(deps, { slug: 'other', scope: 'manage' })).key;
const adminKey = (await createKey({ ...deps, by: testActor }, { pageId: null, scope: 'admin' })).key;

type Result = { content: { text: string }[]; structuredContent?: Record<string, unknown>; isError?: boolean };

async function connect(t: Tap, key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  // The SDK's own transport does not have exactOptionalPropertyTypes in mind.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  t.teardown(() => client.close());
  return client;
}

type Tap = { teardown(handler: () => Promise<unknown>): void };

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as Result; // Tools of this service answer texts.
}

const textOf = ({ content }: Result): string => content.map(({ text }) => text).join('\n');

const outage = { title: 'Checkout fails', summary: 'Cards are refused.' };

t.test('the tools have schemas and hints', async (t) => {
  const client = await connect(t, readKey);
  t.equal(client.getServerVersion()?.name, 'heartline');
  const { tools } = await client.listTools();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  t.match(byName.get('run_sql'), { annotations: { readOnlyHint: true } });
  t.match(byName.get('create_incident'), {
    annotations: { readOnlyHint: false },
    inputSchema: { properties: { page: {}, body: {}, confirm: { type: 'boolean' } }, required: ['body'] },
  });
  for (const { name, description, title } of tools)
    t.ok(title && description && description.length > 20, name);
});

t.test('reads: pages, figures and SQL of the one page of the key', async (t) => {
  const client = await connect(t, readKey);
  t.match(await call(client, 'list_pages'), { structuredContent: { pages: [{ slug: 'acme' }] } });
  await service.post('/api/v1/events', [{ service: 'shop', endpoint: '/cart', status: 500, ms: 5 }]);
  const { structuredContent: figures } = await call(client, 'get_requests');
  t.ok(figures);
  const counted = await call(client, 'run_sql', {
    body: { sql: "SELECT sum(requests) AS n FROM requests_minute WHERE service = 'shop'" },
  });
  t.notOk(counted.isError, textOf(counted));
});

t.test('a write that announces says to how many first, and does it when it is confirmed', async (t) => {
  const client = await connect(t, writeKey);
  await sql`
    insert into subscribers (id, page_id, email, language, created_at, requested_at, confirmed_at)
    values (gen_random_uuid(), ${service.pageId}, 'reader@example.com', 'en', now(), now(), now())`;
  const preview = await call(client, 'create_incident', { body: outage });
  t.match(preview.structuredContent, {
    ...{ changed: false, wouldAnnounce: 'incident.created', subscribers: 1, webhooks: 0, page: 'acme' },
  });
  t.match(textOf(preview), /an email to 1 subscriber, and 0 webhooks/);
  t.match(await call(client, 'list_incidents'), { structuredContent: { items: [] } });
  const created = await call(client, 'create_incident', { body: outage, confirm: true });
  t.notOk(created.isError, textOf(created));
  const id = String(created.structuredContent?.['id']);
  const update = { id, body: { body: 'Mended.', status: 'resolved' } };
  t.match((await call(client, 'post_incident_update', update)).structuredContent, {
    wouldAnnounce: 'incident.resolved',
  });
  const silent = { id, body: { title: 'Checkout is slow', notify: false } };
  const quiet = await call(client, 'change_incident', silent);
  t.match(quiet.structuredContent, { changed: false, wouldAnnounce: null, subscribers: 0, webhooks: 0 });
  t.match(textOf(quiet), /Nothing has changed yet.*nothing would be announced/);
  t.match((await call(client, 'get_incident', { id })).structuredContent, { title: outage.title });
  t.notOk((await call(client, 'change_incident', { ...silent, confirm: true })).isError);
  t.match((await call(client, 'get_incident', { id })).structuredContent, { title: 'Checkout is slow' });
  const posted = await call(client, 'post_incident_update', { ...update, confirm: true });
  t.notOk(posted.isError, textOf(posted));
  t.match((await call(client, 'get_incident', { id })).structuredContent, { resolvedAt: String });
});

t.test('monitors are made, listed and changed', async (t) => {
  const client = await connect(t, writeKey);
  const made = await call(client, 'put_monitor', {
    ...{ slug: 'web', body: { name: 'Web', type: 'http', url: 'https://example.com/' } },
  });
  t.notOk(made.isError, textOf(made));
  const changed = await call(client, 'change_monitor', { slug: 'web', body: { name: 'Website' } });
  t.match(changed.structuredContent, { name: 'Website' });
  t.match(await call(client, 'list_monitors'), { structuredContent: { items: [{ slug: 'web' }] } });
});

t.test('alerts are listed and acknowledged, and who is on call is said', async (t) => {
  const { ada } = await makeTeam(deps, { ada: 'responder' });
  const schedule = { ...backend, layers: [{ ...weeks, people: [ada.email], handoff: '2020-01-06T09:00' }] };
  const put = await service.post('/api/v1/pages/acme/schedules/backend', schedule, {
    method: 'PUT',
    key: writeKey,
  });
  t.equal(put.status, 201);
  const id = newId(systemClock.now());
  await sql`insert into alerts ${sql({
    ...{ id, page_id: service.pageId, rule_slug: 'checkout', rule_name: 'Checkout', kind: 'failure-rate' },
    ...{ group_key: '', group_name: '', severity: 'page', title: 'Checkout fails' },
    ...{ started_at: new Date(), evidence: sql.json({ requests: 100, errors: 12 }) },
  })}`;
  const reader = await connect(t, readKey);
  t.match(await call(reader, 'who_is_on_call'), {
    structuredContent: { items: [{ slug: 'backend', now: { person: { email: ada.email } } }] },
  });
  t.match(await call(reader, 'list_alerts', { severity: 'page', limit: 1 }), {
    structuredContent: { items: [{ id, title: 'Checkout fails', evidence: { errors: 12 } }] },
  });
  t.match(await call(reader, 'get_report', { every: 'week' }), {
    structuredContent: { every: 'week', isOver: true },
  });
  const acknowledge = { id, body: { note: 'Ada looks after it.' } };
  const refused = await call(reader, 'acknowledge_alert', acknowledge);
  t.match([refused.isError, textOf(refused)], [true, /alerts\.acknowledge/]);
  const stranger = await connect(t, otherKey);
  t.equal((await call(stranger, 'acknowledge_alert', { page: 'acme', ...acknowledge })).isError, true);
  t.match(await call(reader, 'list_alerts'), { structuredContent: { items: [{ acknowledgedAt: null }] } });
  const writer = await connect(t, writeKey);
  t.match((await call(writer, 'acknowledge_alert', acknowledge)).structuredContent, {
    ...{ state: 'acknowledged', note: 'Ada looks after it.' },
  });
});

t.test('a tool has the permissions of the key', async (t) => {
  const client = await connect(t, readKey);
  const refused = await call(client, 'create_incident', { body: outage, confirm: true });
  t.equal(refused.isError, true);
  t.match(textOf(refused), /incidents\.write/);
  const other = await connect(t, otherKey);
  t.match(await call(other, 'list_monitors', { page: 'acme' }), { isError: true });
  const before = await sql`select count(*) as n from incidents where page_id = ${service.otherPageId}`;
  t.match(before, [{ n: 0n }]);
});

t.test('a key of the installation names the page', async (t) => {
  const client = await connect(t, adminKey);
  t.match(await call(client, 'list_monitors'), { isError: true });
  t.notOk((await call(client, 'list_monitors', { page: 'acme' })).isError);
});

t.test('wrong arguments are errors of the protocol, and name the field', async (t) => {
  const client = await connect(t, writeKey);
  await t.rejects(call(client, 'get_monitor', {}), /slug is missing/);
  await t.rejects(call(client, 'list_monitors', { pageId: service.otherPageId }), /no field \/pageId/);
  await t.rejects(call(client, 'drop_table'), /no such tool/);
});

const noNames = [
  '..',
  '.',
  '',
  'a/b',
  '%2e%2e',
  '..%2fa',
  '?x',
  '#',
  'a b',
  'a'.repeat(3_000),
  '\0',
  '\ud800',
];

t.test('a parameter of a path that is no slug or id is refused, for every tool', async (t) => {
  const client = await connect(t, writeKey);
  const { tools } = await client.listTools();
  const right = { page: 'acme', slug: 'web', id: service.pageId };
  const taken: string[] = [];
  let walked = 0;
  for (const { name, inputSchema } of tools) {
    const { properties = {}, required = [] } = inputSchema;
    const fields = [...new Set(['page', ...required])].filter((field) => field in properties);
    const inPath = fields.filter((field) => field !== 'body');
    for (const [part, value] of inPath.flatMap((part) => noNames.map((value) => [part, value] as const))) {
      const given = Object.entries({ ...right, body: {} }).filter(([field]) => fields.includes(field));
      const params = { name, arguments: { ...Object.fromEntries(given), [part]: value } };
      const { body } = await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const { code, message } = (body as { error?: { code: number; message: string } }).error ?? {};
      if (code !== -32602 || !message?.includes(`/${part} `)) taken.push(`${name} ${part} ${value}`);
      walked += 1;
    }
  }
  t.strictSame(taken, []);
  t.ok(walked > tools.length * noNames.length);
});

const post = (body: unknown, headers: Record<string, string> = {}, key: string | null = writeKey) =>
  service.post('/mcp', body, { key, headers });
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

t.test('202: a notification', async (t) => {
  const { status, body } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  t.same([status, body], [202, '']);
});

t.test('400: no JSON, a batch, another version of the protocol', async (t) => {
  t.equal((await post('{')).status, 400);
  t.match(await post([list]), { status: 400, body: { error: { code: -32600 } } });
  t.equal((await post(list, { 'mcp-protocol-version': '2024-01-01' })).status, 400);
});

t.test('401: without a key, with a wrong one, and with a cookie alone', async (t) => {
  t.equal((await post(list, {}, null)).status, 401);
  t.equal((await post(list, {}, writeKey.replace(/.$/, '!'))).status, 401);
  const cookie = `heartline-session=${'a'.repeat(43)}`;
  t.equal((await post(list, { cookie }, null)).status, 401);
});

t.test('403: a key with another scope, and a page of another site', async (t) => {
  t.equal((await post(list, {}, await makeIncidentKey(service))).status, 403);
  t.equal((await post(list, { origin: 'https://evil.example' })).status, 403);
});

t.test('405: a stream is not offered', async (t) => {
  const { status, headers } = await service.get('/mcp', { accept: 'text/event-stream' });
  t.same([status, headers.get('allow')], [405, 'POST']);
});
