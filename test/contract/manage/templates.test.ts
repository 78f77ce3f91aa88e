import t from 'tap';
import { type Template, templateLimits } from '../../../contract/manage/incidents/templates.js';
import { systemClock } from '../../../lib/clock.js';
import { makeManageKeys } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const keys = await makeManageKeys(deps);
const key = bearer(keys.write);
const readKey = bearer(keys.read);
const otherKey = bearer(keys.other);
const { headers: responder } = await signInAs(deps, { slug: 'acme', role: 'responder' });
const { headers: viewer } = await signInAs(deps, { slug: 'acme', role: 'viewer' });
await deps.sql`update pages set languages = '{en,de,fr}', default_language = 'en' where slug = 'acme'`;

type Answer = Template & { error?: string; items?: Template[]; nextCursor?: string | null };
const templates = '/api/v1/pages/acme/templates';
const send = async (method: string, path: string, headers: object = key, sent?: unknown) => {
  const answer = await service.post(path, sent, { method, key: null, headers: { ...headers } });
  return { status: answer.status, body: answer.body as Answer, got: answer.headers };
};
const put = (slug: string, fields: object = {}, headers: object = key) =>
  send('PUT', `${templates}/${slug}`, headers, { name: 'Outage', ...fields });
const monitor = async (slug: string) =>
  service.post('/api/v1/pages/acme/monitors', monitorOf(slug), { key: null, headers: key });
const monitorOf = (slug: string) => ({ slug, type: 'http', name: slug, url: 'https://shop.example.com/' });

t.test('201: a template is created, with what is absent empty', async (t) => {
  const { status, body, got } = await put('plain', {}, responder);
  t.equal(status, 201);
  t.equal(got.get('location'), `${templates}/plain`);
  t.match(body, { slug: 'plain', name: 'Outage', type: 'incident', title: '', summary: '' });
  t.strictSame([body.monitorSlugs, body.updates, body.texts], [[], [], {}]);
  const read = await send('GET', `${templates}/plain`, viewer);
  t.strictSame(read.body, body);
  t.equal(read.got.get('etag'), got.get('etag'));
  const again = { ...viewer, 'if-none-match': read.got.get('etag') };
  t.equal((await send('GET', `${templates}/plain`, again)).status, 304);
});

t.test('200: a template is replaced; the same again writes no row of the audit log', async (t) => {
  await monitor('checkout');
  const whole = {
    ...{ name: 'Database', type: 'maintenance', title: 'Database', summary: 'We *restart* it.' },
    monitorSlugs: ['checkout', 'checkout'],
    updates: [
      { status: 'monitoring', body: 'Back.' },
      { status: 'resolved', body: '' },
    ],
    texts: { fr: { title: 'Base' }, de: { summary: 'Neustart', updates: [null, ' Ende '] } },
  };
  t.equal((await put('db', whole)).status, 201);
  const { body: first } = await send('GET', `${templates}/db`);
  t.strictSame(first.monitorSlugs, ['checkout']);
  t.strictSame(first.texts, {
    de: { summary: 'Neustart', updates: [null, 'Ende'] },
    fr: { title: 'Base' },
  });
  const tag = (await send('GET', `${templates}/db`)).got.get('etag') ?? '';
  const again = await put('db', { ...whole, slug: 'db' }, { ...key, 'if-match': tag });
  t.equal(again.status, 200);
  t.equal(again.got.get('etag'), tag);
  const changed = await put('db', { ...whole, title: 'Other' }, { ...key, 'if-match': tag });
  t.equal(changed.status, 200);
  t.match(changed.body, { title: 'Other', createdAt: first.createdAt });
  const later = await send('GET', `${templates}/db`);
  t.strictSame(later.body, changed.body);
  t.equal(later.got.get('etag'), changed.got.get('etag'));
  t.equal((await put('db', whole, { ...key, 'if-match': tag })).status, 412);
  t.equal((await put('nothing', whole, { ...key, 'if-match': tag })).status, 412);
  const rows = await deps.sql`select action, before, after from audit_log where target_id = 'db' order by id`;
  t.match(rows[0], { action: 'template.create', after: { name: 'Database' } });
  t.strictSame(rows.slice(1), [
    { action: 'template.update', before: { title: 'Database' }, after: { title: 'Other' } },
  ]);
});

