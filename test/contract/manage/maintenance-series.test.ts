import t from 'tap';
import type {
  ListedOccurrence,
  MaintenanceSeries,
  SeriesOccurrence,
} from '../../../contract/manage/incidents/maintenance-series.js';
import { planMaintenance } from '../../../control/maintenance-series/index.js';
import { captureLog } from '../../support/capture-log.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const clock = makeMovingClock();
const dayMs = 86_400_000;
const service = await startTestService(t, { roles: withoutJobs, clock });
const { sql } = service.stores;
const deps = { sql, clock };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const keys = await makeManageKeys(deps);
const key = bearer(keys.write);
const otherKey = bearer(keys.other);
const { headers: responder } = await signInAs(deps, { slug: 'acme', role: 'responder' });
const { headers: viewer } = await signInAs(deps, { slug: 'acme', role: 'viewer' });
await sql`
  update pages set languages = '{en,de}', default_language = 'en', time_zone = 'Europe/Berlin' where slug = 'acme'`;

type Answer = MaintenanceSeries & {
  error?: string;
  items?: (MaintenanceSeries & ListedOccurrence)[];
  nextCursor?: string | null;
  endsNever?: boolean;
};
const list = '/api/v1/pages/acme/maintenance-series';
const send = async (method: string, path: string, headers: object = key, sent?: unknown) => {
  const answer = await service.post(path, sent, { method, key: null, headers: { ...headers } });
  return { status: answer.status, body: answer.body as Answer, got: answer.headers };
};
/** A wall time in Berlin, so many days ahead. */
const wall = (days: number) => `${new Date(clock.now() + days * dayMs).toISOString().slice(0, 10)}T02:00`;
const fieldsOf = (more: object = {}) => ({
  ...{ title: 'Updates', summary: 'We *update*.', startsAt: wall(3), durationMinutes: 60 },
  ...{ rule: 'FREQ=DAILY;INTERVAL=7', ...more },
});
const make = async (more: object = {}) => {
  const made = await send('POST', list, key, fieldsOf(more));
  t.equal(made.status, 201, JSON.stringify(made.body));
  return { ...made.body, path: `${list}/${made.body.id}` };
};
const { log } = captureLog();
const plan = () => planMaintenance({ sql, clock, log });
const read = async (path: string) => (await send('GET', path)).body;
const incidentOf = async ({ incidentId }: Partial<SeriesOccurrence> = {}) => {
  const [row] = await sql`
    select title, started_at, type, announced_state from incidents where id = ${incidentId ?? null}`;
  return row;
};

t.test('201: a series keeps the hour of the zone of its page, and is published by the job', async (t) => {
  const made = await send('POST', list, responder, fieldsOf({ texts: { de: { title: 'Neuerungen' } } }));
  t.equal(made.status, 201);
  t.equal(made.got.get('location'), `${list}/${made.body.id}`);
  t.match(made.body, { timeZone: 'Europe/Berlin', noticeDays: 7, revision: 1, monitorSlugs: [] });
  t.equal(made.body.occurrences.length, 10);
  for (const { startsAt, incidentId } of made.body.occurrences) {
    const shown = new Date(startsAt).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' });
    t.strictSame([shown, incidentId], ['02:00:00', null]);
  }
  await plan();
  await plan();
  const { occurrences } = await read(`${list}/${made.body.id}`);
  t.equal(occurrences.filter(({ incidentId }) => incidentId !== null).length, 1);
  const [first] = occurrences;
  t.match(await incidentOf(first), {
    title: 'Updates',
    type: 'maintenance',
    announced_state: 'scheduled',
  });
  const texts = await sql`select text from translations where by_person`;
  t.ok(texts.some(({ text }) => text === 'Neuerungen'));
  t.equal((await send('DELETE', `${list}/${made.body.id}?published=delete`)).status, 204);
  t.equal(await incidentOf(first), undefined);
});

t.test('what was deleted or skipped stays so; what was taken back is published', async (t) => {
  const series = await make({ noticeDays: 20 });
  await plan();
  const [first, second, third, fourth] = (await read(series.path)).occurrences;
  t.ok(first?.incidentId && second?.incidentId && third?.incidentId);
  t.equal(fourth?.incidentId, null);
  const skip = `${series.path}/skips/${fourth?.startsAt}`;
  const stale = { ...key, 'if-match': (await send('GET', series.path)).got.get('etag') };
  t.equal((await send('PUT', skip, stale)).body.revision, 2);
  t.equal((await send('PUT', skip, stale)).status, 412);
  t.equal((await send('DELETE', skip, stale)).status, 412);
  t.equal((await send('PUT', skip)).status, 200);
  t.equal((await send('PUT', `${series.path}/skips/${first?.startsAt}`)).status, 409);
  t.equal((await send('PUT', `${series.path}/skips/2026-01-01T00:00:00Z`)).status, 404);
  t.equal((await send('PUT', `${series.path}/skips/tomorrow`)).status, 404);
  t.equal((await send('DELETE', `/api/v1/pages/acme/incidents/${second?.incidentId}`)).status, 204);
  clock.advance(5 * dayMs);
  await plan();
  const later = (await read(series.path)).occurrences;
  const states = later.slice(0, 3).map(({ isSkipped, incidentId }) => [isSkipped, incidentId !== null]);
  t.strictSame(states, [
    [true, false],
    [false, true],
    [true, false],
  ]);
  t.equal((await send('DELETE', skip)).status, 204);
  t.equal((await send('DELETE', skip)).status, 404);
  await plan();
  t.ok((await read(series.path)).occurrences[2]?.incidentId);
  const actions = await sql`
    select actor_type, before, after from audit_log where target_id = ${series.id} order by id`;
  t.equal(actions.length, 3, 'the same skip again writes nothing');
  await send('DELETE', `${series.path}?published=delete`);
});

