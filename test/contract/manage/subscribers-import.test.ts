import t from 'tap';
import { importLimits } from '../../../contract/subscriber-import.js';
import { openManageClient } from '../../support/manage-client.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);
const path = '/acme/subscribers/import';

type Sent = {
  added: number;
  changed: number;
  unchanged: number;
  refused: { line: number; reason: string }[];
};

const post = (csv: string | Buffer, options: { key?: string | null } = {}) =>
  send('POST', path, csv, { ...options, headers: { 'content-type': 'text/csv' } });

/** Sends a file until it is taken: on a slow machine an import may wait too long for the one before it. */
async function load(csv: string): Promise<Sent> {
  let { status, body } = await post(csv);
  for (let i = 0; status === 503 && i < 5; i += 1) ({ status, body } = await post(csv));
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body as Sent;
}

const rowsOf = (domain: string) => sql`
  select email, language, confirmed_at is not null as confirmed from subscribers
  where page_id = ${service.pageId} and email like ${`%@${domain}`} order by email`;

const askedOf = (domain: string) => sql`
  select s.email from emails e join subscribers s on s.id = e.subscriber_id
  where e.kind = 'confirmation' and s.email like ${`%@${domain}`} order by s.email`;

const auditRows = () => sql<{ after: object; target_name: string }[]>`
  select target_name, before, after from audit_log where action = 'subscriber.import' order by id`;

t.test(
  '200: addresses are added, asked where they have not agreed, and a repeat changes nothing',
  async (t) => {
    const csv = 'email,language,confirmed\nAnn@one.example,en,true\nben@one.example,,false\n';
    t.same(await load(csv), { added: 2, changed: 0, unchanged: 0, refused: [] });
    t.match(
      [...(await rowsOf('one.example'))],
      [
        { email: 'ann@one.example', language: 'en', confirmed: true },
        { email: 'ben@one.example', confirmed: false },
      ],
    );
    t.match([...(await askedOf('one.example'))], [{ email: 'ben@one.example' }]);
    t.same(await load(csv), { added: 0, changed: 0, unchanged: 2, refused: [] });
    t.equal((await askedOf('one.example')).length, 1, 'nobody is asked twice');
    const rows = await auditRows();
    t.match([...rows], [{ before: null, after: { added: 2, changed: 0 } }]);
    t.notMatch(JSON.stringify(rows), /one\.example/, 'the log has no address');
  },
);

t.test('a file confirms who waits, and takes nothing back', async (t) => {
  await load('email,confirmed\nwaits@two.example,false\nsure@two.example,true\n');
  const again = await load('confirmed,email\nyes,waits@two.example\nNO,sure@two.example\n');
  t.same(again, { added: 0, changed: 1, unchanged: 1, refused: [] });
  t.match([...(await rowsOf('two.example'))], [{ confirmed: true }, { confirmed: true }]);
});

t.test('refused lines are named, and suppressed addresses stay suppressed', async (t) => {
  await sql`
    insert into suppressions (page_id, email, reason, created_at) values
      (${service.pageId}, 'gone@three.example', 'unsubscribed', now()),
      (${service.pageId}, 'dead@three.example', 'bounced', now())`;
  const lines = [
    '\ufeffTitle;name;Email;Confirmed;Language',
    ';Gone;gone@three.example;true;',
    ';Dead;dead@three.example;true;en',
    '',
    ';"Two',
    'lines";ok@three.example;TRUE;en-GB',
    ';;no address;true;',
    ';;unsaid@three.example;;',
    ';;odd@three.example;constructor;',
    ';;klingon@three.example;true;tlh',
    ';;OK@three.example;true;',
    ";;'+plus@three.example;1;",
  ];
  t.same(await load(lines.join('\r\n')), {
    ...{ added: 2, changed: 0, unchanged: 0 },
    refused: [
      { line: 2, reason: 'unsubscribed' },
      { line: 3, reason: 'bounced' },
      { line: 7, reason: 'invalidAddress' },
      { line: 8, reason: 'consentMissing' },
      { line: 9, reason: 'consentMissing' },
      { line: 10, reason: 'unknownLanguage' },
      { line: 11, reason: 'repeated' },
    ],
  });
  const emails = (await rowsOf('three.example')).map(({ email }) => email);
  t.same(emails, ['+plus@three.example', 'ok@three.example']);
  t.equal((await sql`select 1 from suppressions where email like '%@three.example'`).length, 2);
});