t.test('what the page no longer has is not in its templates', async (t) => {
  await monitor('gone');
  await put('past', { monitorSlugs: ['gone'], texts: { fr: { title: 'Panne' } } });
  await send('DELETE', '/api/v1/pages/acme/monitors/gone');
  await deps.sql`update pages set languages = '{en,de}' where slug = 'acme'`;
  const { body } = await send('GET', `${templates}/past`);
  t.match([body.monitorSlugs, body.texts], [[], {}]);
  await deps.sql`update pages set languages = '{en,de,fr}' where slug = 'acme'`;
  t.equal((await put('past', body)).status, 400, 'times of the answer are no fields of a request');
});

t.test('200: a template keeps a stored name that is no line', async (t) => {
  await put('old', {});
  await deps.sql`update incident_templates set name = ${'a\u202eb'} where slug = 'old'`;
  const changed = await put('old', { name: 'a\u202eb', title: 'Down' });
  t.match(changed, { status: 200, body: { name: 'a\u202eb', title: 'Down' } });
  t.equal((await put('old', { name: 'b\u202ea' })).status, 400);
  await send('DELETE', `${templates}/old`);
});

t.test('400: what does not fit is named', async (t) => {
  const wrong: [object, RegExp][] = [
    [{ name: ' ' }, /^\/name must be one line of text, not blank/],
    [{ name: 'a\nb' }, /^\/name must be one line of text/],
    [{ name: 'a\u202eb' }, /^\/name must be one line of text/],
    [{ monitorSlugs: ['none'] }, /\/monitorSlugs .*none/],
    [{ texts: { es: { title: 'a' } } }, /\/texts .*de, fr.*es/],
    [{ texts: { en: { title: 'a' } } }, /\/texts/],
    [{ texts: { de: { updates: ['a'] } } }, /\/texts\/de\/updates/],
    [{ title: 'a\u0007' }, /\/title/],
    [{ updates: [{ status: 'done', body: '' }] }, /\/updates/],
    [{ slug: 'b' }, /\/slug/],
    [{ unknown: 1 }, /unknown/],
  ];
  for (const [fields, expected] of wrong) {
    const { status, body } = await put('a', fields);
    t.equal(status, 400, JSON.stringify(fields));
    t.match(body.error, expected);
  }
  t.equal((await put('A', {})).status, 400);
});

t.test('403 and 404: only those who may write, and only on their page', async (t) => {
  for (const one of [viewer, readKey]) {
    t.equal((await put('plain', {}, one)).status, 403);
    t.equal((await send('DELETE', `${templates}/plain`, one)).status, 403);
  }
  t.equal((await put('plain', {}, otherKey)).status, 404);
  t.equal((await send('GET', templates, otherKey)).status, 404);
  t.equal((await send('GET', '/api/v1/pages/other/templates/plain', otherKey)).status, 404);
  t.equal((await send('GET', templates, {})).status, 401);
});

t.test('the list is by slug, in parts', async (t) => {
  const { body } = await send('GET', `${templates}?limit=2`);
  t.strictSame(
    body.items?.map(({ slug }) => slug),
    ['db', 'past'],
  );
  const rest = await send('GET', `${templates}?limit=2&cursor=${body.nextCursor}`);
  t.strictSame(
    rest.body.items?.map(({ slug }) => slug),
    ['plain'],
  );
  t.equal(rest.body.nextCursor, null);
});

t.test('204: a deleted template is gone; a stale If-Match keeps it', async (t) => {
  await put('old', {});
  const path = `${templates}/old`;
  const tag = (await send('GET', path)).got.get('etag');
  await put('old', { name: 'Newer' });
  t.equal((await send('DELETE', path, { ...key, 'if-match': tag })).status, 412);
  t.equal((await send('DELETE', path)).status, 204);
  t.equal((await send('DELETE', path)).status, 404);
  t.equal((await send('GET', path)).status, 404);
});

t.test('409: a page has no more than the limit', async (t) => {
  await deps.sql`
    insert into incident_templates (page_id, slug, name, type, title, summary, monitor_slugs, updates, texts,
      created_at, updated_at)
    select p.id, 'many-' || n, 'Many', 'incident', '', '', '{}', '[]', '{}', now(), now()
    from pages p, generate_series(1, ${templateLimits.perPage}::int) n
    where p.slug = 'acme' on conflict do nothing`;
  t.match(await put('one-more', {}), { status: 409, body: { error: /100 templates/ } });
  t.equal((await put('plain', { name: 'Still' })).status, 200);
});
