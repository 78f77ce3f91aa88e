import { Secret } from 'otpauth';
import t from 'tap';
import { createUser } from '../../../control/people/index.js';
import { minuteMs } from '../../../lib/times.js';
import { makeSite } from '../../faults/routes/site.js';
import { testActor } from '../../support/actor.js';
import { captureLog } from '../../support/capture-log.js';
import { environmentFor } from '../../support/cli-environment.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { cheapPasswords } from '../../support/passwords.js';
import { headersOf, makeUser, signIn } from '../../support/people.js';
import { makeRouteTable } from '../../support/route-table.js';
import { runInProcess } from '../../support/run-heartline.js';
import { startServiceOn, unansweredSmtp } from '../../support/service.js';
import { openEmptyClickHouse, openStores } from '../../support/stores.js';
import { totpCode } from '../../support/totp.js';
import { isUsual, keyOfRoute, makeRequest } from './calls/managed-requests.js';
import { ownPassword, tidy } from './calls/particulars.js';
import { type Managed, type ManagedRequest, storeSettings, type World } from './calls/world.js';

/** Every change that the management API can make, its row in the audit log, and what must not be in any row or line. */
t.setTimeout(600_000);

/** Routes with another method than GET that change nothing, or only send what a later change records. */
const changesNothing = new Set([
  'POST /api/v1/pages/:page/analytics/sql',
  'POST /api/v1/pages/:page/analytics/sql/estimate',
  'POST /api/v1/pages/:page/alert-rule/preview',
  'POST /api/v1/pages/:page/rules/preview',
  'POST /api/v1/pages/:page/maintenance-series/preview',
  'POST /api/v1/pages/:page/schedules/preview',
  'POST /api/v1/pages/:page/incidents/preview',
  'POST /api/v1/pages/:page/hostname/check',
  'POST /api/v1/pages/:page/preview',
  'POST /api/v1/pages/:page/monitors/:slug/check',
  'POST /api/v1/pages/:page/monitors/trial',
  'POST /api/v1/pages/:page/event-store/test',
]);

const clock = makeMovingClock();
const { log, text } = captureLog();
const stores = await openStores(t);
const service = await startServiceOn(t, stores, {
  ...{ clock, log, roles: new Set(['api'] as const), trustedProxies: ['127.0.0.1'] },
  // The installation chooses, and allows them without an address of its own.
  allowPrivateAddresses: undefined,
  smtpUrl: unansweredSmtp,
});
const { sql } = stores;
const site = await makeSite({ ...stores, clock }, 'shop');
const admin = await makeUser({ sql, clock }, { isAdmin: true });
const managed = makeRouteTable().routes.filter((route): route is Managed => 'permission' in route);

const address = '198.51.100.7';
/** Secrets that some request or answer had, as they were there. */
const secrets = new Set<string>([ownPassword]);
const secretForms =
  /\b(?:key_[a-z]+_[0-9A-Za-z]{43}|whsec_[0-9A-Za-z+/=]{20,}|ping_[0-9A-Za-z]{20,}|(?:cal|brd)_[0-9A-Za-z]{20,})|(?<=#|token=)[0-9A-Za-z]{43}\b/g;
const secretFields = new Set([
  ...['password', 'currentPassword', 'secret', 'secretAccessKey', 'key', 'code', 'recoveryCodes'],
]);
/** Codes of an app are left out: six digits are in many ids. */
const charsMin = 8;

/** Notes what a request or an answer has in fields of secrets, in headers of monitors, and in the form of a secret. */
function noteSecrets(value: unknown, field = ''): void {
  if (typeof value === 'string') {
    if (secretFields.has(field) && value.length >= charsMin) secrets.add(value);
    for (const [secret] of value.matchAll(secretForms)) secrets.add(secret);
  } else if (Array.isArray(value)) {
    for (const one of value) noteSecrets(field === 'headers' ? one.value : one, secretOr(field));
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) noteSecrets(one, name);
  }
}

const secretOr = (field: string): string => (field === 'headers' ? 'secret' : field);

async function send({ method, path, body, mediaType = 'application/json' }: ManagedRequest) {
  const session = await signIn({ sql, clock }, admin.id);
  secrets.add(session.cookie.replace(/^.*=/, ''));
  const headers = { ...session, 'content-type': mediaType, 'x-forwarded-for': address };
  const answer = await service.post(path, body, { key: null, method, headers });
  noteSecrets([body, answer.body]);
  return answer;
}

const world: World = {
  ...{ slug: site.slug, routes: managed, send, sql, self: admin.id },
  store: storeSettings((await openEmptyClickHouse(t)).clickhouseUrl),
};

