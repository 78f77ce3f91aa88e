import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createConnection, deleteConnection } from '../../control/connections/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { minuteMs } from '../../lib/times.js';
import { testActor } from '../support/actor.js';
import { startObservationService } from '../support/observations.js';
import { makeKey, setPage } from '../support/pages.js';
import { waitUntil } from '../support/wait-until.js';

const { api, clock, deps, send, make, aDayLater, readAll, isRefused, logged } =
  await startObservationService(t);

t.test('400: not JSON, or not an object', async (t) => {
  for (const body of ['', '{', 'a=1', Uint8Array.of(0x22, 0xff, 0x22)]) {
    await isRefused(t, () => send(body), 400, /^The request body is not valid (JSON|UTF-8)\.$/);
  }
  for (const body of ['null', '[]', '7', '"x"'])
    await isRefused(t, () => send(body), 400, /^The body must be an object; /);
});

t.test('400: a missing or invalid field, named by its path', async (t) => {
  const good = make();
  const { sample, ...top } = good;
  const { result, measurements } = sample;
  const withResult = (fields: object) => ({
    ...top,
    sample: { ...sample, result: { ...result, ...fields } },
  });
  const withMeasured = (fields: object) => ({
    ...top,
    sample: { ...sample, measurements: { ...measurements, ...fields } },
  });
  const cases: [object, RegExp][] = [];
  for (const name of Object.keys(good)) cases.push([{ ...good, [name]: undefined }, new RegExp(name)]);
  for (const name of Object.keys(result)) cases.push([withResult({ [name]: undefined }), new RegExp(name)]);
  for (const name of Object.keys(measurements)) {
    const place = new RegExp(`^/sample/measurements/${name} `);
    cases.push([withMeasured({ [name]: undefined }), new RegExp(name)]);
    for (const bad of [-1, 1.5, '7', true, 2 ** 31, []]) cases.push([withMeasured({ [name]: bad }), place]);
  }
  for (const name of ['sourceId', 'environment', 'target']) {
    const place = new RegExp(`^/${name} `);
    for (const bad of ['', ' ', 'x'.repeat(121), 7, null, 'a\nb', 'a\u0000b'])
      cases.push([{ ...good, [name]: bad }, place]);
  }
  cases.push(
    ...[0, 2, '1', null].map((version): [object, RegExp] => [{ ...good, version }, /^\/version /]),
    ...['x', '', 7, null, `${randomUUID()}0`, randomUUID().replaceAll('-', '')].map(
      (observationId): [object, RegExp] => [{ ...good, observationId }, /^\/observationId /],
    ),
    [{ ...good, connectionId: 7 }, /^\/connectionId /],
    [{ ...top, sample: null }, /^\/sample /],
    ...['PostgreSQL', 'oracle', '', null].map((engine): [object, RegExp] => [
      withResult({ engine }),
      /\/engine /,
    ]),
    ...['', 'Two words', 'x'.repeat(41), 'a'.repeat(8) + 'b1'.repeat(16), null].map(
      (outcome): [object, RegExp] => [withResult({ outcome }), /^\/sample\/result\/outcome /],
    ),
    ...[-1, '3', null, 86_400_001].map((latencyMs): [object, RegExp] => [
      withResult({ latencyMs }),
      /\/latencyMs /,
    ]),
    ...['pg', [7], [''], Array(51).fill('x')].map((capabilities): [object, RegExp] => [
      withResult({ capabilities }),
      /^\/sample\/result\/capabilities/,
    ]),
    ...['yesterday', '2026-02-30T00:00:00Z', clock.now(), null, ''].map((checkedAt): [object, RegExp] => [
      withResult({ checkedAt }),
      /^\/sample\/result\/checkedAt /,
    ]),
  );
  const before = await readAll();
  for (const [body, error] of cases) {
    const answer = await send(body);
    t.equal(answer.status, 400, JSON.stringify(body).slice(0, 300));
    t.match(answer.body, { error });
  }
  t.equal((await send(JSON.stringify(good).replace('3.25', '1e400'))).status, 400);
  t.strictSame(await readAll(), before, 'nothing is stored');
});

t.test('400: the time of the sample is too far in the past or the future', async (t) => {
  const at = (ms: number) => make({ checkedAt: new Date(clock.now() + ms).toISOString() });
  const place = '/sample/result/checkedAt must be at most';
  await isRefused(t, () => send(at(-15 * minuteMs - 1)), 400, `${place} 900 s ago; it was the text "20`);
  await isRefused(t, () => send(at(31_000)), 400, `${place} 30 s ahead; it was the text "20`);
});

