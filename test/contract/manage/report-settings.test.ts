import t from 'tap';
import type { ReportSettings } from '../../../contract/manage/report-settings.js';
import { systemClock } from '../../../lib/clock.js';
import { openManageClient } from '../../support/manage-client.js';
import { giveRole, makeUser, signInAs } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
const { send, keys } = await openManageClient(t, service);
const path = '/acme/report-settings';

for (const name of ['ada', 'bob']) {
  const { id } = await makeUser(deps, { email: `${name}@example.com` });
  await giveRole(deps, { userId: id, slug: 'acme', role: 'viewer' });
}
const put = (body: unknown, options: Parameters<typeof send>[3] = {}) => send('PUT', path, body, options);
const entries = () => sql`
  select before, after from audit_log where action = 'report-settings.update' order by at, id`;

t.test('200: nobody gets reports until somebody sets it, and each change has a row in the log', async (t) => {
  const before = await send('GET', path);
  const none: ReportSettings = { every: null, recipients: [], toSubscribers: false };
  t.strictSame([before.status, before.body], [200, none]);
  const set = { every: 'weekly', recipients: [' Bob@example.com', 'ada@example.com'], toSubscribers: true };
  const answer = await put(set, { headers: { 'if-match': before.headers.get('etag') ?? '' } });
  const after = { ...set, recipients: ['ada@example.com', 'bob@example.com'] };
  t.strictSame([answer.status, answer.body], [200, after], JSON.stringify(answer.body));
  t.strictSame((await send('GET', path)).body, after);
  t.equal((await put(after)).status, 200, 'the same again');
  t.strictSame(
    [...(await entries())].map((row) => ({ ...row })),
    [{ before: none, after }],
  );
  const tag = answer.headers.get('etag') ?? '';
  const unchanged = await send('GET', path, undefined, { headers: { 'if-none-match': tag } });
  t.equal(unchanged.status, 304);
  t.strictSame(
    (await put({ every: 'monthly' })).body,
    { ...none, every: 'monthly' },
    'the rest is turned off',
  );
  t.equal((await put(after, { headers: { 'if-match': tag } })).status, 412);
  t.match((await send('GET', path)).body, { every: 'monthly' });
});

t.test('200: a person without a role any more gets none', async (t) => {
  await put({ every: 'weekly', recipients: ['ada@example.com', 'bob@example.com'] });
  await sql`delete from page_roles where user_id = (select id from users where email = 'bob@example.com')`;
  t.match((await send('GET', path)).body, { recipients: ['ada@example.com'] });
});

t.test('400: what does not fit is named', async (t) => {
  for (const [body, error] of [
    [{}, /every/],
    [{ every: 'daily' }, /every/],
    [{ every: 'weekly', recipients: ['eve@example.com'] }, /\/recipients\/0 must be the email of somebody/],
    [{ every: 'weekly', recipients: ['ada@example.com', 'ADA@example.com'] }, /\/recipients\/1/],
    [{ every: 'weekly', toSubscribers: 'yes' }, /toSubscribers/],
    [{ every: 'weekly', unknown: 1 }, /unknown/],
  ] as const)
    t.match(await put(body), { status: 400, body: { error } }, JSON.stringify(body));
});

t.test('403, 404: who may not change it, and another page', async (t) => {
  t.equal((await send('GET', path, undefined, { key: keys.read })).status, 403);
  const { headers } = await signInAs(deps, { slug: 'acme', role: 'viewer' });
  t.equal((await put({ every: null }, { key: null, headers })).status, 403);
  t.equal((await send('GET', path, undefined, { key: keys.other })).status, 404);
  t.equal((await put({ every: 'monthly' }, { key: keys.other })).status, 404);
  t.match((await send('GET', path)).body, { every: 'weekly' });
});
