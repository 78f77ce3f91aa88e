import t from 'tap';
import { confirmSubscriber, unsubscribeSubscriber } from '../../../control/subscribers/index.js';
import { systemClock } from '../../../lib/clock.js';
import type { SubscriberId } from '../../../lib/ids.js';
import { addConfirmed } from '../../support/mail-setup.js';
import { openManageClient } from '../../support/manage-client.js';
import { requestAt } from '../../support/request-at.js';
import { startTestService, unansweredSmtp, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs, smtpUrl: unansweredSmtp });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);
const list = '/acme/subscribers';

type Item = { id: string; email: string; state: string };
const itemsOf = (body: unknown) => (body as { items: Item[] }).items;

async function add(email: string, fields: object = {}): Promise<Item> {
  const { status, body } = await send('POST', list, { email, ...fields });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body as Item;
}

const auditOf = (id: string) => sql`
  select action, target_name, before, after from audit_log where target_id = ${id} order by id`;

const suppress = (email: string, reason: 'bounced' | 'unsubscribed') => sql`
  insert into suppressions (page_id, email, reason, created_at)
  values (${service.pageId}, ${email}, ${reason}, now())`;

t.test('201: an address is added, and the audit log does not repeat it', async (t) => {
  const { status, body, headers } = await send('POST', list, { email: 'Ann@Example.com', confirmed: true });
  t.equal(status, 201, JSON.stringify(body));
  t.match(body, { email: 'ann@example.com', language: 'en', state: 'confirmed', confirmedAt: /^20/ });
  const { id } = body as Item;
  t.equal(headers.get('location'), `/api/v1/pages/acme/subscribers/${id}`);
  const rows = await auditOf(id);
  t.match([...rows], [{ action: 'subscriber.create', target_name: 'a…@example.com', before: null }]);
  t.notMatch(JSON.stringify(rows), 'ann@');
});

t.test('200: adding again changes what is given, and repeats nothing', async (t) => {
  const { id } = await add('again@example.com');
  const [mails] = await sql`select count(*)::int as count from emails where subscriber_id = ${id}`;
  t.same(mails, { count: 1 }, 'it is asked to confirm');
  const confirmed = await send('POST', list, { email: 'again@example.com', confirmed: true });
  t.match([confirmed.status, confirmed.body], [200, { id, state: 'confirmed' }]);
  const stale = await send(
    'POST',
    list,
    { email: 'again@example.com' },
    { headers: { 'if-match': '"other"' } },
  );
  t.equal(stale.status, 412);
  t.equal((await send('POST', list, { email: 'again@example.com', confirmed: true })).status, 200);
  t.match(
    [...(await auditOf(id))],
    [
      { action: 'subscriber.create', after: { state: 'unconfirmed' } },
      { action: 'subscriber.update', before: { state: 'unconfirmed' }, after: { state: 'confirmed' } },
    ],
  );
  t.equal((await auditOf(id)).length, 2);
});

t.test('400: what is no address, and fields that do not exist', async (t) => {
  const hostile = [
    'a@example.com\r\nBcc: all@example.com',
    'a\r\n@example.com',
    'a@example.com\nb@example.com',
    '"a b"@example.com',
    'a@localhost',
    'Ann <a@example.com>',
    'a@example.com,b@example.com',
    'a\0@example.com',
  ];
  for (const email of hostile) {
    const { status } = await send('POST', list, { email });
    t.equal(status, 400, JSON.stringify(email));
  }
  const extra = { pageId: service.otherPageId, confirmedAt: '2026-01-01T00:00:00Z', id: 'x' };
  for (const [name, value] of Object.entries(extra)) {
    const { status, body } = await send('POST', list, { email: 'x@example.com', [name]: value });
    t.match([status, body], [400, { error: `There is no field /${name} here.` }]);
  }
  const language = await send('POST', list, { email: 'x@example.com', language: 'xx' });
  t.equal(language.status, 400);
  t.same([...(await sql`select 1 from subscribers where email like 'x@%'`)], []);
  for (const query of [
    'state=bounced',
    'sort=x',
    'limit=201',
    'cursor=x',
    'q=a%00',
    `q=${'a'.repeat(255)}`,
  ]) {
    t.equal((await send('GET', `${list}?${query}`)).status, 400, query);
  }
});

