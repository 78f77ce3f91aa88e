import t from 'tap';
import { monitorLimits } from '../../../contract/monitors.js';
import { systemClock } from '../../../lib/clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { type Answer, startTestService } from '../../support/service.js';

// A prober would give monitors a state whenever their first check is due.
const service = await startTestService(t, { roles: new Set(['api']) });
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
const { write: key, read: readKey, other: otherKey } = await makeManageKeys(deps);
const monitors = '/api/v1/pages/acme/monitors';
const web = { type: 'http', name: 'Website', url: 'https://example.com/' };

type Sent = { key?: string; ifMatch?: string | null };
const send = (method: string, path: string, body?: unknown, sent: Sent = {}): Promise<Answer> =>
  service.post(path, body, {
    method,
    key: sent.key ?? key,
    headers: sent.ifMatch ? { 'if-match': sent.ifMatch } : {},
  });
const actionsOf = async (slug: string) =>
  (
    await sql<{ action: string }[]>`
      select action from audit_log where target_type = 'monitor' and target_name = ${slug} order by at, id`
  ).map(({ action }) => action);

t.test('201: a monitor is created with its defaults, and its secrets appear nowhere', async (t) => {
  const secret = 'hush-hush';
  const headers = [{ name: 'Authorization', value: `Bearer ${secret}` }];
  const created = await send('POST', monitors, { ...web, slug: 'website', headers, body: secret });
  t.equal(created.status, 201, JSON.stringify(created.body));
  t.equal(created.headers.get('location'), `${monitors}/website`);
  t.match(created.body, { slug: 'website', type: 'http', everySeconds: 60, method: 'GET', hasSecrets: true });
  const shown = await send('GET', `${monitors}/website`);
  t.strictSame(shown.body, created.body);
  const audit = await sql`select before, after from audit_log where target_name = 'website'`;
  t.match(audit, [{ before: null, after: { url: web.url, hasSecrets: true } }]);
  t.notOk(JSON.stringify([created, shown, audit]).includes(secret));
});

t.test('201: a new heartbeat has its address once', async (t) => {
  const { body } = await send('POST', monitors, {
    ...{ slug: 'backup', type: 'heartbeat', name: 'Backup', periodSeconds: 3600, url: null },
  });
  const { url } = body as { url: string };
  t.match(url, /^http:\/\/127\.0\.0\.1:\d+\/ping\/ping_[0-9A-Za-z]{43}$/);
  t.equal((await fetch(url, { method: 'POST' })).ok, true);
  t.match((await send('GET', `${monitors}/backup`)).body, { url: null, lastPingAt: String });
});

t.test('400: unknown fields, and settings that the kind does not have, are named', async (t) => {
  for (const [body, error, field] of [
    [{ ...web, slug: 'x', pageId: service.otherPageId }, 'There is no field /pageId here.', '/pageId'],
    [{ ...web, slug: 'x', state: 'up' }, 'There is no field /state here.', '/state'],
    [{ ...web, slug: 'x', periodSeconds: 60 }, 'A monitor of type http has no period.', '/periodSeconds'],
    [{ ...web, slug: 'No' }, /slug/, '/slug'],
    [{ ...web, slug: 'x', everySeconds: 'often' }, /everySeconds/, '/everySeconds'],
    [{ ...web, slug: 'x', names: { xx: 'Web' } }, /not a language of the page/, '/names'],
    [{ ...web, slug: 'x', link: 'shop' }, /^The link/, '/link'],
    [{ ...web, slug: 'x', group: 'none' }, /no group/, '/group'],
  ] as const) {
    const answer = await send('POST', monitors, body);
    t.equal(answer.status, 400);
    t.match(answer.body, { error, code: 'body.invalid', field });
  }
  t.equal((await send('GET', `${monitors}?sort=name`)).status, 400);
  t.match((await send('GET', `${monitors}?state=odd`)).body, { error: /one of up, down, paused, unknown/ });
});

t.test('400: what requests carry is not sent to another server unasked', async (t) => {
  const url = { url: 'https://elsewhere.example.com/' };
  const ofHeaders = { code: 'monitor.headers_cross_origin', field: '/headers' };
  const one = `${monitors}/website`;
  t.match(await send('PATCH', one, url), { status: 400, body: ofHeaders });
  t.match(await send('PATCH', one, { ...url, headers: null }), { body: { ...ofHeaders, field: '/body' } });
});