t.test('every change leaves a row that names who made it, and from where', async (t) => {
  for (const route of managed) {
    const name = keyOfRoute(route);
    if (route.method === 'GET' || changesNothing.has(name)) continue;
    clock.advance(minuteMs + 1_000);
    await tidy(world);
    const request = await makeRequest(world, route);
    const [before] = await sql<{ id: string | null }[]>`select max(id::text) as id from audit_log`;
    const answer = await send(request);
    if (!isUsual(route, answer.status)) t.fail(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    const rows = await sql`
      select action, actor_type, actor_id, actor_name, address from audit_log
      where id::text > ${before?.id ?? ''} order by id`;
    const own = rows.filter(({ actor_type }) => actor_type === 'user');
    t.not(own.length, 0, name);
    for (const row of own) t.match(row, { actor_id: admin.id, actor_name: admin.email, address }, name);
  }
});

t.test('a PATCH without a field is 200, and leaves no row', async (t) => {
  const patches = managed.filter(({ method }) => method === 'PATCH');
  const said: unknown[] = [];
  for (const route of patches) {
    clock.advance(minuteMs + 1_000);
    const request = await makeRequest(world, route);
    const [before] = await sql<{ id: string | null }[]>`select max(id::text) as id from audit_log`;
    const { status, body } = await send({ ...request, body: {} });
    if (status !== 200) said.push([keyOfRoute(route), status, body]);
    const rows = await sql`
      select action from audit_log where id::text > ${before?.id ?? ''} and action <> 'session.create'`;
    if (rows.length > 0) said.push([keyOfRoute(route), ...rows]);
  }
  t.same(said, []);
  t.ok(patches.length > 10, `${patches.length} routes`);
});

const actionsSince = async (before: Date): Promise<string[]> => {
  const rows = await sql<{ action: string; actor_type: string }[]>`
    select action, actor_type from audit_log where at >= ${before} order by id`;
  return rows.map(({ action, actor_type }) => `${actor_type} ${action}`);
};

t.test('signing in, with an app as well, leaves rows', async (t) => {
  clock.advance(minuteMs);
  const before = new Date(clock.now());
  const email = 'ada@example.com';
  await createUser(
    { sql, clock, by: testActor, passwords: cheapPasswords() },
    { email, name: 'Ada', password: ownPassword },
  );
  const request = async (method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await service.post(path, body, {
      ...{ key: null, method, headers: { ...headers, 'x-forwarded-for': address } },
    });
    noteSecrets([body, answer.body]);
    return answer;
  };
  const enter = (body: object) =>
    request('POST', '/api/v1/session', { email, ...body }, { 'sec-fetch-site': 'same-origin' });
  t.equal((await enter({ password: 'not the password of Ada' })).status, 401);
  const entered = await enter({ password: ownPassword });
  t.equal(entered.status, 200);
  const token = /heartline-session=([^;]+)/.exec(entered.headers.get('set-cookie') ?? '')?.[1] ?? '';
  t.match(token, /^.{40}/);
  secrets.add(token);
  const session = headersOf(token);
  const begun = await request('POST', '/api/v1/me/totp', { password: ownPassword }, session);
  const { secret } = Object(begun.body);
  secrets.add(Secret.fromBase32(secret).hex);
  const code = totpCode(secret, clock.now());
  const confirmed = await request('POST', '/api/v1/me/totp', { code }, session);
  const { recoveryCodes } = Object(confirmed.body);
  t.equal(recoveryCodes.length, 10);
  t.equal((await enter({ password: ownPassword, code: recoveryCodes[0] })).status, 200);
  t.equal((await enter({ password: ownPassword, code: 'aaaa-bbbb-cccc-dddd' })).status, 401);
  const removed = await request(
    ...(['DELETE', '/api/v1/me/totp', { password: ownPassword, code: recoveryCodes[1] }, session] as const),
  );
  t.equal(removed.status, 204);
  t.equal((await request('DELETE', '/api/v1/session', undefined, session)).status, 204);
  t.strictSame((await actionsSince(before)).slice(1), [
    ...['user session.refuse', 'user session.create', 'user user.update', 'user user.update'],
    ...['user session.create', 'user session.refuse', 'user user.update', 'user session.revoke'],
  ]);
});

t.test('the Incident API, the command line and a job leave rows', async (t) => {
  clock.advance(minuteMs);
  const before = new Date(clock.now());
  const incident = { title: 'Outage', summary: 'Connections time out.', startedAt: before.toISOString() };
  const made = await service.post('/api/v1/incidents', incident, { key: site.keys.incident });
  t.equal(made.status, 201, JSON.stringify(made.body));
  secrets.add(site.keys.incident);
  t.strictSame(await actionsSince(before), ['key incident.create']);

  const { stdout } = await runInProcess(
    ['user', 'create', '--email', 'bob@example.com', '--name', 'Bob'],
    environmentFor(stores),
  );
  t.match(stdout, /#[0-9A-Za-z_-]{43}/);
  for (const [, token] of stdout.matchAll(/#([0-9A-Za-z_-]{43})/g)) secrets.add(token ?? '');
  const byCli =
    await sql`select action from audit_log where actor_type = 'cli' and target_name = 'bob@example.com'`;
  t.ok(byCli.some(({ action }) => action === 'user.create'));

  const { body } = await send({ method: 'GET', path: '/api/v1/installation' });
  const [job] = Object(body).jobs;
  const ran = await send({ method: 'POST', path: `/api/v1/jobs/${job.name}/run` });
  t.ok(ran.status < 300, JSON.stringify(ran.body));
  t.ok((await actionsSince(before)).some((one) => one.startsWith('user job.')));
});

t.test('no secret is in a row of the audit log, nor in the log of the service', async (t) => {
  t.ok(secrets.size > 50, `${secrets.size} secrets`);
  for (const form of [/^Bearer monitor/, /^whsec_/, /^key_/, /^[A-Z2-7]{32}$/, /^[a-z2-7]{4}-/]) {
    t.ok(
      [...secrets].some((secret) => form.test(secret)),
      String(form),
    );
  }
  const rows = await sql<{ row: string }[]>`select row_to_json(a)::text as row from audit_log a`;
  t.ok(rows.length > 50, `${rows.length} rows`);
  const written = rows.map(({ row }) => row).join('\n') + text();
  const leaked = [...secrets].filter((secret) => written.includes(secret));
  t.strictSame(
    leaked.map((secret) => secret.slice(0, 8)),
    [],
  );
  t.notMatch(written, secretForms);
});