t.test('409: a suppressed address is not added; it is listed and can be allowed again', async (t) => {
  await suppress('bounced@example.com', 'bounced');
  t.equal((await send('POST', list, { email: 'bounced@example.com' })).status, 409);
  const { body } = await send('GET', `${list}?state=suppressed&q=BOUNCED@`);
  const [found] = itemsOf(body);
  t.match(found, { email: 'bounced@example.com', state: 'bounced', language: null, createdAt: null });
  t.same(itemsOf((await send('GET', `${list}?q=bounced`)).body), [], 'it is no subscriber');
  const id = found?.id ?? '';
  const lifted = await send('POST', `${list}/${id}/unsuppress`);
  t.same([lifted.status, lifted.body], [200, { email: 'bounced@example.com', reason: 'bounced' }]);
  t.equal((await send('POST', `${list}/${id}/unsuppress`)).status, 404);
  t.match(
    [...(await auditOf(id))],
    [{ action: 'subscriber.unsuppress', target_name: 'b…@example.com', before: { state: 'bounced' } }],
  );
  t.match(await add('bounced@example.com'), { state: 'unconfirmed' });
});

t.test('a suppressed subscriber is named by its own id', async (t) => {
  const { id, email } = await add('gone@example.com', { confirmed: true });
  t.equal((await send('POST', `${list}/${id}/unsuppress`)).status, 409, 'it is not suppressed');
  await suppress(email, 'unsubscribed');
  t.match(itemsOf((await send('GET', `${list}?state=suppressed`)).body), [{ id, state: 'unsubscribed' }]);
  t.same(itemsOf((await send('GET', `${list}?state=confirmed&q=gone`)).body), []);
  t.equal((await send('POST', `${list}/${id}/confirm-mail`)).status, 409);
  t.equal((await send('POST', `${list}/${id}/unsuppress`)).status, 200);
  t.match(itemsOf((await send('GET', `${list}?state=confirmed&q=gone`)).body), [{ id }]);
});

t.test('202: a confirmation is sent again, as often as an address may be asked', async (t) => {
  const { id } = await add('slow@example.com');
  const path = `${list}/${id}/confirm-mail`;
  const ended = () => sql`
    update emails set state = 'delivered', finished_at = now() where subscriber_id = ${id}`;
  await ended();
  for (let i = 0; i < 2; i += 1) {
    const { status, body } = await send('POST', path);
    t.equal(status, 202);
    const { emailId } = body as { emailId: string };
    t.match([...(await sql`select kind from emails where id = ${emailId}`)], [{ kind: 'confirmation' }]);
    await ended();
  }
  const often = await send('POST', path);
  t.match([often.status, often.body], [409, { error: /3 times within 24 hours/ }]);
  const actions = (await auditOf(id)).map(({ action }) => action);
  t.same(actions, ['subscriber.create', 'subscriber.confirm-mail', 'subscriber.confirm-mail']);
  await send('POST', list, { email: 'slow@example.com', confirmed: true });
  t.match((await send('POST', path)).body, { error: 'slow@example.com has confirmed.' });
});

t.test('204: a subscriber is deleted with its emails', async (t) => {
  const { id } = await add('short@example.com');
  t.equal((await send('DELETE', `${list}/${id}`)).status, 204);
  t.equal((await send('DELETE', `${list}/${id}`)).status, 404);
  t.equal((await send('POST', `${list}/${id}/confirm-mail`)).status, 404);
  t.same([...(await sql`select 1 from emails where subscriber_id = ${id}`)], []);
  const rows = await auditOf(id);
  t.match(rows.at(-1), { action: 'subscriber.delete', after: null });
});