t.test('401, 403: without a key, and with one that only reads', async (t) => {
  t.equal((await service.get(monitors)).status, 401);
  t.equal((await send('GET', monitors, undefined, { key: readKey })).status, 200);
  const sent = { key: readKey };
  const one = `${monitors}/website`;
  for (const [method, path, body] of [
    ['POST', monitors, { ...web, slug: 'x' }],
    ['PUT', one, web],
    ['PATCH', one, { name: 'X' }],
    ['DELETE', one],
    ['POST', `${one}/pause`],
    ['POST', `${one}/check`],
  ] as const) {
    t.equal((await send(method, path, body, sent)).status, 403, `${method} ${path}`);
  }
});

t.test('404: another page learns and changes nothing', async (t) => {
  const sent = { key: otherKey };
  const one = `${monitors}/website`;
  const none = await send('GET', '/api/v1/pages/none/monitors', undefined, sent);
  for (const [method, path, body] of [
    ['GET', monitors],
    ['GET', one],
    ['PATCH', one, { name: 'X' }],
    ['PUT', one, web],
    ['DELETE', one],
    ['POST', `${one}/pause`],
    ['GET', `${one}/series`],
    ['GET', `${one}/checks`],
  ] as const) {
    const answer = await send(method, path, body, sent);
    t.strictSame([answer.status, answer.body], [404, none.body], `${method} ${path}`);
  }
  t.equal((await send('GET', '/api/v1/pages/other/monitors/website', undefined, sent)).status, 404);
  t.same(await actionsOf('website'), ['monitor.create']);
});

t.test('409: a slug that is taken, another kind, and a full page', async (t) => {
  const taken = await send('POST', monitors, { ...web, slug: 'website' });
  t.match(taken, { status: 409, body: { code: 'monitor.slug_taken', field: '/slug' } });
  t.match(taken.body, { error: /has a monitor with the slug "website" already/ });
  const kind = await send('PUT', `${monitors}/website`, {
    ...{ type: 'tcp', name: 'X', url: 'tcp://a.example.com:1' },
  });
  t.match(kind, { status: 409, body: { error: /of type http, which cannot change/ } });
  const { monitorsPerPage } = monitorLimits;
  await sql`
    insert into monitors (id, page_id, slug, name, url, created_at)
    select gen_random_uuid(), ${service.otherPageId}, 'm-' || n, 'M', 'https://example.com', now()
    from generate_series(1, ${monitorsPerPage}::integer) as n`;
  const full = await send('POST', '/api/v1/pages/other/monitors', { ...web, slug: 'x' }, { key: otherKey });
  t.match(full, { status: 409, body: { error: /has 1000 monitors, which is the most/ } });
  await sql`delete from monitors where page_id = ${service.otherPageId} and name = 'M'`;
});

t.test('200: a change touches what it names, and null goes back to the default', async (t) => {
  const one = `${monitors}/website`;
  const changed = await send('PATCH', one, { everySeconds: 30, expectBody: 'ok' });
  t.equal(changed.status, 200, JSON.stringify(changed.body));
  t.match(changed.body, { name: 'Website', everySeconds: 30, expectBody: 'ok', hasSecrets: true });
  const cleared = await send('PATCH', one, {
    everySeconds: null,
    expectBody: null,
    headers: null,
    body: null,
  });
  t.match(cleared.body, { everySeconds: 60, expectBody: null, hasSecrets: false });
  const [row] = await sql`
    select before, after from audit_log where action = 'monitor.update' order by id desc limit 1`;
  t.strictSame(row, {
    before: { everySeconds: 30, expectBody: 'ok', hasSecrets: true, secretsChanged: null },
    after: { everySeconds: 60, expectBody: null, hasSecrets: false, secretsChanged: true },
  });
  await send('PATCH', one, { everySeconds: 60 });
  t.same(await actionsOf('website'), ['monitor.create', 'monitor.update', 'monitor.update']);
});

