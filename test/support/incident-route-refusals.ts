import type { Test } from 'tap';
import { systemClock } from '../../lib/clock.js';
import { makeIncidentKey } from './incidents.js';
import { setPage } from './pages.js';
import type { Answer, PostOptions, TestService } from './service.js';
import { waitUntil } from './wait-until.js';

type Send = (body: unknown, options: PostOptions) => Promise<Answer>;

/**
 * The refusals that the routes of the Incident API share, one subtest each. `good` is a valid body.
 * `others` are methods that the path does not have. The last subtest checks that the store is unchanged.
 */
export async function testIncidentRefusals(
  t: Test,
  api: TestService,
  route: { send: Send; good: object; allow: string; others: readonly string[] },
): Promise<void> {
  const { send, good } = route;
  let before: unknown;
  const isRefusal = (t: Test, answer: Answer, status: number, error: string) => {
    t.equal(answer.status, status, error);
    const { hint, code, field, ...body } = answer.body as { hint?: string; code?: string; field?: string };
    t.strictSame(body, { error });
    t.type(code, 'string');
    t.ok(field === undefined || error.startsWith(field));
    if ([401, 403, 405].includes(status)) t.match(hint, /\.$/);
    t.match(answer.headers.get('content-type'), /^application\/json/);
  };

  await t.test('400: the body is not a JSON object', async (t) => {
    before = await readAll(api); // Not earlier, because the subtests above must have ended.
    const key = await makeIncidentKey(api);
    for (const body of ['', '{', 'title=1']) {
      isRefusal(t, await send(body, { key }), 400, 'The request body is not valid JSON.');
    }
    for (const body of ['[]', 'null', '7', '"x"']) t.equal((await send(body, { key })).status, 400, body);
  });

  await t.test('401: no key, an unknown one, a malformed header', async (t) => {
    const refused = 'Invalid or revoked API key.';
    isRefusal(t, await send(good, { key: null }), 401, refused);
    isRefusal(t, await send(good, { key: `key_live_${'0'.repeat(43)}` }), 401, refused);
    for (const authorization of ['Bearer', api.incidentKey, `Basic ${api.incidentKey}`]) {
      isRefusal(t, await send(good, { key: null, headers: { authorization } }), 401, refused);
    }
  });

  await t.test('403: a key of another scope', async (t) => {
    for (const [scope, key] of [
      ['ingest', api.ingestKey],
      ['read', api.readKey],
    ] as const) {
      const error = `This key has the scope ${scope}; this route needs the scope incident.`;
      isRefusal(t, await send(good, { key }), 403, error);
    }
    const statuses = new Set<number>();
    for (let i = 0; i < 61; i += 1) statuses.add((await send('{', { key: api.readKey })).status);
    t.same([...statuses], [403], 'however often it asks');
  });

  await t.test('403: the account may not write incidents', async (t) => {
    const key = await makeIncidentKey(api);
    const set = (on: boolean) =>
      setPage(
        { sql: api.stores.sql, clock: systemClock },
        { slug: 'acme', capabilities: { 'incident-writes': on } },
      );
    await set(false);
    const refused = 'This capability is not available for the account of this page.';
    isRefusal(t, await send(good, { key }), 403, refused);
    await set(true);
    // A broken body shows, without a write, when the key is accepted again.
    await waitUntil('it is allowed again', async () => (await send('{', { key })).status === 400, 5_000);
  });

  await t.test('405: another method, with any key', async (t) => {
    for (const method of route.others) {
      const answer = await send(undefined, { key: null, method });
      isRefusal(t, answer, 405, 'Method not allowed.');
      t.equal(answer.headers.get('allow'), route.allow, method);
    }
  });

  await t.test('413: a body over the limit', async (t) => {
    const key = await makeIncidentKey(api);
    const answer = await send({ ...good, padding: 'x'.repeat(300_000) }, { key });
    isRefusal(t, answer, 413, 'The request body is too large.');
  });

  await t.test('429: more than 60 requests of a key per minute, whatever they ask for', async (t) => {
    const [key, another] = [await makeIncidentKey(api), await makeIncidentKey(api)];
    for (let i = 0; i < 60; i += 1) {
      const { status, headers } = await send('{', { key });
      t.equal(status, 400);
      t.equal(headers.get('ratelimit-limit') ?? '60', '60');
    }
    const answer = await send(good, { key });
    isRefusal(t, answer, 429, 'Too many requests on this key; wait and retry.');
    t.match(answer.headers.get('retry-after'), /^([1-9]|[1-5]\d|60)$/);
    t.equal(answer.headers.get('ratelimit-remaining'), '0');
    t.equal((await send('{', { key: another })).status, 400, 'another key is not affected');
  });

  await t.test('nothing of the refused requests is stored', async (t) => {
    t.strictSame(await readAll(api), before);
  });
}

async function readAll({ stores: { sql } }: TestService): Promise<unknown> {
  return {
    incidents: [...(await sql`select * from incidents order by id`)],
    updates: [...(await sql`select * from incident_updates order by id`)],
    announcements: [...(await sql`select id, kind from announcements order by seq`)],
  };
}