t.test("401, 403, 404: callers who may not, and another page's ids", async (t) => {
  const { id } = await add('mine@example.com');
  const [email] = await sql<{ id: string }[]>`
    update emails set state = 'parked', reason = 'x', finished_at = now()
    where subscriber_id = ${id} returning id`;
  const calls = [
    ['GET', ''],
    ['DELETE', `/subscribers/${id}`],
    ['POST', `/subscribers/${id}/confirm-mail`],
    ['POST', `/subscribers/${id}/unsuppress`],
    ['POST', `/emails/${email?.id}/resend`],
  ] as const;
  await suppress('mine@example.com', 'bounced');
  for (const [method, path] of calls) {
    const target = `/acme${path === '' ? '/subscribers' : path}`;
    t.equal((await send(method, target, undefined, { key: null })).status, 401, target);
    t.equal((await send(method, target, undefined, { key: keys.read })).status, 403, target);
    t.equal((await send(method, target, undefined, { key: keys.other })).status, 404, target);
    if (path === '') continue;
    const through = await send(method, `/other${path}`, undefined, { key: keys.other });
    t.equal(through.status, 404, `/other${path}`);
  }
  t.same(itemsOf((await send('GET', '/other/subscribers', undefined, { key: keys.other })).body), []);
  t.match([...(await sql`select state from emails where id = ${email?.id ?? ''}`)], [{ state: 'parked' }]);
  t.equal((await sql`select 1 from suppressions where email = 'mine@example.com'`).length, 1);
  t.same(
    (await auditOf(id)).map(({ action }) => action),
    ['subscriber.create'],
  );
  for (const bad of ['x', '%00', '00000000-0000-0000-0000-000000000000']) {
    t.equal((await send('DELETE', `${list}/${bad}`)).status, 404, bad);
  }
});

t.test('lists go on at their cursor, which works for no other filter and no other page', async (t) => {
  await addConfirmed(
    { sql, page: { id: service.pageId } },
    ['one', 'two', 'three'].map((n) => `${n}@list.example`),
  );
  const seen: string[] = [];
  let cursor = '';
  for (let parts = 0; parts < 3; parts += 1) {
    const { body } = await send('GET', `${list}?q=list.example&limit=1${cursor}`);
    const { items, nextCursor } = body as { items: Item[]; nextCursor: string | null };
    seen.push(...items.map(({ email }) => email));
    if (nextCursor === null) break;
    cursor = `&cursor=${nextCursor}`;
  }
  t.same(new Set(seen).size, 3);
  t.equal((await send('GET', `${list}?q=other${cursor}`)).status, 400);
  t.equal((await send('GET', `${list}?q=list.example&state=confirmed${cursor}`)).status, 400);
  const path = `/other/subscribers?q=list.example${cursor}`;
  t.equal((await send('GET', path, undefined, { key: keys.other })).status, 400);
  const first = await send('GET', `${list}?state=suppressed&limit=1`);
  const { nextCursor } = first.body as { nextCursor: string | null };
  t.equal(nextCursor, null);
});

t.test('suppressed addresses are listed from the newest on, in parts', async (t) => {
  for (const name of ['a', 'b', 'c']) await suppress(`${name}@parts.example`, 'bounced');
  await sql`update suppressions set created_at = '2026-01-01' where email in ('a@parts.example', 'b@parts.example')`;
  const emails: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `${list}?state=suppressed&q=parts&limit=1${cursor && `&cursor=${cursor}`}`;
    const { body } = await send('GET', path);
    emails.push(...itemsOf(body).map(({ email }) => email));
    cursor = (body as { nextCursor: string | null }).nextCursor;
  }
  t.same(emails, ['c@parts.example', 'b@parts.example', 'a@parts.example']);
});

