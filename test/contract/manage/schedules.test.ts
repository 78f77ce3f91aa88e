import t from 'tap';
import type { ManagedSchedule, ScheduleOverride } from '../../../contract/manage/schedules.js';
import { scheduleLimits } from '../../../contract/manage/schedules.js';
import { dayMs } from '../../../lib/times.js';
import { openManageClient } from '../../support/manage-client.js';
import { backend, makeTeam, tuesday, weeks } from '../../support/on-call.js';
import { startTestService, withoutJobs } from '../../support/service.js';

let now = tuesday;
const clock = { now: () => now };
const service = await startTestService(t, { roles: withoutJobs, clock });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);
const team = await makeTeam({ sql, clock }, { ada: 'owner', bob: 'responder', eve: 'viewer', kim: 'editor' });
const list = '/acme/schedules';
const put = (slug: string, body: object = backend, headers: Record<string, string> = {}) =>
  send('PUT', `${list}/${slug}`, body, { headers });
const read = async (slug: string) => (await send('GET', `${list}/${slug}`)).body as ManagedSchedule;
const rowsOf = async (slug: string) => [
  ...(await sql`
    select action, before, after from audit_log where target_type = 'schedule' and target_name = ${slug} order by id`),
];
const addOverride = (slug: string, body: object, options = {}) =>
  send('POST', `${list}/${slug}/overrides`, body, options);
const tomorrow = { from: '2026-12-02T08:00:00Z', to: '2026-12-03T08:00:00Z' };
t.afterEach(() => {
  now = tuesday;
});

t.test('201, 200: a schedule is put; the same again writes no row', async (t) => {
  const made = await put('backend');
  t.equal(made.status, 201);
  t.equal(made.headers.get('location'), '/api/v1/pages/acme/schedules/backend');
  t.match(made.body, {
    ...{ slug: 'backend', name: 'Backend', timeZone: 'Europe/Berlin', overrides: [], withoutRole: [] },
    ...{ gaps: 0, hasFeed: false, layers: [{ ...weeks, hours: null }] },
  });
  t.strictSame(await read('backend'), made.body);
  t.equal((await put('backend')).status, 200);
  const hours = [{ from: '22:00', to: '06:00', days: ['fri', 'mon'] }];
  const changed = await put('backend', {
    ...backend,
    layers: [{ ...weeks, people: ['KIM@acme.example'], hours }],
  });
  t.match(changed, {
    status: 200,
    body: { layers: [{ people: ['kim@acme.example'], hours: [{ days: ['mon', 'fri'] }] }] },
  });
  t.match(changed.body, { gaps: 9 }, 'before, between and after eight nights of four weeks');
  t.equal((await put('backend')).status, 200);
  t.match(await rowsOf('backend'), [
    {
      action: 'schedule.create',
      before: null,
      after: { slug: 'backend', layers: [{ people: weeks.people }] },
    },
    { action: 'schedule.update', after: { layers: [{ people: ['kim@acme.example'] }] } },
    { action: 'schedule.update', before: { layers: [{ people: ['kim@acme.example'] }] } },
  ]);
  t.equal((await rowsOf('backend')).length, 3);
});

t.test('200: PATCH changes what is there', async (t) => {
  const changed = await send('PATCH', `${list}/backend`, { name: 'Back end', timeZone: 'europe/berlin' });
  t.match(changed, { status: 200, body: { name: 'Back end', timeZone: 'Europe/Berlin', layers: [weeks] } });
  t.match((await rowsOf('backend')).at(-1), { before: { name: 'Backend' }, after: { name: 'Back end' } });
  const empty = await send('PATCH', `${list}/backend`, { layers: [] });
  t.match(empty, { status: 200, body: { layers: [], gaps: 1 } });
  await put('backend');
});

