import t from 'tap';
import { type ManagedPolicy, policyLimits } from '../../../contract/manage/policies.js';
import { alertSeverities } from '../../../contract/manage/shared.js';
import { loadPageId } from '../../../control/pages/index.js';
import { loadDefaultPolicies } from '../../../control/policies/index.js';
import { openManageClient } from '../../support/manage-client.js';
import { backend, makeTeam, tuesday } from '../../support/on-call.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const clock = { now: () => tuesday };
const service = await startTestService(t, { roles: withoutJobs, clock });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);
const team = await makeTeam({ sql, clock }, { ada: 'owner', bob: 'responder' });
const list = '/acme/policies';
await send('PUT', '/acme/schedules/backend', backend);
const channel = { kind: 'webhook', settings: { url: 'https://example.com/hook' } };
const operations = await send('PUT', '/acme/channels/Operations', channel);
const channelPath = `/acme/channels/${Object(operations.body).id}`;

const steps = [
  { notify: [{ schedule: 'backend' }, { channel: 'Operations' }], waitMinutes: 10 },
  { notify: [{ person: 'bob@acme.example' }], waitMinutes: 30 },
];
const policy = { name: 'Wake the backend', steps, repeat: 2, defaultFor: ['page'] };
const put = (slug: string, body: object = policy, headers: Record<string, string> = {}) =>
  send('PUT', `${list}/${slug}`, body, { headers });
const read = async (slug: string) => (await send('GET', `${list}/${slug}`)).body as ManagedPolicy;
const rowsOf = async (slug: string) => [
  ...(await sql`
    select action, before, after from audit_log where target_type = 'policy' and target_name = ${slug} order by id`),
];

t.test('201, 200: a policy is put; the same again writes no row', async (t) => {
  const made = await put('backend');
  t.equal(made.status, 201);
  t.equal(made.headers.get('location'), '/api/v1/pages/acme/policies/backend');
  t.match(made.body, { slug: 'backend', ...policy, withoutRole: [] });
  t.strictSame(await read('backend'), made.body);
  t.equal((await put('backend')).status, 200);
  const less = { name: 'Less', steps: [{ notify: [{ person: 'ADA@acme.example ' }], waitMinutes: 1 }] };
  t.match(await put('backend', less), {
    status: 200,
    body: {
      steps: [{ notify: [{ person: 'ada@acme.example' }], waitMinutes: 1 }],
      repeat: 0,
      defaultFor: [],
    },
  });
  t.equal((await put('backend')).status, 200);
  t.match(await rowsOf('backend'), [
    { action: 'policy.create', before: null, after: { slug: 'backend', ...policy } },
    { action: 'policy.update', before: policy, after: { name: 'Less', repeat: 0 } },
    { action: 'policy.update', after: policy },
  ]);
  t.equal((await rowsOf('backend')).length, 3);
});

t.test('200: PATCH changes what is there; lists go on by slug', async (t) => {
  t.match(await send('PATCH', `${list}/backend`, { repeat: 9 }), {
    status: 200,
    body: { ...policy, repeat: 9 },
  });
  t.match((await rowsOf('backend')).at(-1), { before: { repeat: 2 }, after: { repeat: 9 } });
  await put('a-first', { ...policy, defaultFor: [] });
  const first = await send('GET', `${list}?limit=1`);
  t.match(first.body, { items: [{ slug: 'a-first' }], nextCursor: String });
  const second = await send('GET', `${list}?cursor=${Object(first.body).nextCursor}`, undefined, {
    key: keys.read,
  });
  t.match(second.body, { items: [{ slug: 'backend' }], nextCursor: null });
  t.equal((await send('DELETE', `${list}/a-first`)).status, 204);
  t.equal((await send('DELETE', `${list}/a-first`)).status, 404);
  t.match((await rowsOf('a-first')).at(-1), { action: 'policy.delete', after: null });
});