t.test('CSV has a header row, every address, and no formulas', async (t) => {
  const hostile = ['=cmd@csv.example', '+1@csv.example', '-1@csv.example', "a'b@csv.example"];
  for (const email of hostile) await add(email, { confirmed: true });
  const csv = await send('GET', `${list}?q=csv.example`, undefined, { headers: { accept: 'text/csv' } });
  t.equal(csv.status, 200);
  t.match(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.match(csv.headers.get('content-disposition'), 'attachment; filename="subscribers-acme.csv"');
  t.match(csv.headers.get('vary'), 'Accept');
  t.equal(csv.headers.get('link'), null);
  const [header, ...rows] = String(csv.body).trimEnd().split('\r\n');
  t.equal(header, 'id,email,language,state,createdAt,confirmedAt,suppressedAt');
  t.same(rows.map((row) => row.split(',')[1]).sort(), [
    "'+1@csv.example",
    "'-1@csv.example",
    "'=cmd@csv.example",
    "a'b@csv.example",
  ]);
  t.match(rows[0], /^[\w-]{36},[^,]+,en,confirmed,20[^,]+Z,20[^,]+Z,$/);
  const refused = await send('GET', `${list}?limit=5`, undefined, { headers: { accept: 'text/csv' } });
  t.equal(refused.status, 400);
  const whole = await send('GET', `${list}?state=suppressed`, undefined, { headers: { accept: 'text/csv' } });
  t.match(whole.body, 'c@parts.example');
});

t.test('a long list of CSV is cut at its bound, and a link leads to the rest', async (t) => {
  await sql`
    insert into subscribers (id, page_id, email, language, created_at, requested_at)
    select gen_random_uuid(), ${service.otherPageId}, 'n' || i || '@many.example', 'en', now(), now()
    from generate_series(1, 50001) i`;
  const options = { key: keys.other, headers: { accept: 'text/csv' } };
  const first = await send('GET', '/other/subscribers?q=many', undefined, options);
  t.equal(String(first.body).trimEnd().split('\r\n').length, 50_001);
  const next = /^<\/api\/v1\/pages(\S+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const rest = await send('GET', next, undefined, options);
  t.equal(String(rest.body).trimEnd().split('\r\n').length, 2);
  t.equal(rest.headers.get('link'), null);
  const emails = new Set(
    `${first.body}${rest.body}`.split('\r\n').flatMap((row) => row.match(/n\d+@many/)?.[0] ?? []),
  );
  t.equal(emails.size, 50_001);
});

t.test('emails are listed and filtered, and a parked one is sent again', async (t) => {
  const { id } = await add('mail@example.com');
  await sql`
    update emails set state = 'parked', attempts = 8, reason = '550 no', finished_at = now(), claimed_until = null
    where subscriber_id = ${id}`;
  const { body } = await send('GET', '/acme/emails?state=parked&kind=confirmation');
  const items = (body as { items: { id: string; email: string }[] }).items;
  const parked = items.find(({ email }) => email === 'mail@example.com');
  t.match(parked, { kind: 'confirmation', attempts: 8, reason: '550 no', nextAttemptAt: null });
  t.same(((await send('GET', '/acme/emails?kind=notice')).body as { items: [] }).items, []);
  t.equal((await send('GET', '/acme/emails?kind=x')).status, 400);
  const part = await send('GET', '/acme/emails?limit=1');
  t.match(part.body, { nextCursor: String });
  const resent = await send('POST', `/acme/emails/${parked?.id}/resend`);
  t.match([resent.status, resent.body], [200, { id: parked?.id, state: 'pending', attempts: 0 }]);
  t.match(
    [...(await auditOf(parked?.id ?? ''))],
    [
      {
        ...{ action: 'email.resend', target_name: 'confirmation' },
        ...{ before: { state: 'parked', attempts: 8 }, after: { state: 'pending', attempts: 0 } },
      },
    ],
  );
  await sql`update emails set state = 'delivered', finished_at = now() where id = ${parked?.id ?? ''}`;
  t.equal((await send('POST', `/acme/emails/${parked?.id}/resend`)).status, 409);
  t.equal((await send('POST', '/acme/emails/x/resend')).status, 404);
});

t.test("a visitor's own sign-up, confirmation and unsubscription are not in the audit log", async (t) => {
  const [before] = await sql`select count(*)::int as count from audit_log`;
  const { status } = await requestAt(service.url, 'acme.localhost', '/api/public/acme/subscribers', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'visitor@example.com' }),
  });
  t.equal(status, 202);
  const [row] = await sql<{ id: SubscriberId }[]>`
    update subscribers set confirmation_sent_at = now() where email = 'visitor@example.com' returning id`;
  if (row === undefined) throw new Error('The visitor is no subscriber.');
  const ref = { pageId: service.pageId, subscriberId: row.id };
  t.equal(await confirmSubscriber({ sql, clock: systemClock }, ref), 'usable');
  await unsubscribeSubscriber({ sql, clock: systemClock }, ref);
  const [after] = await sql`select count(*)::int as count from audit_log`;
  t.same(after, before);
});

t.test('an address that is added twice at once is one subscriber, which was created once', async (t) => {
  const body = { email: 'both@example.com', confirmed: true };
  const answers = await Promise.all([1, 2, 3].map(() => send('POST', list, body)));
  t.same(answers.map(({ status }) => status).sort(), [200, 200, 201]);
  const ids = new Set(answers.map((answer) => (answer.body as Item).id));
  t.equal(ids.size, 1);
  t.equal((await auditOf([...ids][0] ?? '')).length, 1);
});