t.test('304, 412: tags hold, and time and overrides are no reason to refuse a change', async (t) => {
  const shown = await send('GET', `${list}/backend`);
  const tag = shown.headers.get('etag') ?? '';
  const same = await send('GET', `${list}/backend`, undefined, { headers: { 'if-none-match': tag } });
  t.equal(same.status, 304);
  await addOverride('backend', { person: 'kim@acme.example', ...tomorrow });
  now += dayMs;
  t.equal((await put('backend', { ...backend, name: 'Other' }, { 'if-match': tag })).status, 200);
  t.equal((await put('backend', backend, { 'if-match': tag })).status, 412);
  const stale = { headers: { 'if-match': tag } };
  t.equal((await send('PATCH', `${list}/backend`, { name: 'x' }, stale)).status, 412);
  t.equal((await send('DELETE', `${list}/backend`, undefined, stale)).status, 412);
  t.equal((await put('backend', backend, { 'if-none-match': '*' })).status, 412);
  t.equal((await put('fresh', backend, { 'if-match': '*' })).status, 412);
  t.equal((await read('backend')).name, 'Other');
  await put('backend');
});

t.test('200: who is on call, until when, and who is next', async (t) => {
  await put('now');
  const at = async (time?: string) =>
    (await send('GET', `${list}/now/on-call${time === undefined ? '' : `?at=${time}`}`)).body;
  const [ada, bob] = [
    { email: 'ada@acme.example', name: 'Ada' },
    { email: 'bob@acme.example', name: 'Bob' },
  ];
  t.strictSame(await at(), {
    ...{ slug: 'now', name: 'Backend', at: '2026-12-01T12:00:00.000Z' },
    now: { person: ada, until: '2026-12-07T08:00:00.000Z', layer: 'Weeks', override: null },
    next: { person: bob, from: '2026-12-07T08:00:00.000Z' },
  });
  t.match(await at('2026-12-07T08:00:00Z'), { now: { person: bob }, next: { person: ada } });
  t.match(await at('2027-03-29T06:59:59Z'), { now: { person: ada } }, 'the hour of Berlin stays in summer');
  t.match(await at('2027-03-29T07:00:00Z'), { now: { person: bob } });
  t.strictSame(await at('2026-11-30T07:59:59Z'), {
    ...{ slug: 'now', name: 'Backend', at: '2026-11-30T07:59:59.000Z', now: null },
    next: { person: ada, from: '2026-11-30T08:00:00.000Z' },
  });
  const { body } = await addOverride('now', { person: 'bob@acme.example', ...tomorrow });
  t.match(await at('2026-12-02T09:00:00Z'), {
    now: { person: bob, until: tomorrow.to.replace('Z', '.000Z'), layer: null, override: Object(body).id },
    next: { person: ada },
  });
  const alone = { ...weeks, people: ['kim@acme.example'] };
  await put('alone', { ...backend, layers: [alone] });
  t.match((await send('GET', `${list}/alone/on-call`)).body, { now: { until: null }, next: null });
  const all = await send('GET', '/acme/on-call?limit=2');
  t.match(all.body, { items: [{ slug: 'alone' }, { slug: 'backend' }], nextCursor: String });
  const rest = await send('GET', `/acme/on-call?cursor=${Object(all.body).nextCursor}`);
  t.match(rest.body, { items: [{ slug: 'now', now: { person: ada } }], nextCursor: null });
  for (const slug of ['now', 'alone']) t.equal((await send('DELETE', `${list}/${slug}`)).status, 204);
});

