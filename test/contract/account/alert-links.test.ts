import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { type AlertId, newId } from '../../../lib/ids.js';
import { signToken } from '../../../lib/secrets/secret-box.js';
import { dayMs } from '../../../lib/times.js';
import { openAccountBrowser, textIn } from '../../support/account-pages.js';
import { alertLinkPath, makeAlert } from '../../support/alert-links.js';
import { besideTransaction } from '../../support/beside-transaction.js';
import { captureLog } from '../../support/capture-log.js';
import { makeChannel } from '../../support/channels.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makePage } from '../../support/pages.js';
import { giveRole, makeUser } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const { log, text: logged } = captureLog();
const service = await startTestService(t, { roles: withoutJobs, log });
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
const { id: pageId } = await makePage(sql, { slug: 'links', name: 'Acme', hostname: 'links.localhost' });
const { id: otherPageId } = await makePage(sql, { slug: 'foreign', hostname: 'foreign.localhost' });
const browser = openAccountBrowser(service);

const ann = await makeUser(deps, { email: 'ann@example.com' });
await giveRole(deps, { userId: ann.id, slug: 'links', role: 'responder' });
const person = { type: 'person', id: ann.id } as const;
const { id: channelId } = await makeChannel(deps, pageId, {
  ...{ kind: 'slack', settings: { url: 'https://hooks.example.com/a' } },
});
await sql`update channels set name = 'Backend' where id = ${channelId}`;
const channel = { type: 'channel', id: channelId } as const;

/** The columns of an alert that an answer changes. */
async function stateOf(id: AlertId) {
  const [row] = await sql`
    select acknowledged_name as by, note, resolved_at is not null as "isOver", ended_by as "endedBy" from alerts
    where id = ${id}`;
  return { ...row };
}

const untouched = { by: null, note: null, isOver: false, endedBy: null };
/**
 * In the order of the transactions that wrote them: ids follow the clock of the machine, which may be set back, and the
 * place of a row in the table may be one that an earlier row left.
 */
const entriesOf = (id: AlertId) => sql`
  select action, actor_type as type, actor_id as id, actor_name as name, address is not null as "hasAddress", after
  from audit_log where target_id = ${id} order by xmin::text::bigint`;

t.test('200: GET and HEAD show the facts and who was told, and change nothing', async (t) => {
  const id = await makeAlert(deps, pageId);
  await sql`update alerts set told_batch = id, told_at = started_at where id = ${id}`;
  await sql`
    insert into alert_notices (id, batch_id, page_id, at, step, round, recipient_type, recipient_name, reason)
    values (${newId<AlertId>(Date.now())}, ${id}, ${pageId}, now(), 0, 0, 'schedule', 'backend', 'Nobody is on call.')`;
  const path = alertLinkPath(id, person);
  const { status, html, headers, cookie } = await browser.get(path);
  t.equal(status, 200);
  t.match(html, /<h1 id="title"[^>]*>9 % of the requests fail<\/h1>/);
  for (const shown of ['Acme', 'Checkout fails', '100, 9 failed', 'backend', 'Nobody is on call.'])
    t.match(html, shown);
  t.match(html, /<button[^>]*value="acknowledge"[\s\S]*<button[^>]*value="resolve"/);
  t.notMatch(html, 'http-equiv', 'nothing sends itself');
  t.match(html, '<meta name="robots" content="noindex"/>');
  t.match(
    headers.get('content-security-policy'),
    /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/,
  );
  t.match(
    ['cache-control', 'referrer-policy', 'x-robots-tag'].map((name) => headers.get(name)),
    ['no-store', 'strict-origin', 'noindex'],
  );
  t.equal(cookie, '', 'it needs no session, and makes none');
  t.equal((await service.get(path, { method: 'HEAD' })).status, 200);
  t.equal((await browser.get(path, { 'sec-purpose': 'prefetch' })).status, 200);
  t.equal((await browser.get(`${path}&answer=resolve`)).status, 200);
  t.strictSame(await stateOf(id), untouched);
  t.equal((await entriesOf(id)).length, 0);
});

t.test('200: in the language of the reader', async (t) => {
  const path = alertLinkPath(await makeAlert(deps, pageId), person);
  const words = { de: 'Bestätigen', fr: 'Prendre en charge', es: 'Atender', ja: '対応する' };
  for (const [language, word] of Object.entries(words)) {
    const { html, headers } = await browser.get(path, { 'accept-language': language });
    t.match(html, `>${word}</button>`);
    t.equal(headers.get('content-language'), language);
    t.match((await browser.get(`${path}&lang=${language}`)).html, `>${word}</button>`);
  }
});