t.test('PUT creates, replaces, and does nothing the second time', async (t) => {
  const one = `${monitors}/shop`;
  const headers = [{ name: 'X-Key', value: 'hush' }];
  const body = { ...web, everySeconds: 20, tlsExpiryDays: 7, headers };
  const created = await send('PUT', one, body);
  t.equal(created.status, 201, JSON.stringify(created.body));
  t.equal(created.headers.get('location'), one);
  const again = await send('PUT', one, { ...body, slug: 'shop' });
  t.equal(again.status, 200);
  t.equal(again.headers.get('etag'), (await send('GET', one)).headers.get('etag'));
  t.same(await actionsOf('shop'), ['monitor.create']);
  const replaced = await send('PUT', one, web);
  t.match(replaced.body, { everySeconds: 60, tlsExpiryDays: null, hasSecrets: true }, 'secrets stay');
  t.same(await actionsOf('shop'), ['monitor.create', 'monitor.update']);
  t.equal((await send('PUT', one, { ...web, slug: 'other' })).status, 400);
});

t.test('a monitor depends on others of the page, without a circle', async (t) => {
  for (const slug of ['database', 'cart', 'mail'])
    t.equal((await send('PUT', `${monitors}/${slug}`, { ...web, name: slug })).status, 201);
  const cart = await send('PATCH', `${monitors}/cart`, { dependsOn: ['mail', 'database', 'mail'] });
  t.match(cart, { status: 200, body: { dependsOn: ['database', 'mail'] } });
  t.match(await send('PUT', `${monitors}/mail`, { ...web, name: 'mail', dependsOn: ['database'] }), {
    body: { dependsOn: ['database'] },
  });
  for (const [slug, dependsOn, error] of [
    ['database', ['cart'], /"cart" depends on this one/],
    ['database', ['mail'], /"mail" depends on this one/],
    ['database', ['database'], /cannot depend on itself/],
    ['database', ['none'], /no monitor with the slug "none"/],
    ['database', ['backup', 5], /dependsOn/],
    ['database', Array.from({ length: 21 }, () => 'mail'), /dependsOn/],
  ] as const)
    t.match(await send('PATCH', `${monitors}/${slug}`, { dependsOn }), { status: 400, body: { error } });
  const created = { ...web, slug: 'new', dependsOn: ['foreign'] };
  t.equal(
    (await send('POST', '/api/v1/pages/other/monitors', { ...web, slug: 'foreign' }, { key: otherKey }))
      .status,
    201,
  );
  t.match(await send('POST', monitors, created), {
    status: 400,
    body: { error: /no monitor with the slug "foreign"/ },
  });
  t.equal((await send('DELETE', `${monitors}/database`)).status, 204);
  t.match(await send('GET', `${monitors}/cart`), { body: { dependsOn: ['mail'] } });
  t.match(await send('PUT', `${monitors}/cart`, { ...web, name: 'cart' }), { body: { dependsOn: [] } });
  t.match(
    await sql`
    select before, after from audit_log where target_name = 'cart' and before ? 'dependsOn' order by id`,
    [
      { before: { dependsOn: [] }, after: { dependsOn: ['database', 'mail'] } },
      { before: { dependsOn: ['mail'] }, after: { dependsOn: [] } },
    ],
  );
  for (const slug of ['cart', 'mail']) t.equal((await send('DELETE', `${monitors}/${slug}`)).status, 204);
  const foreign = '/api/v1/pages/other/monitors/foreign';
  t.equal((await send('DELETE', foreign, undefined, { key: otherKey })).status, 204);
});

t.test('412: a stale If-Match changes nothing, and the result of a check is no reason', async (t) => {
  const one = `${monitors}/shop`;
  const { headers } = await send('GET', one);
  const ifMatch = headers.get('etag');
  await sql`update monitors set state = 'up', last_checked_at = now() where slug = 'shop'`;
  t.equal((await send('PATCH', one, { name: 'Shop' }, { ifMatch })).status, 200);
  for (const [method, path, body] of [
    ['PATCH', one, { name: 'Late' }],
    ['PUT', one, { ...web, name: 'Late' }],
    ['POST', `${one}/pause`, undefined],
    ['DELETE', one, undefined],
    ['PUT', `${monitors}/absent`, web],
  ] as const) {
    t.equal((await send(method, path, body, { ifMatch })).status, 412, `${method} ${path}`);
  }
  t.match((await send('GET', one)).body, { name: 'Shop', pausedAt: null });
  const fresh = await send('GET', one);
  const headersOf = { authorization: `Bearer ${key}`, 'if-none-match': fresh.headers.get('etag') ?? '' };
  t.equal((await service.get(one, headersOf)).status, 304);
});