t.test('200: shifts of a range with their gaps; the last layer and overrides decide', async (t) => {
  const nights = {
    ...weeks,
    name: 'Nights',
    people: ['kim@acme.example'],
    hours: [{ from: '20:00', to: '08:00' }],
  };
  const days = { ...weeks, name: 'Days', hours: [{ from: '08:00', to: '16:00' }] };
  const late = {
    ...weeks,
    name: 'Late',
    people: ['bob@acme.example'],
    hours: [{ from: '15:00', to: '18:00' }],
  };
  await put('shifts', { ...backend, layers: [nights, days, late] });
  await addOverride('shifts', {
    ...{ person: 'kim@acme.example', from: '2026-12-02T11:00:00Z', to: '2026-12-02T12:00:00Z' },
  });
  const { status, body } = await send(
    'GET',
    `${list}/shifts/shifts?from=2026-12-02T05:00:00Z&to=2026-12-02T20:00:00Z`,
  );
  t.equal(status, 200);
  const rows = Object(body).shifts.map((shift: { from: string; person: { name: string }; layer: string }) =>
    [shift.from.slice(11, 16), shift.person?.name, shift.layer].join(' '),
  );
  t.strictSame(rows, [
    ...['05:00 Kim Nights', '07:00 Ada Days', '11:00 Kim ', '12:00 Ada Days', '14:00 Bob Late'],
    ...['17:00  ', '19:00 Kim Nights'],
  ]);
  t.match(body, { gaps: 1, timeZone: 'Europe/Berlin', to: '2026-12-02T20:00:00.000Z' });
  const usual = Object((await send('GET', `${list}/shifts/shifts`)).body);
  t.match(usual, { from: '2026-12-01T12:00:00.000Z', to: '2026-12-29T12:00:00.000Z', gaps: 28 });
  t.equal((await read('shifts')).gaps, 28);
  await send('DELETE', `${list}/shifts`);
});

t.test('400: ranges and times that cannot be', async (t) => {
  for (const [path, error] of [
    ['on-call?at=soon', /Parameter "at" must be a time/],
    ['shifts?from=2026-12-02&to=2026-12-01T00:00:00Z', /"from" must be before "to"/],
    ['shifts?to=2026-11-02', /"to" must be after "from", which is now/],
    ['shifts?from=2026-01-01&to=2027-03-01', /at most 400 days after "from"/],
    ['shifts?until=2026-01-01', /no parameter "until"/],
  ] as const) {
    t.match(await send('GET', `${list}/backend/${path}`), { status: 400, body: { error } }, path);
  }
  const hours = Array.from({ length: 14 }, (_, at) => {
    const hour = String(at).padStart(2, '0');
    return { from: `${hour}:00`, to: `${hour}:30` };
  });
  await put('many', { ...backend, layers: [{ ...weeks, handoff: '2026-01-01T00:00', hours }] });
  const many = await send('GET', `${list}/many/shifts?from=2026-02-01&to=2027-02-28`);
  t.match(many, { status: 400, body: { error: /has \d+ shifts, and an answer at most 5000/ } });
  await send('DELETE', `${list}/many`);
});