t.test('304, 412: tags hold', async (t) => {
  const shown = await send('GET', `${list}/backend`);
  const tag = shown.headers.get('etag') ?? '';
  const headers = { 'if-match': tag };
  t.equal(
    (await send('GET', `${list}/backend`, undefined, { headers: { 'if-none-match': tag } })).status,
    304,
  );
  t.equal((await put('backend', policy, headers)).status, 200);
  t.equal((await put('backend', { ...policy, name: 'x' }, headers)).status, 412);
  t.equal((await send('PATCH', `${list}/backend`, { name: 'x' }, { headers })).status, 412);
  t.equal((await send('DELETE', `${list}/backend`, undefined, { headers })).status, 412);
  t.equal((await put('fresh', policy, { 'if-match': '*' })).status, 412);
  t.equal((await put('backend', policy, { 'if-none-match': '*' })).status, 412);
  t.equal((await read('backend')).name, policy.name);
});

t.test('400: what is not there, or cannot be, by its name', async (t) => {
  await makeTeam({ sql, clock }, { eve: 'viewer' });
  await sql`delete from page_roles where user_id = (select id from users where email = 'eve@acme.example')`;
  await send('PUT', '/other/schedules/theirs', { ...backend, layers: [] }, { key: keys.other });
  for (const name of ['Twin', 'Twin']) await send('POST', '/acme/channels', { ...channel, name });
  const notify = (...targets: object[]) => ({ name: 'x', steps: [{ notify: targets, waitMinutes: 5 }] });
  const step = notify({ schedule: 'backend' }).steps[0];
  for (const [slug, body, error] of [
    ['No', policy, /slug "No"/],
    ['x', { ...policy, name: '' }, /^\/name /],
    ['x', notify(), /^\/steps\/0\/notify /],
    ['x', notify({}), /^\/steps\/0\/notify\/0 must have one of person, schedule and channel/],
    ['x', notify({ schedule: 'backend', channel: 'Operations' }), /^\/steps\/0\/notify\/0 must have one of/],
    ['x', notify({ team: 'x' }), /\/steps\/0\/notify\/0\/team/],
    ['x', notify({ schedule: 'none' }), /^\/steps\/0\/notify\/0\/schedule .* there is no "none"/],
    ['x', notify({ schedule: 'theirs' }), /there is no "theirs"/],
    [
      'x',
      notify({ schedule: 'backend' }, { channel: 'None' }),
      /^\/steps\/0\/notify\/1\/channel .* no "None"/,
    ],
    ['x', notify({ channel: 'Twin' }), /the page has several with the name "Twin"/],
    [
      'x',
      notify({ person: 'zoe@acme.example' }),
      /^\/steps\/0\/notify\/0\/person .*"zoe@acme.example" has none/,
    ],
    ['x', notify({ person: 'eve@acme.example' }), /"eve@acme.example" has none/],
    ['x', notify({ schedule: 'backend' }, { schedule: 'backend' }), /notify\/1 must be another one/],
    ['x', { name: 'x', steps: [] }, /^\/steps /],
    ['x', { name: 'x', steps: Array(11).fill(step) }, /^\/steps /],
    ['x', { name: 'x', steps: [{ ...step, waitMinutes: 0 }] }, /waitMinutes/],
    ['x', { name: 'x', steps: [{ ...step, waitMinutes: 1_441 }] }, /waitMinutes/],
    ['x', { ...policy, repeat: 10 }, /^\/repeat/],
    ['x', { ...policy, defaultFor: ['panic'] }, /^\/defaultFor/],
  ] as const) {
    t.match(await put(slug, body), { status: 400, body: { error } }, JSON.stringify(body).slice(0, 200));
  }
  t.equal((await sql`select 1 from policies where slug = 'x'`).count, 0);
});

