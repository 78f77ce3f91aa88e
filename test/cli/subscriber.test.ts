import t from 'tap';
import { environmentFor } from '../support/cli-environment.js';
import { makePage } from '../support/pages.js';
import { runInProcess } from '../support/run-heartline.js';
import { openTestPostgres } from '../support/stores.js';

const postgres = await openTestPostgres(t);
const { sql } = postgres;
// ClickHouse is unavailable.
const env = environmentFor(postgres);
const page = await makePage(sql, { slug: 'acme', languages: ['en', 'de'] });

const run = (...args: string[]) => runInProcess(['subscriber', ...args], env);
const onPage = ['--page', 'acme'];
async function json(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json');
  t.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

t.test('addresses are added, listed and removed', async (t) => {
  const asked = await json('add', ...onPage, '--email', 'Ann@Example.com', '--language', 'de-AT');
  t.match(asked, { email: 'ann@example.com', language: 'de', state: 'unconfirmed', confirmedAt: null });
  const added = await json('add', ...onPage, '--email', 'bob@example.com', '--confirmed');
  t.match(added, { email: 'bob@example.com', language: 'en', state: 'confirmed', confirmedAt: /^20/ });
  const { subscribers } = await json('list', ...onPage);
  t.same(subscribers, [asked, added]);
  t.same(await json('list', ...onPage, '--limit', '1', '--after', asked.id), { subscribers: [added] });
  const [head, first] = (await run('list', ...onPage)).stdout.split('\n');
  t.match(head, /^ID +EMAIL +LANGUAGE +STATE +CREATED$/);
  t.match(first, new RegExp(`^${asked.id}  ann@example\\.com  de +unconfirmed  20\\S+Z$`));
  t.same(await json('remove', ...onPage, '--email', 'ann@example.com'), { email: 'ann@example.com' });
  t.same(await json('list', ...onPage), { subscribers: [added] });
});

t.test('the text says what happens next', async (t) => {
  const said = async (...args: string[]) => (await run(...args)).stdout;
  t.equal(
    await said('add', ...onPage, '--email', 'eve@example.com'),
    'eve@example.com is asked to confirm email of acme, in en.\n',
  );
});

t.test('a suppressed address gets no email until the suppression is lifted', async (t) => {
  const address = ['--email', 'bob@example.com'];
  await sql`
    insert into suppressions (page_id, email, reason, created_at)
    values (${page.id}, 'bob@example.com', 'bounced', now())`;
  t.match(await json('list', ...onPage), { subscribers: [{ state: 'bounced' }] });
  t.match(await run('add', ...onPage, ...address, '--confirmed'), {
    code: 1,
    stderr:
      'heartline: bob@example.com is suppressed (bounced); lift that first with: npx heartline subscriber unsuppress\n',
  });
  const lifted = await json('unsuppress', ...onPage, ...address);
  t.same(lifted, { email: 'bob@example.com', reason: 'bounced' });
  t.match(await json('list', ...onPage), { subscribers: [{ state: 'confirmed' }] });
});

t.test('emails are listed, and a parked one is sent again', async (t) => {
  await run('add', ...onPage, '--email', 'mail@example.com');
  const { emails } = await json('emails', ...onPage);
  t.match(emails, [
    { kind: 'confirmation', email: 'mail@example.com', state: 'pending', attempts: 0, nextAttemptAt: /^20/ },
  ]);
  const id: string = emails[0].id;
  t.match(
    (await run('resend', id)).stderr,
    `The email ${id} is pending; only a parked one can be sent again.`,
  );
  await sql`update emails set state = 'parked', attempts = 8, reason = 'refused', finished_at = now()`;
  const [head, row] = (await run('emails', ...onPage, '--state', 'parked')).stdout.split('\n');
  t.match(head, /^ID +KIND +TO +STATE +ATTEMPTS +CREATED +REASON$/);
  t.match(row, new RegExp(`^${id}  confirmation  mail@example\\.com  parked  8 +20\\S+Z  refused$`));
  t.same(await json('resend', id), { id });
  t.match(await json('emails', ...onPage), { emails: [{ state: 'pending', attempts: 0, reason: null }] });
});

t.test('a refusal is one sentence and exit code 1', async (t) => {
  const noId = '01890000-0000-7000-8000-000000000000';
  const refusals: [string[], string][] = [
    [
      ['list', '--page', 'none'],
      'There is no page with the slug "none".\nList the pages with: npx heartline page list',
    ],
    [
      ['add', ...onPage, '--email', 'a@example.com', '--language', 'fr'],
      'The page publishes en, de, not "fr".',
    ],
    [['remove', ...onPage, '--email', 'x@example.com'], 'x@example.com is not a subscriber of acme.'],
    [['unsuppress', ...onPage, '--email', 'x@example.com'], 'x@example.com is not suppressed on acme.'],
    [['resend', noId], `There is no email with the id "${noId}".`],
  ];
  for (const [args, sentence] of refusals) {
    t.same(await run(...args), { code: 1, stdout: '', stderr: `heartline: ${sentence}\n` });
  }
  t.equal((await run('list', ...onPage, '--after', 'x')).code, 2);
});