t.test('400: fields that cannot be, by their names', async (t) => {
  const layer = (fields: object) => ({ ...backend, layers: [{ ...weeks, ...fields }] });
  const many = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ ...weeks, name: `Layer ${at}` }));
  const sevenHours = Array.from({ length: 7 }, (_, at) => ({ from: `0${at}:00`, to: `0${at}:30` }));
  for (const [slug, body, error] of [
    ['No', backend, /slug "No" must have 1 to 60/],
    ['a--b', backend, /slug/],
    ['x'.repeat(61), backend, /slug/],
    ['x', { ...backend, name: ' ' }, /^\/name /],
    ['x', { ...backend, timeZone: 'Mars/Base' }, /^\/timeZone must be the name of a time zone/],
    ['x', { ...backend, timeZone: '+01:00' }, /^\/timeZone/],
    ['x', { ...backend, overrides: [] }, /no field \/overrides/],
    ['x', { ...backend, layers: many(11) }, /^\/layers /],
    ['x', { ...backend, layers: [weeks, weeks] }, /^\/layers\/1\/name must be another one/],
    [
      'x',
      { ...backend, layers: many(3).map((one) => ({ ...one, hours: sevenHours })) },
      /^\/layers must have at most 20 hours in all; they have 21/,
    ],
    ['x', layer({ people: [] }), /^\/layers\/0\/people /],
    ['x', layer({ people: Array(51).fill('ada@acme.example') }), /^\/layers\/0\/people /],
    [
      'x',
      layer({ people: ['ada@acme.example', 'zoe@acme.example'] }),
      /people\/1 must be .*"zoe@acme.example" has none/,
    ],
    ['x', layer({ handoff: '2026-02-30T09:00' }), /^\/layers\/0\/handoff must be a local time/],
    ['x', layer({ handoff: '2026-11-30T09:00Z' }), /^\/layers\/0\/handoff/],
    ['x', layer({ handoff: '1999-12-31T09:00' }), /^\/layers\/0\/handoff/],
    ['x', layer({ every: {} }), /^\/layers\/0\/every must have days or weeks/],
    ['x', layer({ every: { days: 1, weeks: 1 } }), /^\/layers\/0\/every/],
    ['x', layer({ every: { days: 0 } }), /every\/days/],
    ['x', layer({ every: { weeks: 53 } }), /every\/weeks/],
    ['x', layer({ hours: [] }), /hours/],
    ['x', layer({ hours: [{ from: '24:00', to: '10:00' }] }), /hours\/0\/from must be a time of day/],
    ['x', layer({ hours: [{ from: '9:00', to: '10:00' }] }), /hours\/0\/from/],
    ['x', layer({ hours: [{ from: '09:00', to: '24:01' }] }), /hours\/0\/to must be/],
    ['x', layer({ hours: [{ from: '09:00', to: '09:00' }] }), /hours\/0\/to must differ/],
    ['x', layer({ hours: [{ from: '09:00', to: '10:00', days: ['sunday'] }] }), /days/],
  ] as const) {
    t.match(await put(slug, body), { status: 400, body: { error } }, JSON.stringify(body).slice(0, 200));
  }
  t.equal((await sql`select 1 from schedules where slug = 'x'`).count, 0);
});

t.test('201, 204: overrides come and go, each with a row', async (t) => {
  await put('over');
  const made = await addOverride('over', { person: 'Eve@acme.example', ...tomorrow });
  const { id } = made.body as ScheduleOverride;
  t.match(made, { status: 201, body: { person: { name: 'Eve' }, from: '2026-12-02T08:00:00.000Z' } });
  t.equal(made.headers.get('location'), `/api/v1/pages/acme/schedules/over/overrides/${id}`);
  const newer = await addOverride('over', {
    person: 'bob@acme.example',
    ...tomorrow,
    from: '2026-12-02T09:00:00+01:00',
  });
  t.match(newer, { status: 201, body: { from: '2026-12-02T08:00:00.000Z' } });
  t.match(await read('over'), { overrides: [{ person: { name: 'Eve' } }, { person: { name: 'Bob' } }] });
  const at = '?at=2026-12-02T09:00:00Z';
  t.match((await send('GET', `${list}/over/on-call${at}`)).body, { now: { person: { name: 'Bob' } } });
  const path = `${list}/over/overrides/${Object(newer.body).id}`;
  t.equal((await send('DELETE', path)).status, 204);
  t.equal((await send('DELETE', path)).status, 404);
  t.match((await send('GET', `${list}/over/on-call${at}`)).body, { now: { person: { name: 'Eve' } } });
  t.match(await rowsOf('over'), [
    { action: 'schedule.create' },
    { action: 'schedule.override', before: null, after: { override: id, person: 'eve@acme.example' } },
    { action: 'schedule.override', before: null, after: { person: 'bob@acme.example' } },
    { action: 'schedule.override', before: { person: 'bob@acme.example' }, after: null },
  ]);
  t.equal((await put('over', { ...backend, name: 'New' })).status, 200);
  t.equal((await read('over')).overrides.length, 1, 'they outlive the layers');
  now = Date.parse(tomorrow.to);
  t.equal((await send('DELETE', `${list}/over/overrides/${id}`)).status, 404, 'it has ended');
  t.strictSame((await read('over')).overrides, []);
});