t.test('303: a person acknowledges with a note, and resolves; a repetition changes nothing', async (t) => {
  const id = await makeAlert(deps, pageId);
  const path = alertLinkPath(id, person);
  const [first, second] = await Promise.all(
    [1, 2].map(() => browser.post(path, { answer: 'acknowledge', note: ' Rolling back. ' })),
  );
  t.match([first?.status, second?.status], [303, 303]);
  t.equal(first?.headers.get('location'), path, 'back to the facts');
  t.strictSame(await stateOf(id), { ...untouched, by: 'ann@example.com', note: 'Rolling back.' });
  const { html } = await browser.get(path);
  t.match(html, /ann@example\.com, .*Rolling back\./s);
  t.notMatch(html, 'value="acknowledge"');
  for (let time = 0; time < 2; time++)
    t.equal((await browser.post(path, { answer: 'resolve', note: '' })).status, 303);
  t.strictSame(await stateOf(id), {
    ...{ by: 'ann@example.com', note: 'Rolling back.', isOver: true, endedBy: 'person' },
  });
  t.notMatch((await browser.get(path)).html, '<button', 'there is nothing left to do');
  t.match(await entriesOf(id), [
    { action: 'alert.acknowledge', type: 'user', id: ann.id, name: 'ann@example.com', hasAddress: true },
    { action: 'alert.resolve', after: { state: 'resolved' } },
  ]);
  t.equal((await entriesOf(id)).length, 2);
});

t.test('303: somebody else acknowledged meanwhile', async (t) => {
  const id = await makeAlert(deps, pageId);
  t.equal((await browser.post(alertLinkPath(id, person), { answer: 'acknowledge' })).status, 303);
  t.equal((await browser.post(alertLinkPath(id, channel), { answer: 'acknowledge' })).status, 303);
  t.strictSame(await stateOf(id), { ...untouched, by: 'ann@example.com' });
  const note = 'The cache was cold.';
  t.equal((await browser.post(alertLinkPath(id, channel), { answer: 'acknowledge', note })).status, 303);
  t.strictSame(await stateOf(id), { ...untouched, by: 'the channel Backend', note });
  t.match(await entriesOf(id), [
    { name: 'ann@example.com' },
    { type: 'channel', id: channelId, name: 'the channel Backend', after: { note } },
  ]);
  const { html } = await browser.get(alertLinkPath(id, person));
  t.match(html, /the channel Backend, /);
});

t.test('303: an answer that waits for another has its result as the state before', async (t) => {
  const id = await makeAlert(deps, pageId);
  await besideTransaction(
    sql,
    {
      first: (tx) => tx`select 1 from alerts where id = ${id} for update`,
      next: (tx) => tx`
        update alerts set acknowledged_at = now(), acknowledged_name = 'bob@example.com', note = 'First.' where id = ${id}`,
    },
    () => browser.post(alertLinkPath(id, channel), { answer: 'acknowledge', note: 'Second.' }),
  );
  const [entry] = await sql`select before, after from audit_log where target_id = ${id}`;
  t.match(entry, {
    before: { acknowledgedBy: 'bob@example.com', note: 'First.' },
    after: { acknowledgedBy: 'the channel Backend', note: 'Second.' },
  });
});

t.test('303: one link answers all alerts that were told together', async (t) => {
  const id = await makeAlert(deps, pageId);
  await sql`update alerts set told_batch = id, told_at = started_at where id = ${id}`;
  const second = await makeAlert(deps, pageId, { title: 'p95 is 3 s', severity: 'ticket', batch: id });
  const apart = await makeAlert(deps, pageId);
  const path = alertLinkPath(id, channel);
  t.match((await browser.get(path)).html, /2 alerts in this message[\s\S]*p95 is 3 s/);
  t.equal((await browser.post(path, { answer: 'acknowledge' })).status, 303);
  t.match([await stateOf(id), await stateOf(second)], [{ by: /Backend/ }, { by: /Backend/ }]);
  t.strictSame(await stateOf(apart), untouched);
  t.match(await entriesOf(id), [{ after: { state: 'acknowledged', alerts: 2 } }]);
});

t.test('400: a note that is none, and an answer that is none', async (t) => {
  const id = await makeAlert(deps, pageId);
  const path = alertLinkPath(id, person);
  const long = await browser.post(path, { answer: 'acknowledge', note: 'x'.repeat(501) });
  t.equal(long.status, 400);
  t.match(textIn(long.html, 'id="note-note"'), /at most 500 characters/);
  t.match(long.html, 'x'.repeat(501), 'the note is not lost');
  t.equal((await browser.post(path, { answer: 'acknowledge', note: 'a\u0007b' })).status, 400);
  for (const form of [{}, { answer: 'delete' }]) t.equal((await browser.post(path, form)).status, 400);
  t.strictSame(await stateOf(id), untouched);
});

