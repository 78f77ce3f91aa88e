import t from 'tap';
import { signToken } from '../../lib/secrets/secret-box.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { makeMonitors } from '../support/incidents.js';
import { addConfirmed, setUpMail } from '../support/mail-setup.js';
import { makePage } from '../support/pages.js';

const mail = await setUpMail(t);
const { sql, page } = mail;
await makeMonitors(sql, page.id, ['api', 'web', 'secret']);
await sql`update monitors set hidden = true where slug = 'secret'`;
await sql`
  insert into monitor_groups (id, page_id, slug, name, names, position, created_at)
  values (gen_random_uuid(), ${page.id}, 'shop', 'Shop <b>', '{"de": "Laden"}', 1, now())`;
await sql`update monitors set group_id = (select id from monitor_groups where slug = 'shop') where slug = 'web'`;
let clients = 0;
const newClient = () => ({ 'x-forwarded-for': `198.51.100.${++clients}` });

async function subscribe(email: string) {
  await addConfirmed(mail, [email]);
  const [row] = await sql<{ id: string }[]>`select id from subscribers where email = ${email}`;
  const id = row?.id ?? '';
  return { id, path: linkOf('manage', id) };
}
const linkOf = (purpose: string, id: string) =>
  `/subscribers/${purpose}?token=${signToken(testSecretKey, purpose, id)}`;
const open = (path: string, host?: string) => mail.ask(path, host === undefined ? {} : { host });
const save = (path: string, fields: [string, string][], host?: string) =>
  mail.ask(path, {
    ...{ method: 'POST', body: new URLSearchParams(fields).toString() },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    ...(host !== undefined && { host }),
  });
const stored = async (id: string) => {
  const [row] = await sql`
    select language, reminders, monitor_ids is null as everything,
      array(select slug from monitors m where m.id = any (s.monitor_ids)) as services,
      array(select slug from monitor_groups g where g.id = any (s.group_ids)) as groups
    from subscribers s where id = ${id}`;
  return row;
};
const everything = { language: 'en', reminders: false, everything: true, services: [], groups: [] };

t.test('200: the form has the services that readers see, in their groups, with what is chosen', async (t) => {
  const { id, path } = await subscribe('ann@example.com');
  const { status, body, headers } = await open(path);
  t.equal(status, 200);
  t.match(body, /name="scope" value="all" checked/);
  t.match(body, /value="api"[\s\S]*<strong>Shop &lt;b><\/strong>[\s\S]*value="web"/);
  t.notMatch(body, /secret/, 'a hidden service');
  t.match(headers.get('content-security-policy'), /default-src 'none'; style-src 'sha256-/);
  t.equal(headers.get('cache-control'), 'no-store');
  t.equal(headers.get('referrer-policy'), 'no-referrer');

  const fields: [string, string][] = [
    ...([
      ['scope', 'some'],
      ['service', 'api'],
      ['group', 'shop'],
    ] satisfies [string, string][]),
    ...([
      ['reminders', 'on'],
      ['language', 'de'],
    ] satisfies [string, string][]),
  ];
  const saved = await save(path, fields);
  t.equal(saved.status, 200);
  t.match(saved.body, /role="status">Ihre Auswahl ist gespeichert\./);
  t.match(saved.body, /value="api" checked[\s\S]*value="shop" checked[\s\S]*Laden/);
  t.same(await stored(id), {
    ...{ language: 'de', reminders: true, everything: false, services: ['api'], groups: ['shop'] },
  });
  t.equal(
    (
      await save(path, [
        ['scope', 'all'],
        ['service', 'api'],
        ['language', 'en'],
      ])
    ).status,
    200,
  );
  t.same(await stored(id), everything, 'what is ticked does not count');
});

t.test('400: nothing chosen, or what the page does not show, changes nothing', async (t) => {
  const { id, path } = await subscribe('bob@example.com');
  for (const fields of [
    [['scope', 'some']],
    [
      ['scope', 'some'],
      ['service', 'secret'],
    ],
    [
      ['scope', 'some'],
      ['service', 'none'],
      ['service', 'api'],
    ],
    [
      ['scope', 'some'],
      ['group', 'none'],
    ],
  ] satisfies [string, string][][]) {
    const { status, body } = await save(path, fields);
    t.equal(status, 400, JSON.stringify(fields));
    t.match(body, /role="alert">Choose at least one service\./);
  }
  t.same(await stored(id), everything);
});

t.test('404: links of another page, of another purpose, of nobody', async (t) => {
  const { id, path } = await subscribe('cleo@example.com');
  await makePage(sql, { slug: 'other' });
  for (const [wrong, host] of [
    [path, 'other.localhost'],
    [path.replace('manage', 'unsubscribe').replace('/unsubscribe', '/manage').slice(0, -2), undefined],
    [`/subscribers/manage?token=${signToken(testSecretKey, 'unsubscribe', id)}`, undefined],
    ['/subscribers/manage', undefined],
  ] as const) {
    t.equal((await open(wrong, host)).status, 404, wrong);
    const fields: [string, string][] = [
      ['scope', 'some'],
      ['service', 'api'],
    ];
    t.equal((await save(wrong, fields, host)).status, 404, wrong);
  }
  t.same(await stored(id), everything);
  await sql`delete from subscribers where id = ${id}`;
  t.equal((await open(path)).status, 404);
  t.equal((await save(path, [['scope', 'all']])).status, 404);
});

t.test('the button to leave ends the subscription', async (t) => {
  const { id, path } = await subscribe('dan@example.com');
  const { body } = await open(path);
  const [, action = ''] = /action="([^"]+)" class="leave"/.exec(String(body)) ?? [];
  t.equal((await save(action.replaceAll('&amp;', '&'), [])).status, 200);
  const [row] = await sql`select confirmed_at from subscribers where id = ${id}`;
  t.same(row, { confirmed_at: null });
});

t.test('a sign-up may choose, and one of somebody who has confirmed changes nothing', async (t) => {
  const signUp = (body: object) => mail.signUp(body, newClient());
  t.equal((await signUp({ email: 'eve@example.com', services: ['api'], reminders: true })).status, 202);
  const [{ id } = { id: '' }] = await sql<
    { id: string }[]
  >`select id from subscribers where email = 'eve@example.com'`;
  t.match(await stored(id), { everything: false, services: ['api'], groups: [], reminders: true });
  t.equal((await signUp({ email: 'eve@example.com' })).status, 202);
  t.match(
    await stored(id),
    { everything: true, reminders: false },
    'until it is confirmed the last one counts',
  );
  await sql`update subscribers set confirmed_at = now() where id = ${id}`;
  t.equal((await signUp({ email: 'eve@example.com', groups: ['shop'] })).status, 202);
  t.match(await stored(id), { everything: true });
  for (const body of [
    { services: ['none'] },
    { groups: ['none'] },
    { services: ['secret'] },
    { services: [] },
    { services: 'api' },
  ]) {
    t.equal((await signUp({ email: 'new@example.com', ...body })).status, 400, JSON.stringify(body));
  }
  t.same([...(await sql`select 1 from subscribers where email = 'new@example.com'`)], []);
});