t.test('400, 404: overrides that cannot be', async (t) => {
  for (const [body, error] of [
    [{ person: 'zoe@acme.example', ...tomorrow }, /^\/person must be .*"zoe@acme.example" has none/],
    [{ person: 'ada@acme.example', from: 'soon', to: tomorrow.to }, /\/from/],
    [{ person: 'ada@acme.example', from: tomorrow.to, to: tomorrow.from }, /^\/to must be after \/from/],
    [
      { person: 'ada@acme.example', from: '2026-11-01T00:00:00Z', to: '2026-12-01T12:00:00Z' },
      /^\/to must be still to come/,
    ],
    [
      { person: 'ada@acme.example', from: tomorrow.from, to: '2028-06-01T00:00:00Z' },
      /^\/to must be at most 400 days/,
    ],
    [
      { person: 'ada@acme.example', from: '2028-06-01T00:00:00Z', to: '2028-06-02T00:00:00Z' },
      /^\/from must be at most 400/,
    ],
  ] as const) {
    t.match(await addOverride('over', body), { status: 400, body: { error } }, JSON.stringify(body));
  }
  t.equal((await addOverride('none', { person: 'ada@acme.example', ...tomorrow })).status, 404);
  t.equal((await send('DELETE', `${list}/over/overrides/none`)).status, 404);
});

t.test('409: limits of schedules and overrides, and a schedule that a policy tells', async (t) => {
  await sql`delete from schedule_overrides`;
  await sql`
    insert into schedule_overrides (id, schedule_id, page_id, user_id, starts_at, ends_at)
    select gen_random_uuid(), s.id, s.page_id, ${team.ada.id}, ${new Date(now - 500 * dayMs)},
      case when n = 1 then ${new Date(now - 401 * dayMs)}::timestamptz else ${new Date(now - dayMs)}::timestamptz end
    from schedules s, generate_series(1, ${scheduleLimits.overrides}) n where s.slug = 'over'`;
  const body = { person: 'ada@acme.example', ...tomorrow };
  t.equal((await addOverride('over', body)).status, 201, 'one that ended long ago makes room');
  t.match(await addOverride('over', body), {
    status: 409,
    body: { error: /1000 overrides, which is the most/ },
  });
  const policy = { name: 'x', steps: [{ notify: [{ schedule: 'over' }], waitMinutes: 5 }] };
  t.equal((await send('PUT', '/acme/policies/wakes', policy)).status, 201);
  t.match(await send('DELETE', `${list}/over`), {
    status: 409,
    body: { error: /policy "wakes" tells this schedule/ },
  });
  t.equal((await read('over')).slug, 'over');
  await send('DELETE', '/acme/policies/wakes');
  t.equal((await send('DELETE', `${list}/over`)).status, 204);
  t.equal((await send('DELETE', `${list}/over`)).status, 404);
  t.match((await rowsOf('over')).at(-1), { action: 'schedule.delete', after: null });
  await sql`
    insert into schedules (id, page_id, slug, name, time_zone, created_at)
    select gen_random_uuid(), id, 'filler-' || n, 'x', 'UTC', now()
    from pages, generate_series(1, ${scheduleLimits.schedules - 1}) n where slug = 'acme'`;
  t.match(await put('one-more'), { status: 409, body: { error: /50 schedules, which is the most/ } });
  await sql`delete from schedules where slug like 'filler-%'`;
});

