import t from 'tap';
import { createKey } from '../../../control/keys/index.js';
import { systemClock } from '../../../lib/clock.js';
import { jobs } from '../../../service/jobs/jobs.js';
import { testActor } from '../../support/actor.js';
import { makeKey } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { startAnother, startTestService, withoutJobs } from '../../support/service.js';
import { startSmtpSink } from '../../support/smtp-sink.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock, by: testActor };
const { key: adminKey } = await createKey(deps, { pageId: null, scope: 'admin' });
const { key: manageKey } = await makeKey(deps, { slug: 'acme', scope: 'manage' });

type Installation = {
  instances: { id: string; roles: string[] }[];
  jobs: {
    name: string;
    isRunning: boolean;
    lastRun: { succeededAt: string | null } | null;
    nextRunAt: string;
  }[];
};

async function read(): Promise<Installation> {
  const answer = await service.get('/api/v1/installation', { authorization: `Bearer ${adminKey}` });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body as Installation;
}

const run = (name: string, key = adminKey) => service.post(`/api/v1/jobs/${name}/run`, undefined, { key });

t.test('200: stores, instances, jobs and backlogs', async (t) => {
  const askedAt = Date.now();
  const installation = await read();
  t.match(installation, {
    version: /^\d+\.\d+\.\d+/,
    stores: {
      postgres: { isAvailable: true, version: /^\d+/ },
      clickhouse: { isAvailable: true, version: /^\d+\.\d+/, bytes: Number },
    },
    backlogs: { outbox: [{ kind: 'email', waiting: 0 }, {}, {}] },
  });
  t.strictSame(
    installation.jobs.map(({ name }) => name),
    jobs.map(({ name }) => name),
  );
  for (const { nextRunAt } of installation.jobs) t.ok(Date.parse(nextRunAt) > askedAt, nextRunAt);
});

t.test('instances come and go', async (t) => {
  const [own] = (await read()).instances;
  t.match(own, { roles: ['api', 'probe', 'deliver'] });
  const another = await startAnother(t, service, { roles: new Set(['api'] as const) });
  await waitUntil('the other is there', async () => (await read()).instances.length === 2);
  await another.service.close();
  t.strictSame(
    (await read()).instances.map(({ id }) => id),
    [own?.id],
  );
});

t.test('200: a job runs now, and the log says who asked', async (t) => {
  const { status, body } = await run('prune-rejections');
  t.equal(status, 200);
  t.same(body, { job: 'prune-rejections', state: 'succeeded' });
  const job = (await read()).jobs.find(({ name }) => name === 'prune-rejections');
  t.match(job, { isRunning: false, lastRun: { succeededAt: String } });
  const [row] = await deps.sql`select actor_type, target_name from audit_log where action = 'job.run'`;
  t.same(row, { actor_type: 'key', target_name: 'prune-rejections' });
});

t.test(
  '200: a test mail goes to the admin who asks, and the answer has the words of the server',
  async (t) => {
    const admin = await signInAs(deps, 'admin');
    const sink = await startSmtpSink(t);
    const smtpUrl = sink.url.replace('//', '//heartline:secret-word@');
    const another = await startAnother(t, service, {
      smtpUrl: `${smtpUrl}?tls=insecure&from=status@example.com`,
      roles: new Set(['api'] as const),
    });
    const ask = () =>
      another.post('/api/v1/installation/test-mail', undefined, { key: null, headers: admin.headers });
    const { email: to } = admin;
    t.match(await ask(), { status: 200, body: { to, state: 'accepted', reason: null } });
    t.match(sink.to(to), [{ subject: 'Test mail', from: { text: '"Heartline" <status@example.com>' } }]);
    sink.refuse = () => '554 5.7.1 Relay access denied for heartline with secret-word';
    t.match(await ask(), {
      status: 200,
      body: { to, state: 'failed', reason: /554 5\.7\.1 Relay access denied for heartline with …$/ },
    });
    await sink.stop();
    const gone = await ask();
    t.match(gone, { status: 200, body: { state: 'failed', reason: /./ } });
    const rows = await deps.sql<{ actor: string; name: string; after: object }[]>`
    select actor_id as actor, target_name as name, after from audit_log where action = 'mail.test' order by id`;
    t.match(rows, [
      { actor: admin.id, name: to, after: { state: 'accepted' } },
      { actor: admin.id, name: to, after: { state: 'failed' } },
      { actor: admin.id, name: to, after: { state: 'failed' } },
    ]);
    t.notMatch(JSON.stringify([rows, gone.body]), /secret-word/);
  },
);

t.test('409 and 403: a test mail needs a mail server, and an admin who is signed in', async (t) => {
  const send = (options: object) => service.post('/api/v1/installation/test-mail', undefined, options);
  const admin = await signInAs(deps, 'admin');
  const { status, body } = await send({ key: null, headers: admin.headers });
  t.same(
    [status, body],
    [
      409,
      { error: 'No mail can be sent: set HEARTLINE_SMTP_URL and restart the service.', code: 'conflict' },
    ],
  );
  t.match(await send({ key: adminKey }), { status: 403, body: { error: /sign in/ } });
  t.equal((await send({ key: manageKey })).status, 403);
  for (const role of ['viewer', 'responder', 'editor', 'owner'] as const) {
    const { headers } = await signInAs(deps, { slug: 'acme', role });
    t.equal((await send({ key: null, headers })).status, 403, role);
  }
});

t.test('409: a job does not run twice at a time', async (t) => {
  await deps.sql`
    insert into job_leases (job, holder, expires_at, started_at)
    values ('prune-names', gen_random_uuid(), now() + interval '20 seconds', now())`;
  t.equal((await run('prune-names')).status, 409);
  t.match(
    (await read()).jobs.find(({ name }) => name === 'prune-names'),
    {
      isRunning: true,
      lastRun: { endedAt: null },
    },
  );
});

t.test('403 and 404', async (t) => {
  t.equal((await run('prune-names', manageKey)).status, 403);
  const { status } = await service.get('/api/v1/installation', { authorization: `Bearer ${manageKey}` });
  t.equal(status, 403);
  t.equal((await run('no-such-job')).status, 404);
});