t.test('400: files that do not say what they mean', async (t) => {
  const wrong = [
    '',
    'ann@four.example\n',
    'email,language\nann@four.example,en\n',
    Buffer.from([0x65, 0xe9]),
  ];
  for (const csv of wrong) t.equal((await post(csv)).status, 400, String(csv));
  t.match((await post('email\n')).body, { error: /confirmed says for each address whether it has agreed/ });
  t.equal((await rowsOf('four.example')).length, 0);
});

t.test('413: files that are too long', async (t) => {
  const rows = Array.from({ length: importLimits.rows + 1 }, (_, i) => `n${i}@five.example,true`);
  const many = await post(`email,confirmed\n${rows.join('\n')}`);
  t.match([many.status, many.body], [413, { error: /more than 10000 addresses/ }]);
  t.equal((await post(`email,confirmed\n${'x'.repeat(importLimits.bytes)}`)).status, 413);
  t.equal((await rowsOf('five.example')).length, 0, 'nothing of it is kept');
});

t.test('10,000 addresses at once; beyond the bound of unconfirmed ones, lines are refused', async (t) => {
  const rows = Array.from({ length: importLimits.rows }, (_, i) => `n${i}@six.example,false`);
  const answers = await Promise.all([1, 2].map(() => load(`email,confirmed\n${rows.join('\n')}`)));
  const waiting = await sql`
    select 1 from subscribers where page_id = ${service.pageId} and confirmed_at is null`;
  t.equal(waiting.length, 10_000);
  const left = importLimits.rows - (await rowsOf('six.example')).length;
  t.ok(left > 0, 'others waited before');
  for (const { refused } of answers) {
    t.equal(refused.length, left);
    t.same(new Set(refused.map(({ reason }) => reason)), new Set(['tooManyUnconfirmed']));
  }
  t.equal(answers[0] && answers[1] && answers[0].added + answers[1].added, importLimits.rows - left);
  const sure = rows.map((row) => row.replace('false', 'true'));
  t.match(await load(`email,confirmed\n${sure.join('\n')}`), {
    ...{ added: left, changed: importLimits.rows - left },
    refused: [],
  });
});

t.test('429: one import of a page runs and two wait; what is refused is imported later', async (t) => {
  const rows = Array.from({ length: importLimits.rows }, (_, i) => `m${i}@nine.example,true`);
  const csv = `email,confirmed\n${rows.join('\n')}`;
  const answers = await Promise.all(Array.from({ length: 6 }, () => post(csv)));
  const refused = answers.filter(({ status }) => status === 429);
  t.ok(refused.length > 0);
  // On a slow machine one that waited has too little time left; it has then stored nothing.
  for (const { status } of answers) t.ok([200, 429, 503].includes(status), `${status}`);
  for (const { headers, body } of refused) {
    t.equal(headers.get('retry-after'), '1');
    t.same(body, { error: 'Other imports run now; wait for them.', code: 'rate_limited' });
  }
  const taken = answers.filter(({ status }) => status === 200).map(({ body }) => body as Sent);
  const all = [...taken, await load(csv)];
  t.equal(
    all.map(({ added }) => added).reduce((sum, added) => sum + added),
    rows.length,
    'each added once',
  );
  t.ok(all.every(({ refused }) => refused.length === 0));
  t.equal((await rowsOf('nine.example')).length, rows.length);
});

const skip = !process.env['DATABASE_URL'] && 'the embedded server runs one transaction at a time';

t.test(
  '503: an import that waited for as long as its request has stores nothing later',
  { skip },
  async (t) => {
    const csv = 'email,confirmed\nann@ten.example,true\n';
    const name = `subscriber import ${service.pageId}`;
    const answers = await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
      // The first waits for the lock, the second for the first.
      return Promise.all([post(csv), post(csv)]);
    });
    t.strictSame(
      answers.map(({ status }) => status),
      [503, 503],
    );
    t.equal((await load('email,confirmed\nben@ten.example,true\n')).added, 1, 'others have ended');
    const emails = (await rowsOf('ten.example')).map(({ email }) => email);
    t.same(emails, ['ben@ten.example']);
  },
);

t.test('401, 403, 404: callers who may not', async (t) => {
  const csv = 'email,confirmed\nann@seven.example,true\n';
  t.equal((await post(csv, { key: null })).status, 401);
  t.equal((await post(csv, { key: keys.read })).status, 403);
  t.equal((await post(csv, { key: keys.other })).status, 404);
  t.equal((await rowsOf('seven.example')).length, 0);
});