t.test('a person who may not be told keeps the turn, which counts as not covered', async (t) => {
  const below = {
    ...weeks,
    name: 'Below',
    people: ['kim@acme.example'],
    hours: [{ from: '00:00', to: '12:00' }],
  };
  await put('roles', { ...backend, layers: [below, weeks] });
  await addOverride('roles', { person: 'ada@acme.example', ...tomorrow });
  const onCall = async (at: string) =>
    Object((await send('GET', `${list}/roles/on-call?at=${at}`)).body).now?.person.name ?? null;
  const seen = async () =>
    Promise.all(
      ['2026-12-01T09:00:00Z', '2026-12-01T15:00:00Z', '2026-12-02T15:00:00Z', '2026-12-08T15:00:00Z'].map(
        onCall,
      ),
    );
  t.strictSame(await seen(), ['Ada', 'Ada', 'Ada', 'Bob']);
  const shown = await send('GET', `${list}/roles`);
  await sql`update users set disabled_at = now() where id = ${team.ada.id}`;
  t.strictSame(await seen(), ['Kim', null, null, 'Bob']);
  t.match(await read('roles'), { withoutRole: ['ada@acme.example'], layers: [{}, { people: weeks.people }] });
  t.ok((await read('roles')).gaps > 0);
  await sql`update users set disabled_at = null where id = ${team.ada.id}`;
  await sql`delete from page_roles where user_id = ${team.ada.id}`;
  t.strictSame(await seen(), ['Kim', null, null, 'Bob']);
  const ifMatch = { 'if-match': shown.headers.get('etag') ?? '' };
  const renamed = await send('PATCH', `${list}/roles`, { name: 'Still' }, { headers: ifMatch });
  t.match(renamed, { status: 200, body: { name: 'Still' } }, 'what does not name the person still changes');
  t.match(await put('roles'), { status: 400, body: { error: /people\/0 .*"ada@acme.example" has none/ } });
  await sql`delete from users where id = ${team.ada.id}`;
  t.strictSame(await seen(), ['Kim', null, null, 'Bob'], 'the turns of the others do not move');
  t.match(await read('roles'), {
    ...{ withoutRole: [], overrides: [], layers: [{}, { people: [null, 'bob@acme.example'] }] },
  });
});

t.test('401, 403, 404: who may do what; another page changes nothing', async (t) => {
  const before = await read('roles');
  const body = { person: 'bob@acme.example', ...tomorrow };
  const asPerson = (headers: Record<string, string>) => ({ key: null, headers });
  t.equal((await send('GET', `${list}/roles`, undefined, { key: null })).status, 401);
  t.equal((await send('GET', `${list}/roles`, undefined, { key: keys.read })).status, 200);
  t.equal((await send('GET', '/acme/on-call', undefined, asPerson({ ...team.eve.headers }))).status, 200);
  for (const [method, path, sent] of [
    ['PUT', '/roles', backend],
    ['PATCH', '/roles', { name: 'x' }],
    ['DELETE', '/roles', undefined],
    ['POST', '/roles/overrides', body],
    ['POST', '/roles/feed', undefined],
    ['DELETE', '/roles/feed', undefined],
  ] as const) {
    t.equal(
      (await send(method, `${list}${path}`, sent, { key: keys.read })).status,
      403,
      `${method} ${path}`,
    );
    t.equal(
      (await send(method, `${list}${path}`, sent, { key: keys.other })).status,
      404,
      `${method} ${path}`,
    );
    const there = await send(method, `/other/schedules${path}`, sent, { key: keys.other });
    t.ok([400, 404].includes(there.status), `${method} ${path} of another page: ${there.status}`);
  }
  t.strictSame(await read('roles'), before);
  t.equal(
    (await send('PATCH', `${list}/roles`, { name: 'x' }, asPerson({ ...team.bob.headers }))).status,
    403,
  );
  t.equal((await addOverride('roles', body, asPerson({ ...team.eve.headers }))).status, 403);
  const added = await addOverride('roles', body, asPerson({ ...team.bob.headers }));
  t.equal(added.status, 201, 'a responder takes over');
  const path = `${list}/roles/overrides/${Object(added.body).id}`;
  t.equal((await send('DELETE', path, undefined, { key: keys.other })).status, 404);
  t.equal((await send('DELETE', path, undefined, asPerson({ ...team.bob.headers }))).status, 204);
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const sent = method === 'PATCH' ? { name: 'x' } : undefined;
    t.match(await send(method, `${list}/none`, sent), {
      status: 404,
      body: { error: /no schedule with the slug "none"/ },
    });
  }
});