t.test('200: a change moves what is published, but not what somebody has edited', async (t) => {
  const series = await make({ noticeDays: 20 });
  await plan();
  const before = (await read(series.path)).occurrences;
  const [first, second, third] = before;
  const edited = `/api/v1/pages/acme/incidents/${second?.incidentId}`;
  t.equal((await send('PATCH', edited, key, { title: 'By hand' })).status, 200);
  const tag = (await send('GET', series.path)).got.get('etag');
  const change = { title: 'Later', startsAt: series.startsAt.replace('T02:00', 'T04:30') };
  const changed = await send('PATCH', series.path, { ...key, 'if-match': tag }, change);
  t.equal(changed.status, 200);
  t.match(changed.body, { ...change, revision: 2 });
  t.equal((await send('PATCH', series.path, { ...key, 'if-match': tag }, { noticeDays: 3 })).status, 412);
  t.equal((await send('DELETE', series.path, { ...key, 'if-match': tag })).status, 412);
  await plan();
  const after = changed.body.occurrences;
  t.strictSame(
    after.slice(0, 3).map(({ incidentId }) => incidentId),
    [first, second, third].map((one) => one?.incidentId),
  );
  t.match(await incidentOf(after[0]), {
    title: 'Later',
    started_at: new Date(after[0]?.startsAt ?? 0),
  });
  t.match(await incidentOf(after[1]), { title: 'By hand', started_at: new Date(second?.startsAt ?? 0) });
  const same = await send('PATCH', series.path, key, change);
  t.equal(same.body.revision, 2, 'the same again changes nothing');
  t.equal((await send('PATCH', series.path, key, { rule: 'FREQ=DAILY;COUNT=1' })).status, 200);
  t.equal(await incidentOf(after[2]), undefined, 'the new rule has no place for it');
  t.ok(await incidentOf(after[1]));
  await send('DELETE', `${series.path}?published=delete`);
});

t.test('200: what is not sent stays as it is stored, also a title and texts that are no lines', async (t) => {
  const series = await make({ texts: { de: { title: 'Neuerungen' } } });
  const stored = { title: 'a\u202eb\nc', texts: { de: { title: 'x\u2028y\nz' } } };
  await sql`update maintenance_series set title = ${stored.title}, texts = ${sql.json(stored.texts)} where id = ${series.id}`;
  const answers = [];
  for (const change of [{ noticeDays: 3 }, { durationMinutes: 90 }, { summary: 'We *mend*.' }]) {
    const { status, body } = await send('PATCH', series.path, key, change);
    answers.push([status, body.title, body.texts]);
  }
  t.strictSame(answers, Array(3).fill([200, stored.title, stored.texts]));
  t.equal((await send('PATCH', series.path, key, { title: 'a\nc' })).status, 400);
  await send('DELETE', `${series.path}?published=delete`);
});

t.test('the list is in parts, and occurrences of a range are by their starts', async (t) => {
  const [one, two] = [await make(), await make({ startsAt: wall(4), title: 'Second' })];
  const { body } = await send('GET', `${list}?limit=1`, viewer);
  t.equal(body.items?.[0]?.id, one.id);
  const rest = await send('GET', `${list}?limit=1&cursor=${body.nextCursor}`);
  t.strictSame([rest.body.items?.[0]?.id, rest.body.nextCursor], [two.id, null]);
  const range = `from=${wall(0)}:00Z&to=${wall(30)}:00Z`;
  const found = await send('GET', `/api/v1/pages/acme/maintenance-occurrences?${range}`, viewer);
  t.equal(found.body.items?.length, 8);
  t.strictSame(
    found.body.items?.slice(0, 2).map(({ seriesId, title }) => [seriesId, title]),
    [
      [one.id, 'Updates'],
      [two.id, 'Second'],
    ],
  );
  t.equal((await send('GET', '/api/v1/pages/acme/maintenance-occurrences')).status, 200);
  for (const wrong of ['from=2026-01-01&to=2026-06-01', 'from=x&to=2026-01-01']) {
    t.equal((await send('GET', `/api/v1/pages/acme/maintenance-occurrences?${wrong}`)).status, 400, wrong);
  }
  await send('DELETE', one.path);
  await send('DELETE', two.path);
  t.equal((await send('DELETE', two.path)).status, 404);
  t.equal((await send('GET', two.path)).status, 404);
});

