import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { inOrder } from '../../../cli/apply/in-order.js';
import { systemClock } from '../../../lib/clock.js';
import { environmentFor } from '../../support/cli-environment.js';
import { makeTeam } from '../../support/on-call.js';
import { runInProcess } from '../../support/run-heartline.js';
import { openTestPostgres } from '../../support/stores.js';

const [first, second] = [await openTestPostgres(t), await openTestPostgres(t)];
const env = { ...environmentFor(first), HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on' };
const file = join(t.testdir(), 'heartline.yml');
const heartline = (args: string[], to = env) => runInProcess(args, to);

async function apply(text: string, args: string[] = [], to = env) {
  await writeFile(file, text);
  return heartline(['apply', file, ...args], to);
}

async function auditRows(): Promise<number> {
  const [row] = await first.sql<{ count: number }[]>`select count(*)::int as count from audit_log`;
  return row?.count ?? 0;
}

const page = 'page: { slug: acme, hostname: acme.example }\n';
/** A rule stands before the one that it depends on. */
const whole = `${page}
monitors: { api: { type: manual, name: API } }
channels: { Team chat: { kind: webhook, settings: { url: 'https://hooks.example/a' } } }
schedules:
  backend:
    name: ' Backend '
    timeZone: europe/berlin
    layers:
      - name: Weeks
        people: [Ada@acme.example, bob@acme.example]
        handoff: 2026-11-30T09:00
        every: { weeks: 1 }
        hours: [{ from: '09:00', to: '17:00', days: [fri, mon] }]
policies:
  on-call:
    name: On-call
    steps:
      - { notify: [{ schedule: backend }], waitMinutes: 10 }
      - { notify: [{ person: Bob@acme.example }, { channel: Team chat }], waitMinutes: 30 }
    repeat: 2
    defaultFor: [ticket, page]
objectives:
  checkout:
    name: Checkout
    target: 99.9
    window: { days: 28 }
    isPublic: true
    sli: { requests: { service: shop, endpoint: /checkout/, method: post, underMs: 500 } }
rules:
  checkout-fails:
    name: Checkout fails
    kind: failure-rate
    target: { service: shop, endpoint: /checkout }
    condition: { percent: 2, windowMinutes: 5, requestsMin: 20 }
    policy: on-call
    dependsOn: [{ rule: database-down }, { monitor: api }]
  database-down: { name: Database down, kind: monitor, target: { monitor: api }, condition: { is: down }, noData: ok }
  burns:
    name: Burns
    kind: burn-rate
    target: { objective: checkout }
    condition: { factor: 14.4, longMinutes: 60, shortMinutes: 5 }
`;

t.before(async () => {
  for (const [stores, to] of [
    [first, env],
    [second, environmentFor(second)],
  ] as const) {
    await heartline(['page', 'create', 'acme', '--hostname', 'acme.example'], to as typeof env);
    // Each page begins with some, which these files do not name.
    await stores.sql`delete from rules`;
    await makeTeam({ sql: stores.sql, clock: systemClock }, { ada: 'editor', bob: 'responder' });
  }
});

t.test('what alerts and who is told is made in the order in which it names each other', async (t) => {
  const plan = await apply(whole, ['--plan']);
  t.same(plan.stderr, '');
  t.equal(plan.code, 2);
  t.strictSame(
    [...plan.stdout.matchAll(/^\+ (.*)$/gm)].map(([, line]) => line),
    [
      ...['monitor api', 'channel Team chat', 'schedule backend', 'policy on-call', 'objective checkout'],
      ...['rule database-down', 'rule checkout-fails', 'rule burns'],
    ],
  );
  t.match(await apply(whole), { code: 0, stderr: '', stdout: /acme: 8 created\.\n$/ });
  const before = await auditRows();
  t.match(await apply(whole, ['--prune']), { code: 0, stdout: 'acme is as the file says.\n' });
  t.equal(await auditRows(), before, 'nothing is in the audit log');
});

t.test('an exported file changes nothing, and makes the same elsewhere', async (t) => {
  const { stdout, stderr } = await heartline(['export', 'acme']);
  t.equal(stderr, '');
  t.match(stdout, /^ {2}checkout-fails:\n {4}name: Checkout fails\n {4}kind: failure-rate\n/m);
  t.notMatch(stdout, /forSeconds|noData: (keep|ok)|enabled/, 'defaults are left out');
  const before = await auditRows();
  t.match(await apply(stdout, ['--prune']), { code: 0, stdout: 'acme is as the file says.\n' });
  t.equal(await auditRows(), before);
  const other = { ...env, ...environmentFor(second) };
  const withSecret = stdout.replace(
    'kind: webhook',
    "kind: webhook\n    settings: { url: 'https://hooks.example/a' }",
  );
  t.match(await apply(withSecret, ['--prune'], other), { code: 0, stderr: '' });
  t.equal((await heartline(['export', 'acme'], other)).stdout, stdout);
  t.match(await apply(stdout, ['--prune'], other), { code: 0, stdout: 'acme is as the file says.\n' });
});

t.test('rules change sides, and are deleted before what they depend on', async (t) => {
  const turned = whole
    .replace('dependsOn: [{ rule: database-down }, { monitor: api }]', 'dependsOn: []')
    .replace('noData: ok }', 'noData: ok, dependsOn: [{ rule: checkout-fails }] }');
  t.match(await apply(turned), {
    ...{ code: 0, stderr: '' },
    stdout: /^~ rule checkout-fails\n(?: .*\n)+~ rule database-down\n/,
  });
  const circle = whole.replace('noData: ok }', 'noData: ok, dependsOn: [{ rule: checkout-fails }] }');
  t.match(await apply(circle), {
    code: 1,
    stderr: /heartline\.yml:\d+:3: rule \S+: \/dependsOn\/0\/rule: "\S+" depends on this rule\./,
  });
  const without = turned.replace(/^objectives:[\s\S]*$/m, 'objectives: {}\nrules: {}\n');
  t.match(await apply(without), { code: 0, stdout: /kept without --prune: .*rule database-down/ });
  t.match(await apply(without, ['--prune']), {
    ...{ code: 0, stderr: '' },
    stdout: /- rule database-down\n(?:- rule .*\n)*- rule checkout-fails\n[\s\S]*- objective checkout\n/,
  });
  const nothing = `${page}schedules: {}\npolicies: {}\nchannels: {}\nmonitors: {}\n`;
  t.match(await apply(nothing, ['--prune']), {
    ...{ code: 0, stderr: '' },
    stdout: '- policy on-call\n- schedule backend\n- monitor api\n- channel Team chat\nacme: 4 deleted.\n',
  });
});

t.test('rules that an objective makes by itself stay with it', async (t) => {
  const objective = `objectives: { pay: { name: Pay, target: 99, window: { days: 7 }, sli: { requests: {} } } }\n`;
  const burns =
    'kind: burn-rate, target: { objective: pay }, condition: { factor: 9, longMinutes: 60, shortMinutes: 5 }';
  const rules = `rules:\n  pay-page-fast: { name: Pay, ${burns} }\n  pay-burns: { name: Pay, ${burns} }\n`;
  t.match(await apply(page + objective + rules), { code: 0, stderr: '' });
  const none = `${page}${objective}rules: {}\n`;
  const pruned = await apply(none, ['--prune']);
  t.match(pruned, { code: 0, stdout: /^- rule pay-burns\n/ });
  t.notMatch(pruned.stdout, 'pay-page-fast');
  t.match(await apply(none, ['--prune']), { stdout: 'acme is as the file says.\n' });
  const { stdout } = await heartline(['export', 'acme']);
  t.match(stdout, / {2}pay-page-fast:\n/);
  const changed = stdout.replace('days: 7', 'days: 14');
  t.match(await apply(changed, ['--prune']), { code: 0, stderr: '', stdout: /~ objective pay\n/ });
  t.match(await apply(changed, ['--prune']), { stdout: 'acme is as the file says.\n' });
  t.match(await apply(`${page}objectives: {}\nrules: {}\n`, ['--prune']), { code: 0, stderr: '' });
  t.notMatch((await heartline(['export', 'acme'])).stdout, 'pay-page-fast');
});

t.test('reports go to whom the file says, and to nobody when it says nothing of them', async (t) => {
  const reports = (text: string) => `${page}reports: ${text}\n`;
  const weekly = reports('{ every: weekly, recipients: [Bob@acme.example, ada@acme.example] }');
  t.match(await apply(weekly), { code: 0, stderr: '', stdout: /^~ reports acme\n/ });
  t.match(await apply(weekly), { stdout: 'acme is as the file says.\n' });
  t.match(await apply(page), { stdout: 'acme is as the file says.\n' });
  const { stdout } = await heartline(['export', 'acme']);
  t.match(
    stdout,
    'reports:\n  every: weekly\n  recipients:\n    - ada@acme.example\n    - bob@acme.example\n',
  );
  t.match(await apply(reports('{ every: daily }')), { code: 1, stderr: /heartline\.yml:2:/ });
  t.match(await apply(reports('{ every: weekly, recipients: [eve@evil.example] }')), {
    code: 1,
    stderr: /heartline\.yml:2:\d+: reports acme: .*eve@evil\.example/,
  });
  t.match(await apply(reports('{ every: null }')), { code: 0, stderr: '', stdout: /^~ reports acme\n/ });
});

t.test('a default goes from one policy to another, and two change theirs', async (t) => {
  const policy = (slug: string, defaults: string) =>
    `  ${slug}: { name: ${slug}, steps: [{ notify: [{ person: ada@acme.example }], waitMinutes: 5 }], defaultFor: [${defaults}] }\n`;
  const of = (a: string, b: string) => `${page}policies:\n${policy('a', a)}${policy('b', b)}`;
  const defaults = async () => {
    const { stdout } = await heartline(['export', 'acme', '--json']);
    const { a, b } = JSON.parse(stdout).policies;
    return [a?.defaultFor ?? [], b?.defaultFor ?? []];
  };
  t.match(await apply(of('page', 'ticket')), { code: 0, stderr: '' });
  t.match(await apply(of('ticket', 'page')), { code: 0, stderr: '' });
  t.strictSame(await defaults(), [['ticket'], ['page']]);
  t.match(await apply(of('', 'page, ticket')), { code: 0, stderr: '' });
  t.match(await apply(of('', 'page, ticket')), { stdout: 'acme is as the file says.\n' });
  const only = `${page}policies:\n${policy('a', 'page')}`;
  t.match(await apply(only), { code: 1, stderr: /The policy "b" is the default for page; take that/ });
  t.match(await apply(only, ['--prune']), { code: 0, stderr: '', stdout: /- policy b\n/ });
  t.strictSame(await defaults(), [['page'], []]);
  t.match(await apply(of('page', 'info, page')), {
    code: 1,
    stderr: /heartline\.yml:4:\d+: The policy "a" is the default for page already\./,
  });
});

t.test('the section alertRule says the rule failure-rate', async (t) => {
  const alertRule = 'alertRule: { thresholdPercent: 5, windowSeconds: 300, minimumRequests: 100 }\n';
  const both = `${page}${alertRule}rules: {}\n`;
  t.match(await apply(both, ['--prune']), { code: 0, stderr: '' });
  t.match(await apply(both, ['--prune']), { stdout: 'acme is as the file says.\n' });
  const { stdout } = await heartline(['export', 'acme']);
  t.match(stdout, / {2}failure-rate:\n/);
  t.notMatch(stdout, 'alertRule');
  t.match(await apply(stdout, ['--prune']), { stdout: 'acme is as the file says.\n' });
  t.match(await apply(stdout + alertRule), {
    code: 1,
    stderr: /alertRule is the rule "failure-rate" as well/,
  });
  t.match(await apply(`${page}alertRule: null\nrules: {}\n`, ['--prune']), { code: 0, stderr: '' });
});

t.test('a kind changes with --prune alone', async (t) => {
  const of = (rest: string) => `${page}rules: { slow: { name: Slow, ${rest} } }\n`;
  const failing = of('kind: failure-rate, condition: { percent: 2, windowMinutes: 5 }');
  const slow = of('kind: latency, condition: { percentile: p95, overMs: 500, windowMinutes: 5 }');
  t.match(await apply(failing), { code: 0, stderr: '' });
  t.match(await apply(slow), {
    code: 1,
    stderr: /The rule "slow" is of the kind failure-rate and cannot become latency; with --prune/,
  });
  const behind =
    '  behind: { name: B, kind: monitor, condition: { is: down }, dependsOn: [{ rule: slow }] }\n';
  const indented = (text: string) => text.replace(/rules: \{ (.*) \}$/m, 'rules:\n  $1');
  t.match(await apply(indented(failing) + behind), { code: 0, stderr: '' });
  t.match(await apply(indented(slow) + behind, ['--prune']), {
    ...{ code: 0, stderr: '', stdout: /± rule slow\n/ },
  });
  t.match(await apply(indented(slow) + behind, ['--prune']), { stdout: 'acme is as the file says.\n' });
});

t.test('a turn of an account that was deleted stays, until the schedule changes', async (t) => {
  const { sql } = first;
  const schedule = `${page}schedules:
  backend:
    name: Backend
    timeZone: UTC
    layers:
      - { name: Weeks, people: [ada@acme.example, bob@acme.example], handoff: 2026-11-30T09:00, every: { weeks: 1 } }
`;
  t.match(await apply(schedule), { code: 0, stderr: '' });
  await sql`delete from users where email = 'bob@acme.example'`;
  const { stdout } = await heartline(['export', 'acme']);
  t.match(stdout, /people:\n +- ada@acme\.example\n +- null\n/);
  t.match(await apply(stdout, ['--prune']), { code: 0, stdout: 'acme is as the file says.\n' });
  t.match(await apply(stdout.replace('name: Backend', 'name: Back')), {
    code: 1,
    stderr: /schedule backend: \/layers\/0\/people\/1 must be a text; it was null/,
  });
});

t.test('the file of the docs is one of apply', async (t) => {
  const docs = await readFile(new URL('../../../../docs/apply.md', import.meta.url), 'utf8');
  const [, text = ''] = /```yaml\n(schedules:.*?)```/s.exec(docs) ?? [];
  await makeTeam({ sql: first.sql, clock: systemClock }, { grace: 'responder' });
  const more = `monitors: { database: { type: manual, name: Database } }
channels: { Team chat: { kind: webhook, settings: { url: 'https://hooks.example/a' } } }
`;
  const asked = page + more + text.replaceAll('@example.com', '@acme.example');
  t.match(await apply(asked, ['--prune']), { code: 0, stderr: '' });
  t.match(await apply(asked, ['--prune']), { code: 0, stdout: 'acme is as the file says.\n' });
});

t.test('an order goes through what is not ordered, and a circle ends', (t) => {
  const ones = [{ slug: 'a' }, { slug: 'b' }, { slug: 'c' }];
  const order = (behind: Record<string, string[]>) =>
    inOrder(ones, new Map(Object.entries(behind)))
      .map(({ slug }) => slug)
      .join('');
  t.equal(order({}), 'abc');
  t.equal(order({ a: ['kept'], kept: ['c'] }), 'cab');
  t.equal(order({ a: ['b'], b: ['a'] }).length, 3);
  t.end();
});