t.test('400: a text that looks like a secret is refused, not repeated, and not logged', async (t) => {
  const secrets = ['mongodb+srv://app:hunter2@db/', 'app:hunter2@db', 'password=hunter2', 'Pwd: hunter2'];
  for (const secret of secrets) {
    for (const name of ['sourceId', 'environment', 'target']) {
      const error = `/${name} looks like a secret; send a name that says nothing of how to connect.`;
      await isRefused(t, () => send({ ...make(), [name]: secret }), 400, error);
    }
    await isRefused(
      t,
      () => send(make({ capabilities: ['x', secret] })),
      400,
      /^\/sample\/result\/capabilities\/1 /,
    );
    for (const body of [
      make({ outcome: secret }),
      make({ connectionId: secret }),
      { ...make(), version: secret },
    ]) {
      const answer = await send(body);
      t.match(String(answer.status), /^40[04]$/);
      t.notMatch(JSON.stringify(answer.body), 'hunter2');
    }
  }
  t.notMatch(logged(), 'hunter2');
  t.match(logged(), /Request answered/);
});

t.test('401: no key, an unknown one, a malformed header', async (t) => {
  const refused = 'Invalid or revoked ingest key.';
  await isRefused(t, () => send(make(), { key: null }), 401, refused);
  await isRefused(t, () => send(make(), { key: `key_ingest_${'0'.repeat(43)}` }), 401, refused);
  const authorization = `Basic ${api.ingestKey}`;
  await isRefused(t, () => send(make(), { key: null, headers: { authorization } }), 401, refused);
});

t.test('403: a key of another scope', async (t) => {
  for (const key of [api.incidentKey, api.readKey]) {
    await isRefused(
      t,
      () => send(make(), { key }),
      403,
      /^This key has the scope (incident|read); this route needs the scope ingest\.$/,
    );
  }
});

t.test('403: the account has no database health; 404: the page has it switched off', async (t) => {
  const { key } = await makeKey(deps, { slug: 'other', scope: 'ingest' });
  const status = async (body: unknown) => (await send(body, { key })).status;
  t.equal(await status('{'), 400);
  await setPage(deps, { slug: 'other', databaseHealthEnabled: false });
  await waitUntil('the feature is off', async () => (await status('{')) === 404, 5_000);
  await isRefused(t, () => send(make(), { key }), 404, 'Database health is not enabled for this page.');
  await setPage(deps, { slug: 'other', capabilities: { 'database-health': false } });
  await waitUntil('the capability is gone', async () => (await status('{')) === 403, 5_000);
  const refused = 'This capability is not available for the account of this page.';
  await isRefused(t, () => send(make(), { key }), 403, refused);
  await setPage(deps, {
    slug: 'other',
    databaseHealthEnabled: true,
    capabilities: { 'database-health': true },
  });
  await waitUntil('all is back', async () => (await status('{')) === 400, 5_000);
});

t.test('404: a connection that is missing, of another page, of another engine, or deleted', async (t) => {
  aDayLater();
  const refused = 'The page has no connection with this id and engine.';
  const [pageId, other] = [await loadPageId(deps.sql, 'acme'), await loadPageId(deps.sql, 'other')];
  const foreign = await createConnection(
    { ...deps, by: testActor },
    { pageId: other, engine: 'postgresql', name: 'foreign' },
  );
  const mysql = await createConnection(
    { ...deps, by: testActor },
    { pageId, engine: 'mysql', name: 'mysql' },
  );
  const deleted = await createConnection(
    { ...deps, by: testActor },
    { pageId, engine: 'postgresql', name: 'deleted' },
  );
  const observation = make({ connectionId: deleted.id });
  t.equal((await send(observation)).status, 201);
  await deleteConnection({ ...deps, by: testActor }, { id: deleted.id });
  for (const connectionId of [foreign.id, mysql.id, deleted.id, randomUUID(), 'main', '']) {
    await isRefused(t, () => send(make({ connectionId })), 404, refused);
  }
  t.match((await send(observation)).body, { duplicate: true }, 'what was stored before stays acknowledged');
});

t.test('405: another method, with any key', async (t) => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
    const answer = await send(undefined, { key: null, method });
    t.equal(answer.status, 405, method);
    t.equal(answer.headers.get('allow'), 'POST');
  }
});

t.test('413: a body of more than 16 KiB, with any content', async (t) => {
  aDayLater();
  const padded = (bytes: number) => {
    const text = JSON.stringify({ ...make(), padding: '' });
    return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`);
  };
  t.equal((await send(padded(16 * 1024))).status, 201);
  await isRefused(t, () => send(padded(16 * 1024 + 1)), 413, 'The request body is too large.');
  await isRefused(t, () => send('x'.repeat(20_000)), 413, 'The request body is too large.');
});