t.test('409: one default a severity, and a limit', async (t) => {
  const taken = await put('second', { ...policy, defaultFor: ['ticket', 'page'] });
  t.match(taken, { status: 409, body: { error: /policy "backend" is the default for page/ } });
  t.equal((await put('second', { ...policy, defaultFor: ['ticket', 'info'] })).status, 201);
  t.equal((await send('PATCH', `${list}/second`, { defaultFor: ['page'] })).status, 409);
  t.strictSame((await read('second')).defaultFor, ['ticket', 'info']);
  const pageId = await loadPageId(sql, 'acme');
  const defaults = await loadDefaultPolicies(sql, { pageId });
  t.strictSame(
    alertSeverities.map((severity) => defaults.get(severity)?.slug),
    ['backend', 'second', 'second'],
  );
  t.equal((await send('DELETE', `${list}/second`)).status, 204);
  await sql`
    insert into policies (id, page_id, slug, name, repeat, created_at)
    select gen_random_uuid(), ${pageId}, 'filler-' || n, 'x', 0, now()
    from generate_series(1, ${policyLimits.policies - 1}) n`;
  t.match(await put('more'), { status: 409, body: { error: /50 policies, which is the most/ } });
  await sql`delete from policies where slug like 'filler-%'`;
});

t.test('409: a channel that a policy tells is not deleted; renames break nothing', async (t) => {
  t.match(await send('DELETE', channelPath), {
    status: 409,
    body: { error: /policy "backend" tells this channel/ },
  });
  t.equal((await send('PATCH', channelPath, { name: 'Night watch' })).status, 200);
  await sql`update users set email = 'robert@acme.example' where id = ${team.bob.id}`;
  t.match(await read('backend'), {
    steps: [
      { notify: [{ schedule: 'backend' }, { channel: 'Night watch' }] },
      { notify: [{ person: 'robert@acme.example' }] },
    ],
  });
  await send('PATCH', `${list}/backend`, {
    steps: steps.slice(1).map((one) => ({ ...one, notify: [{ schedule: 'backend' }] })),
  });
  t.equal((await send('DELETE', channelPath)).status, 204);
});

t.test('409: a policy that a rule names is not deleted', async (t) => {
  await put('named', { name: 'Named', steps: [{ notify: [{ schedule: 'backend' }], waitMinutes: 5 }] });
  await sql`
    insert into rules (id, page_id, slug, name, kind, target, condition, for_seconds, resolve_for_seconds, no_data,
      severity, policy, created_at, updated_at)
    select gen_random_uuid(), id, 'failing', 'x', 'failure-rate', '{}', '{}', 0, 0, 'ok', 'page', 'named', now(), now()
    from pages where slug = 'acme'`;
  const refused = await send('DELETE', `${list}/named`);
  t.match(refused, { status: 409, body: { error: /rule "failing" names this policy/ } });
  await sql`delete from rules`;
  t.equal((await send('DELETE', `${list}/named`)).status, 204);
});

t.test('people who may not be told are named; a deleted account leaves its step empty', async (t) => {
  const one = { notify: [{ person: 'robert@acme.example' }], waitMinutes: 5 };
  await put('people', { name: 'People', steps: [one] });
  await sql`delete from page_roles where user_id = ${team.bob.id}`;
  t.match(await read('people'), { steps: [one], withoutRole: ['robert@acme.example'] });
  const changed = await send('PATCH', `${list}/people`, { repeat: 1 });
  t.match(changed, { status: 200, body: { steps: [one], repeat: 1 } }, 'steps that are not sent stay');
  await sql`delete from users where id = ${team.bob.id}`;
  t.match(await read('people'), { steps: [{ notify: [], waitMinutes: 5 }], withoutRole: [] });
});

t.test('401, 403, 404: who may do what; another page changes nothing', async (t) => {
  const before = await read('backend');
  t.equal((await send('GET', `${list}/backend`, undefined, { key: null })).status, 401);
  for (const [method, body] of [
    ['PUT', policy],
    ['PATCH', { name: 'x' }],
    ['DELETE', undefined],
  ] as const) {
    const path = `${list}/backend`;
    t.equal((await send(method, path, body, { key: keys.read })).status, 403, method);
    t.equal((await send(method, path, body, { key: keys.other })).status, 404, method);
  }
  t.equal((await send('PATCH', '/other/policies/backend', { name: 'x' }, { key: keys.other })).status, 404);
  t.equal((await send('GET', `${list}/none`)).status, 404);
  t.strictSame(await read('backend'), before);
});
