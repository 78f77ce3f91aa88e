import t from 'tap';
import { prunePublishKeys } from '../../../control/incidents/index.js';
import { loadKinds, makeMonitors, outage } from '../../support/incidents.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const clock = makeMovingClock();
const service = await startTestService(t, { roles: withoutJobs, clock });
const { sql } = service.stores;
const deps = { sql, clock };
const { write: manageKey, other: otherKey } = await makeManageKeys(deps);
await makeMonitors(sql, service.pageId, ['api', 'web']);
const incidents = '/api/v1/pages/acme/incidents';
const series = '/api/v1/pages/acme/maintenance-series';

type Body = { id: string; error?: string; hint?: string };
const send = async (path: string, body: object, publishKey?: string, key = manageKey) => {
  const headers = publishKey === undefined ? {} : { 'idempotency-key': publishKey };
  const answer = await service.post(path, body, { key, headers });
  return { status: answer.status, body: answer.body as Body, headers: answer.headers };
};
const countOf = async (table: string) => {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from ${sql(table)}`;
  return row?.count ?? 0;
};

t.test('an incident that is sent twice with one key is opened and announced once', async (t) => {
  const first = await send(incidents, outage, 'one-incident');
  t.equal(first.status, 201, JSON.stringify(first.body));
  const before = [await countOf('incidents'), await countOf('audit_log')];
  const again = await send(incidents, outage, 'one-incident');
  t.equal(again.status, 201);
  t.same(again.body, first.body);
  for (const name of ['location', 'etag']) t.equal(again.headers.get(name), first.headers.get(name), name);
  t.same([await countOf('incidents'), await countOf('audit_log')], before, 'nothing is written');
  t.same(await loadKinds(service, first.body.id), ['incident.created']);
  const other = await send(incidents, { ...outage, title: 'Another' }, 'one-incident');
  t.match(other, { status: 409, body: { code: 'incident.key_reused' } });
  t.match(other.body.error, /An earlier request with this Idempotency-Key has published something else/);
  t.same([await countOf('incidents'), await countOf('audit_log')], before, 'nothing is written');
  const next = await send(incidents, outage, 'another-incident');
  t.equal(next.status, 201);
  t.not(next.body.id, first.body.id);
});

t.test('two requests at once with one key make one incident', async (t) => {
  const before = await countOf('incidents');
  const answers = await Promise.all(Array.from({ length: 6 }, () => send(incidents, outage, 'at-once')));
  t.same(new Set(answers.map(({ status }) => status)), new Set([201]));
  t.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  t.equal(await countOf('incidents'), before + 1);
});

t.test('an update is added once, and answers as the first time', async (t) => {
  const { body: incident } = await send(incidents, outage);
  const updates = `${incidents}/${incident.id}/updates`;
  const update = { body: 'Over.', status: 'resolved' };
  const first = await send(updates, update, 'one-update');
  t.equal(first.status, 201, JSON.stringify(first.body));
  t.match(first.body, { resolvedIncident: true, notify: true });
  const again = await send(updates, update, 'one-update');
  t.same([again.status, again.body], [201, first.body]);
  t.equal(again.headers.get('location'), first.headers.get('location'));
  t.same(await loadKinds(service, incident.id), ['incident.created', 'incident.resolved']);
  t.equal((await send(updates, { body: 'Not yet.' }, 'one-update')).status, 409);
  const { body: second } = await send(incidents, outage);
  const elsewhere = await send(`${incidents}/${second.id}/updates`, update, 'one-update');
  t.equal(elsewhere.status, 409, 'the same update of another incident is another request');
});

t.test('a maintenance series is planned once', async (t) => {
  const startsAt = `${new Date(clock.now() + 3 * 86_400_000).toISOString().slice(0, 10)}T02:00`;
  const fields = {
    title: 'Updates',
    summary: 'We update.',
    startsAt,
    durationMinutes: 60,
    rule: 'FREQ=WEEKLY',
  };
  const first = await send(series, fields, 'one-series');
  t.equal(first.status, 201, JSON.stringify(first.body));
  const again = await send(series, fields, 'one-series');
  t.same([again.status, again.body], [201, first.body]);
  t.equal(await countOf('maintenance_series'), 1);
  t.equal((await send(series, { ...fields, durationMinutes: 90 }, 'one-series')).status, 409);
});

t.test('a request that was refused leaves its key free', async (t) => {
  t.equal((await send(incidents, { ...outage, monitorSlugs: ['nope'] }, 'refused')).status, 400);
  t.equal((await send(incidents, outage, 'refused')).status, 201);
});

t.test('a key is of one page', async (t) => {
  const first = await send(incidents, outage, 'shared');
  const other = await send(
    '/api/v1/pages/other/incidents',
    { ...outage, monitorSlugs: [] },
    'shared',
    otherKey,
  );
  t.equal(other.status, 201, JSON.stringify(other.body));
  t.not(other.body.id, first.body.id);
});

t.test('400: a key has 1 to 64 visible ASCII characters', async (t) => {
  t.equal((await send(incidents, outage, '~'.repeat(64))).status, 201);
  for (const key of ['', 'x'.repeat(65), 'a b', 'é']) {
    const { status, body } = await send(incidents, outage, key);
    t.equal(status, 400, key);
    t.match(body.error, /Idempotency-Key must have 1 to 64 visible ASCII characters/);
  }
});

t.test('a key is kept for a day at least, and two days at most', async (t) => {
  const first = await send(incidents, outage, 'kept');
  clock.advance(86_400_000);
  await prunePublishKeys(deps);
  t.equal((await send(incidents, outage, 'kept')).body.id, first.body.id);
  clock.advance(86_400_001);
  t.ok((await prunePublishKeys(deps)) > 0);
  t.equal(await countOf('publish_keys'), 0);
});

t.test('400: the translation of an update that is not there', async (t) => {
  await sql`update pages set languages = '{en,de}', default_language = 'en' where slug = 'acme'`;
  const { status, body } = await send(incidents, {
    ...outage,
    texts: { de: { body: 'Eine volle Platte.' } },
  });
  t.equal(status, 400);
  t.match(body.error, '/texts/de/body must come with /update, whose body it translates.');
});
