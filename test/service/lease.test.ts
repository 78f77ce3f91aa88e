import t, { type Test } from 'tap';
import type { Clock } from '../../lib/clock.js';
import type { Job, JobDeps } from '../../service/jobs/job.js';
import { findAbandoned, runLeased } from '../../service/jobs/lease.js';
import { testActor } from '../support/actor.js';
import { silentLog } from '../support/silent-log.js';
import { openStores } from '../support/stores.js';

async function openJobDeps(t: Test, clock: Clock): Promise<JobDeps> {
  const stores = await openStores(t);
  return { ...stores, clickhouseOf: () => stores.clickhouse, clock, log: silentLog };
}

t.test('a due job runs on one of two instances', async (t) => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const deps = await openJobDeps(t, { now: () => now });
  let runs = 0;
  const counting: Job = {
    name: 'counting',
    summary: '',
    schedule: '* * * * *',
    async run() {
      runs += 1;
    },
  };

  const ran = await Promise.all([runLeased(counting, deps, now), runLeased(counting, deps, now)]);
  t.same(ran.toSorted(), [false, true]);
  t.equal(runs, 1);

  now += 1000;
  t.equal(await runLeased(counting, deps, now - 30_000), false, 'the job has finished since it was due');
  now += 60_000;
  t.equal(await runLeased(counting, deps, now - 30_000), true, 'the job is due again');
  t.equal(runs, 2);

  now -= 30_000;
  t.equal(await runLeased(counting, deps, now - 30_000), false, 'the clock of another instance is behind');
  now -= 3_600_000;
  t.equal(await runLeased(counting, deps, now - 30_000), true, 'the clock was put back by an hour');
  t.equal(await runLeased(counting, deps, now - 30_000), false);
  t.equal(runs, 3);
});

t.test('a run that somebody asks for is in the audit log, or does not begin', async (t) => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const deps = await openJobDeps(t, { now: () => now });
  let runs = 0;
  const run = async () => {
    runs += 1;
  };
  const job = { name: 'asked', summary: '', schedule: '* * * * *', run };
  const { sql } = deps;
  await sql`alter table audit_log rename to audit_log_gone`;
  await t.rejects(runLeased(job, deps, now, testActor));
  await sql`alter table audit_log_gone rename to audit_log`;
  t.equal(runs, 0);
  t.same([...(await sql`select job from job_leases`)], [], 'the next run need not wait for the lease');

  t.equal(await runLeased(job, deps, now, testActor), true);
  t.equal(await runLeased(job, deps, now + 1), true, 'on schedule');
  t.equal(runs, 2);
  const rows = await sql`select action, target_id as target, actor_name as actor from audit_log`;
  t.same([...rows], [{ action: 'job.run', target: 'asked', actor: testActor.name }]);
});

t.test('a crashed run is taken over when its lease ends, a failed run at once', async (t) => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const deps = await openJobDeps(t, { now: () => now });
  const job = (run: () => Promise<void>): Job => ({ name: 'dying', summary: '', schedule: '* * * * *', run });
  const idle = job(async () => {});
  void runLeased(
    job(() => new Promise<never>(() => {})),
    deps,
    now,
  );
  await t.resolves(waitForLease(deps));

  t.equal(await runLeased(idle, deps, now), false);
  now += 29_000;
  t.same(await findAbandoned([idle], deps), []);
  t.equal(await runLeased(idle, deps, now), false);
  now += 1_000;
  t.match(await findAbandoned([idle], deps), [{ name: 'dying' }]);
  await t.rejects(
    runLeased(
      job(async () => {
        throw new Error('broken');
      }),
      deps,
      now,
    ),
    { message: 'broken' },
  );
  t.same(await findAbandoned([idle], deps), [], 'a failed run was not cut off');
  t.equal(await runLeased(idle, deps, now), true);
});

async function waitForLease({ sql }: JobDeps): Promise<void> {
  for (;;) {
    const rows = await sql`SELECT 1 FROM job_leases`;
    if (rows.length === 1) return;
  }
}