t.test('400: what does not fit is named', async (t) => {
  const wrong: [object, RegExp, string?][] = [
    [{ title: ' ' }, /\/title/],
    [{ startsAt: '2026-02-30T02:00' }, /\/startsAt/],
    [{ startsAt: '2026-03-29T02:30' }, /\/startsAt .*Europe\/Berlin/],
    [{ startsAt: '2026-03-29' }, /\/startsAt/],
    [{ timeZone: '+01:00' }, /\/timeZone/],
    [{ startsAt: '2000-01-01T02:00' }, /\/startsAt/],
    [
      { rule: 'FREQ=YEARLY;BYMONTHDAY=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15;BYDAY=MO,TU,WE,TH,FR,SA,SU' },
      /\/rule .*105/,
    ],
    [{ title: 'Same', summary: 'Same', texts: { de: { title: 'a', summary: 'b' } } }, /\/texts .*same/],
    [{ durationMinutes: 0 }, /\/durationMinutes/],
    [{ durationMinutes: 8 * 1_440 }, /\/durationMinutes .*ends before/, 'maintenance.overlaps'],
    [{ rule: 'FREQ=HOURLY' }, /\/rule .*DAILY/],
    [{ rule: 'FREQ=DAILY;BYHOUR=1' }, /\/rule/],
    [{ rule: 'FREQ=DAILY;FREQ=WEEKLY' }, /\/rule/],
    [{ rule: 'BYDAY=SU' }, /\/rule .*FREQ/],
    [{ rule: 'FREQ=WEEKLY;BYDAY=XX' }, /\/rule .*BYDAY/],
    [{ rule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, /\/rule .*none/],
    [{ rule: 'FREQ=DAILY;UNTIL=20200101T000000Z' }, /\/rule .*none/],
    [{ rule: 'FREQ=DAILY;UNTIL=20300101' }, /\/rule .*UNTIL|UTC/],
    [{ rule: 'FREQ=DAILY;COUNT=2;UNTIL=20300101T000000Z' }, /\/rule/],
    [{ rule: 'FREQ=DAILY;COUNT=0' }, /\/rule/],
    [{ monitorSlugs: ['none'] }, /\/monitorSlugs .*none/],
    [{ texts: { fr: { title: 'a' } } }, /\/texts/],
    [{ noticeDays: 91 }, /\/noticeDays/],
    [{ unknown: 1 }, /unknown/],
  ];
  for (const [fields, expected, code = 'body.invalid'] of wrong) {
    const { status, body } = await send('POST', list, key, fieldsOf(fields));
    t.equal(status, 400, JSON.stringify([fields, body]));
    t.match(body, { error: expected, code });
  }
});

t.test('a preview stores nothing', async (t) => {
  const { startsAt, durationMinutes } = fieldsOf();
  const sent = { startsAt, durationMinutes, rule: 'FREQ=WEEKLY;COUNT=3' };
  const { status, body } = await send('POST', `${list}/preview`, responder, sent);
  t.strictSame([status, body.occurrences.length, body.endsNever], [200, 3, false]);
  const never = await send('POST', `${list}/preview`, key, { ...sent, rule: 'FREQ=WEEKLY' });
  t.strictSame([never.body.occurrences.length, never.body.endsNever], [20, true]);
  t.equal((await send('POST', `${list}/preview`, key, { ...sent, rule: 'X' })).status, 400);
  t.equal((await send('POST', `${list}/preview`, viewer, sent)).status, 403);
  t.strictSame((await read(list)).items, []);
});

t.test('401, 403 and 404: only those who may write, and only on their page', async (t) => {
  const series = await make();
  t.equal((await send('POST', list, viewer, fieldsOf())).status, 403);
  for (const [method, path] of [
    ['PATCH', series.path],
    ['DELETE', series.path],
    ['PUT', `${series.path}/skips/${series.occurrences[0]?.startsAt}`],
  ] as const) {
    const body = method === 'PATCH' ? { noticeDays: 2 } : undefined;
    t.equal((await send(method, path, viewer, body)).status, 403, method);
    t.equal((await send(method, path, otherKey, body)).status, 404, method);
    t.equal((await send(method, path.replace('/acme/', '/other/'), otherKey, body)).status, 404, method);
  }
  t.equal((await send('GET', series.path, otherKey)).status, 404);
  t.equal((await send('GET', list, {})).status, 401);
  await send('DELETE', series.path);
});

t.test('409: a page has 20 series', async (t) => {
  for (let i = 0; i < 20; i += 1) await make();
  t.equal((await send('POST', list, key, fieldsOf())).status, 409);
});
