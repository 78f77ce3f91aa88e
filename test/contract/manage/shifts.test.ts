import t from 'tap';
import { openManageClient } from '../../support/manage-client.js';
import { backend, makeTeam, tuesday, weeks } from '../../support/on-call.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const clock = { now: () => tuesday };
const service = await startTestService(t, { roles: withoutJobs, clock });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);
const team = await makeTeam({ sql, clock }, { ada: 'owner', bob: 'responder', eve: 'viewer', kim: 'editor' });
const list = '/acme/schedules';
const nights = {
  ...weeks,
  ...{ name: 'Nights', people: ['kim@acme.example'], hours: [{ from: '20:00', to: '08:00' }] },
};
const layers = [weeks, nights];
const night = 'from=2026-12-02T12:00:00Z&to=2026-12-03T12:00:00Z';
const as = (headers: object) => ({ key: null, headers: { ...headers } });
const covers = [
  {
    name: 'Weeks',
    covers: [{ from: '2026-12-02T12:00:00.000Z', to: '2026-12-03T12:00:00.000Z', person: { name: 'Ada' } }],
  },
  {
    name: 'Nights',
    covers: [{ from: '2026-12-02T19:00:00.000Z', to: '2026-12-03T07:00:00.000Z', person: { name: 'Kim' } }],
  },
];
const shifts = [
  { layer: 'Weeks', person: { name: 'Ada' } },
  { layer: 'Nights', person: { name: 'Kim' } },
  { layer: 'Weeks', person: { name: 'Ada' } },
];

t.test('200: what each layer covers by itself, when it is asked for', async (t) => {
  t.equal((await send('PUT', `${list}/backend`, { ...backend, layers })).status, 201);
  const shown = await send('GET', `${list}/backend/shifts?${night}&with=layers`);
  t.match(shown, { status: 200, body: { layers: covers, shifts, gaps: 0 } });
  const usual = await send('GET', `${list}/backend/shifts?${night}`);
  t.notOk('layers' in Object(usual.body));
  t.match(await send('GET', `${list}/backend/shifts?with=all`), {
    status: 400,
    body: { error: 'Parameter "with" must be layers.' },
  });
});

t.test('200: the shifts of a schedule that is not saved; nothing is stored', async (t) => {
  const before = (await send('GET', '/acme/schedules')).body;
  const preview = (body: object, query = night, options = {}) =>
    send('POST', `${list}/preview?${query}`, body, options);
  const draft = { timeZone: 'Europe/Berlin', layers };
  t.match(await preview(draft), { status: 200, body: { timeZone: 'Europe/Berlin', layers: covers, shifts } });
  const stranger = { ...weeks, people: ['nobody@acme.example', 'ada@acme.example'] };
  t.match(
    await preview({ ...draft, layers: [stranger] }),
    { status: 200, body: { gaps: 1, shifts: [{ person: null }] } },
    'somebody without a role covers nothing',
  );
  t.match(await preview({ ...draft, timeZone: 'Mars' }), { status: 400, body: { field: '/timeZone' } });
  t.match(await preview({ ...draft, layers: [weeks, weeks] }), {
    status: 400,
    body: { field: '/layers/1/name' },
  });
  t.match(await preview(draft, 'from=2026-12-02&to=2027-01-02'), {
    status: 400,
    body: { error: /at most 28 days after "from"/ },
  });
  for (const [status, options] of [
    [401, { key: null }],
    [403, { key: keys.read }],
    [403, as(team.bob.headers)],
    [404, { key: keys.other }],
  ] as const) {
    t.equal((await preview(draft, night, options)).status, status);
  }
  t.strictSame((await send('GET', '/acme/schedules')).body, before);
});

t.test('200: the people who can be put on call, for those who may do that', async (t) => {
  const people = '/acme/on-call/people';
  const all = [
    { email: 'ada@acme.example', name: 'Ada' },
    { email: 'bob@acme.example', name: 'Bob' },
    { email: 'eve@acme.example', name: 'Eve' },
    { email: 'kim@acme.example', name: 'Kim' },
  ];
  const answer = await send('GET', people, undefined, as(team.bob.headers));
  t.match(answer, { status: 200, body: { nextCursor: null } });
  t.strictSame(Object(answer.body).items, all);
  const part = Object((await send('GET', `${people}?limit=3`)).body);
  t.strictSame(part.items, all.slice(0, 3));
  t.strictSame(Object((await send('GET', `${people}?cursor=${part.nextCursor}`)).body).items, all.slice(3));
  await sql`update users set disabled_at = now() where id = ${team.eve.id}`;
  t.strictSame(
    Object((await send('GET', people)).body).items,
    all.filter(({ name }) => name !== 'Eve'),
  );
  for (const [status, options] of [
    [401, { key: null }],
    [403, { key: keys.read }],
    [404, { key: keys.other }],
  ] as const) {
    t.equal((await send('GET', people, undefined, options)).status, status);
  }
});