t.test('403: a form that another site sends, and a person whose role only reads', async (t) => {
  const id = await makeAlert(deps, pageId);
  const path = alertLinkPath(id, person);
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ];
  for (const headers of foreign) {
    const { status, html } = await browser.post(path, { answer: 'resolve', note: 'spam' }, headers);
    t.equal(status, 403);
    t.match(textIn(html, 'role="alert"'), 'did not come from this page');
    t.notMatch(html, 'spam');
  }
  const viewer = await makeUser(deps);
  await giveRole(deps, { userId: viewer.id, slug: 'links', role: 'viewer' });
  const read = alertLinkPath(id, { type: 'person', id: viewer.id });
  const { status, html } = await browser.get(read);
  t.equal(status, 200);
  t.match(html, 'lets you read this alert');
  t.notMatch(html, '<button');
  t.equal((await browser.post(read, { answer: 'resolve' })).status, 403);
  t.strictSame(await stateOf(id), untouched);
});

t.test('404: links that do not work show nothing', async (t) => {
  const id = await makeAlert(deps, pageId);
  const old = await makeAlert(deps, pageId, { startedAt: Date.now() - 30 * dayMs - 1_000 });
  const almost = await makeAlert(deps, pageId, { startedAt: Date.now() - 30 * dayMs + 60_000 });
  const foreign = await makeAlert(deps, otherPageId);
  const gone = await makeUser(deps);
  const disabled = await makeUser(deps);
  await giveRole(deps, { userId: disabled.id, slug: 'links', role: 'owner' });
  await sql`update users set disabled_at = now() where id = ${disabled.id}`;
  const { id: off } = await makeChannel(deps, pageId, {
    kind: 'slack',
    settings: { url: 'https://h.example.com/b' },
  });
  await sql`update channels set disabled_at = now() where id = ${off}`;
  const path = alertLinkPath(id, person);
  const token = new URLSearchParams(path.split('?')[1]).get('token') ?? '';
  const [name = ''] = token.split('.');
  const paths: Record<string, string> = {
    'no token': '/manage/alert',
    nonsense: '/manage/alert?token=x',
    'two tokens': `${path}&token=${token}`,
    'without its signature': `/manage/alert?token=${name}.`,
    'another name': path.replace(/token=./, 'token=B'),
    'cut off': path.slice(0, -1),
    'of another purpose': `/manage/alert?token=${signToken(testSecretKey, 'manage', name, 16)}`,
    'of another key': alertLinkPath(id, person, 'another secret of forty characters......'),
    'of 30 days ago': alertLinkPath(old, person),
    'of no alert': alertLinkPath(newId<AlertId>(Date.now()), person),
    'an alert of another page': alertLinkPath(foreign, person),
    'an alert of another page, for a channel': alertLinkPath(foreign, channel),
    'somebody who was removed': alertLinkPath(id, { type: 'person', id: gone.id }),
    'somebody who is disabled': alertLinkPath(id, { type: 'person', id: disabled.id }),
    'a channel that is off': alertLinkPath(id, { type: 'channel', id: off }),
  };
  for (const [what, address] of Object.entries(paths)) {
    const read = await browser.get(address);
    const sent = await browser.post(address, { answer: 'resolve' });
    t.match([read.status, sent.status], [404, 404], what);
    t.match(read.html, 'This link does not work', what);
    t.notMatch(read.html + sent.html, /requests fail|Acme/, what);
    t.match(read.headers.get('cache-control'), 'no-store');
  }
  t.equal((await browser.get(alertLinkPath(almost, person))).status, 200);
  t.strictSame([await stateOf(id), await stateOf(foreign)], [untouched, untouched]);
  const onPage = openAccountBrowser(service, `links.localhost:${new URL(service.url).port}`);
  t.equal((await onPage.get(path)).status, 404, 'on the host of a status page');
  await sql`update pages set deleted_at = now() where id = ${otherPageId}`;
});

t.test('429: a network asks too often', async (t) => {
  const path = alertLinkPath(await makeAlert(deps, pageId), person);
  let status = 200;
  for (let count = 0; count < 200 && status === 200; count++) ({ status } = await browser.get(path));
  t.equal(status, 429);
});

t.test('the log has no token', (t) => {
  t.ok(logged().length > 0);
  t.notMatch(logged(), 'token=');
  t.end();
});