t.test('of two changes with the same If-Match one wins', async (t) => {
  const one = `${monitors}/shop`;
  const ifMatch = (await send('GET', one)).headers.get('etag');
  const answers = await Promise.all(
    ['one', 'two', 'three'].map((name) => send('PATCH', one, { name }, { ifMatch })),
  );
  t.same(answers.map(({ status }) => status).sort(), [200, 412, 412]);
});

t.test('a monitor is paused and resumed, once each', async (t) => {
  const one = `${monitors}/shop`;
  for (let i = 0; i < 2; i += 1)
    t.match(await send('POST', `${one}/pause`), { status: 200, body: { nextDueAt: null } });
  t.match(await send('POST', `${one}/resume`), { status: 200, body: { pausedAt: null, nextDueAt: String } });
  const actions = await actionsOf('shop');
  t.same(actions.slice(-2), ['monitor.pause', 'monitor.resume']);
});

t.test('lists are in the order of the page, and go on at their cursor', async (t) => {
  type List = { items: { slug: string }[]; nextCursor: string | null };
  const slugs = async (query: string) => {
    const { items, nextCursor } = (await send('GET', `${monitors}?${query}`)).body as List;
    return { slugs: items.map(({ slug }) => slug), nextCursor };
  };
  const all = await slugs('');
  t.strictSame(all, { slugs: ['website', 'backup', 'shop'], nextCursor: null });
  const first = await slugs('limit=2');
  t.strictSame((await slugs(`limit=2&cursor=${first.nextCursor}`)).slugs, ['shop']);
  t.equal((await send('GET', `${monitors}?q=a&cursor=${first.nextCursor}`)).status, 400);
  const foreign = `/api/v1/pages/other/monitors?cursor=${first.nextCursor}`;
  t.equal((await send('GET', foreign, undefined, { key: otherKey })).status, 400);
  t.strictSame((await slugs('q=BACK')).slugs, ['backup']);
  t.strictSame((await slugs('q=%25')).slugs, []);
  t.strictSame((await slugs('state=up')).slugs, ['shop']);
  await send('POST', `${monitors}/website/pause`);
  t.strictSame((await slugs('state=paused')).slugs, ['website']);
  t.strictSame((await slugs('state=unknown')).slugs, ['backup']);
});

t.test('400: secrets do not follow a monitor to another server unless the request has them', async (t) => {
  const secrets = { headers: [{ name: 'X-Key', value: 'hush' }], body: 'hush' };
  const url = 'https://elsewhere.example/';
  const kept = async (slug: string) => (await sql`select url, secrets from monitors where slug = ${slug}`)[0];
  const cases: [slug: string, stored: object, missing: string, enough: object][] = [
    ['with-headers', { headers: secrets.headers }, 'Send "headers" with', { headers: secrets.headers }],
    ['with-body', { body: secrets.body }, 'Send "body" with', { body: null }],
    ['with-both', secrets, 'Send "headers" and "body" with', { headers: null, body: 'other' }],
  ];
  for (const [slug, stored, missing, enough] of cases) {
    const one = `${monitors}/${slug}`;
    await send('PUT', one, { ...web, ...stored });
    const before = await kept(slug);
    for (const [method, body] of [
      ['PATCH', { url }],
      ['PUT', { ...web, url }],
    ] as const)
      t.match(await send(method, one, body), { status: 400, body: { error: new RegExp(missing) } });
    t.strictSame(await kept(slug), before, 'nothing is changed');
    t.equal((await send('PATCH', one, { url: `${web.url}path` })).status, 200, 'the same server');
    t.match(await send('PATCH', one, { url, ...enough }), { status: 200, body: { url } });
    await send('DELETE', one);
  }
  const half = `${monitors}/with-both`;
  await send('PUT', half, { ...web, ...secrets });
  t.match(await send('PATCH', half, { url, headers: null }), { status: 400, body: { error: /Send "body"/ } });
  await sql`update monitors set secrets = 'sealed with another key' where slug = 'with-both'`;
  t.match(await send('PATCH', half, { url, headers: null }), { status: 400, body: { error: /Send "body"/ } });
  t.equal((await send('PATCH', half, { url, headers: null, body: null })).status, 200);
  await send('DELETE', half);
});

t.test('204: a deleted monitor is gone', async (t) => {
  t.equal((await send('DELETE', `${monitors}/shop`)).status, 204);
  t.equal((await send('DELETE', `${monitors}/shop`)).status, 404);
  t.equal((await actionsOf('shop')).at(-1), 'monitor.delete');
});
