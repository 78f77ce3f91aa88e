import t from 'tap';
import { loadPageId } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { newId } from '../../lib/ids.js';
import { openBothWays } from '../support/cli-both.js';
import { makeTeam } from '../support/on-call.js';

const { service, local, remote, same } = await openBothWays(t);
const { sql } = service.stores;
const page = ['--page', 'acme'];
await sql`delete from rules`; // Those that each page begins with.
await makeTeam({ sql, clock: systemClock }, { ada: 'editor', bob: 'responder' });

const failing = ['--kind', 'failure-rate', '--service', 'shop', '--percent', '5', '--window-minutes', '5'];

t.test('a rule is created, changed, shown, listed and deleted, here and over HTTP', async (t) => {
  t.match(
    (await local('rule', 'list', ...page)).stdout,
    /^acme has no rule yet; create one with: .*rule set/,
  );
  t.match(await remote('rule', 'set', 'checkout', ...page), { code: 2, stderr: /--kind .*is missing/ });
  const made = await remote('rule', 'set', 'checkout', ...page, ...failing, '--requests-min', '20', '--json');
  t.equal(made.stderr, '');
  t.match(JSON.parse(made.stdout), {
    ...{ slug: 'checkout', name: 'checkout', severity: 'page', target: { service: 'shop' } },
    condition: { percent: 5, windowMinutes: 5, requestsMin: 20 },
  });
  t.match(await local('rule', 'set', 'checkout', ...page), { code: 2, stderr: /nothing to change/ });
  t.match(await local('rule', 'set', 'checkout', ...page, '--kind', 'latency'), {
    ...{ code: 2, stderr: /is of the kind failure-rate, which cannot change/ },
  });
  const changed = await local(
    ...[
      'rule',
      'set',
      'checkout',
      ...page,
      '--percent',
      '2.5',
      '--endpoint',
      '/checkout',
      '--name',
      'Checkout fails',
    ],
    ...['--no-data', 'alert', '--for-seconds', '60', '--opens-incident', 'own', '--severity', 'ticket'],
  );
  t.match(changed, {
    ...{ code: 0, stderr: '' },
    stdout:
      /target +service shop, endpoint \/checkout\ncondition +windowMinutes 5, requestsMin 20, percent 2\.5\n/,
  });
  t.match(await remote('rule', 'set', 'checkout', ...page, '--endpoint', '', '--opens-incident', 'none'), {
    stdout: /target +service shop\n[\s\S]*opens incident +no\n/,
  });
  t.match(await remote('rule', 'set', 'behind', ...page, ...failing, '--depends-on', 'rule:checkout'), {
    stdout: /^The rule behind is created\.\n[\s\S]*depends on +rule checkout\n/,
  });
  t.match(
    (await same(t, 'rule', 'list', ...page)).stdout,
    /^behind .*\ncheckout +failure-rate +ticket +\S+/m,
  );
  t.match(await remote('rule', 'delete', 'checkout', ...page), {
    code: 1,
    stderr: /"behind" depends on "checkout"/,
  });
  t.match(await remote('rule', 'set', 'behind', ...page, '--depends-on', 'none', '--enabled', 'off'), {
    stdout: /state +off\n[\s\S]*depends on +nothing\n/,
  });
  t.match(await local('rule', 'delete', 'behind', ...page), {
    code: 0,
    stdout: 'The rule behind is deleted.\n',
  });
  t.match(await local('rule', 'show', 'behind', ...page), { code: 1 });
});

t.test('what is wrong with a rule is said, and nothing changes', async (t) => {
  const set = ['rule', 'set', 'wrong', ...page];
  t.match(await local(...set, '--kind', 'fax'), { code: 2, stderr: /--kind must be/ });
  t.match(await local(...set, '--kind', 'latency', '--over-ms', 'slow'), {
    code: 2,
    stderr: /must be a number/,
  });
  t.match(await local(...set, ...failing, '--over-ms', '5'), { code: 1, stderr: /no meaning for the kind/ });
  t.match(await local(...set, ...failing, '--depends-on', 'api'), {
    code: 2,
    stderr: /monitor:SLUG, rule:SLUG/,
  });
  t.match(await local('rule', 'show', 'wrong', ...page), { code: 1 });
  t.match(await local('rule', 'set', 'wrong', '--page', 'nobody', ...failing), { code: 1 });
});

t.test('an alert is listed, shown, acknowledged and resolved', async (t) => {
  t.match((await same(t, 'alerts', 'list', ...page)).stdout, 'acme has no open alert.\n');
  const [id, other] = [await makeAlert('shop'), await makeAlert('cart')];
  const listed = await same(t, 'alerts', 'list', ...page, '--rule', 'checkout', '--limit', '1');
  t.match(listed.stdout, new RegExp(`^ID .*\\n${other} +page +firing +\\S+ +checkout +cart +Failing\\n$`));
  const shown = await same(t, 'alerts', 'show', id, ...page);
  t.match(shown.stdout, /12 of 100 requests failed\.\n\nSERVICE +ENDPOINT .*\nshop +\/pay +50 +12\n/);
  t.match(shown.stdout, /Last deployment: shop 2\.4\.1, /);
  t.match(shown.stdout, /Nobody was told yet\.\n$/);
  const acknowledged = await remote('alerts', 'acknowledge', id, ...page, '--note', 'on it');
  t.match(acknowledged, { code: 0, stdout: /state +acknowledged\n[\s\S]*note +on it\n/ });
  t.match(await local('alerts', 'resolve', other), { code: 0, stdout: /state +resolved\n/ });
  t.match(await local('alerts', 'resolve', other), { code: 1, stderr: /The alert is over/ });
  const past = JSON.parse((await same(t, 'alerts', 'list', ...page, '--state', 'past', '--json')).stdout);
  t.match(past, { alerts: [{ id: other, endedBy: 'person' }] });
  t.match(await local('alerts', 'show', newId(0)), { code: 1, stderr: /no alert with the id/ });
});

t.test('a silence begins and ends', async (t) => {
  t.match(await local('silence', 'create', ...page), { code: 2, stderr: /--minutes N, or --until TIME/ });
  const made = await remote('silence', 'create', ...page, '--minutes', '30', '--service', 'shop', '--json');
  const { id } = JSON.parse(made.stdout);
  t.match(
    (await same(t, 'silence', 'list', ...page)).stdout,
    new RegExp(`${id} +active +\\S+ +service shop`),
  );
  t.match(await local('silence', 'end', id), { code: 0, stdout: `The silence ${id} is over.\n` });
  t.match((await same(t, 'silence', 'list', ...page)).stdout, /over/);
});

t.test('reports are sent to people and subscribers', async (t) => {
  t.match((await same(t, 'report', 'show', ...page)).stdout, /^every +off\nrecipients +nobody\n/);
  t.match(await local('report', 'set', ...page), { code: 2, stderr: /nothing to change/ });
  const set = await remote('report', 'set', ...page, '--every', 'weekly', '--recipient', 'ada@acme.example');
  t.match(set, { code: 0, stdout: /^every +weekly\nrecipients +ada@acme\.example\nto subscribers +off\n/ });
  const more = await local('report', 'set', ...page, '--to-subscribers', 'on');
  t.match(more, { stdout: /^every +weekly\nrecipients +ada@acme\.example\nto subscribers +on\n/ });
  const stranger = await remote('report', 'set', ...page, '--recipient', 'eve@evil.example');
  t.match(stranger, { code: 1, stderr: /eve@evil\.example/ });
  t.match(await remote('report', 'set', ...page, '--every', 'off', '--recipient', ''), {
    stdout: /^every +off\nrecipients +nobody\nto subscribers +on\n/,
  });
});

t.test('an objective is set, shown and deleted', async (t) => {
  const set = ['objective', 'set', 'pay', ...page];
  t.match(await local(...set), { code: 2, stderr: /--target/ });
  t.match(await remote(...set, '--target', '99.9', '--service', 'shop', '--under-ms', '500'), {
    ...{ code: 0, stderr: '' },
    stdout:
      /target +99\.9 % over 28 days\nof +shop within 500 ms\ncounted within +\S+ ms\npublic +no\n\nALERT[\s\S]*page +14\.4 +60 min +5 min\n/,
  });
  t.match(await local(...set, '--calendar', 'month', '--public', 'on'), {
    stdout: /99\.9 % over month\nof +shop within 500 ms\n[\s\S]*public +yes/,
  });
  t.match(await local(...set, '--monitor', 'api', '--service', 'shop'), { code: 2, stderr: /leave out/ });
  t.match((await same(t, 'objective', 'list', ...page)).stdout, /pay +99\.9 % +month +shop within 500 ms/);
  t.match(await remote('objective', 'delete', 'pay', ...page), { code: 0 });
});

t.test('a schedule says who is on call, and a policy tells it', async (t) => {
  const people = ['--person', 'ada@acme.example', '--person', 'bob@acme.example'];
  const turns = [...people, '--handoff', '2020-01-06T09:00', '--time-zone', 'Europe/Berlin'];
  t.match(await local('schedule', 'set', 'backend', ...page, ...people), { code: 2, stderr: /--handoff/ });
  t.match(await remote('schedule', 'set', 'backend', ...page, ...turns), {
    stdout:
      /^The schedule backend is created\.\n[\s\S]*ada@acme\.example, bob@acme\.example +2020-01-06T09:00 +1 weeks +always/,
  });
  t.match((await local('schedule', 'on-call', ...page)).stdout, /backend +(Ada|Bob) <\w+@acme\.example>/);
  const at = await same(
    t,
    'schedule',
    'on-call',
    'backend',
    ...page,
    '--at',
    '2020-01-14T12:00:00Z',
    '--json',
  );
  t.match(JSON.parse(at.stdout), { onCall: [{ slug: 'backend', now: { person: { name: 'Bob' } } }] });
  const [from, to] = ['2098-12-24T18:00:00Z', '2098-12-25T09:00:00Z'];
  const override = ['schedule', 'override', 'backend', ...page, '--person', 'ada@acme.example'];
  t.match(await local(...override, '--from', from, '--to', to), { code: 1, stderr: /days ahead/ });
  t.match(await local('schedule', 'set', 'backend', ...page, '--days', '2'), { stdout: /2 days/ });

  const set = ['policy', 'set', 'on-call', ...page];
  t.match(await local(...set), { code: 2, stderr: /--step/ });
  t.match(await local(...set, '--step', 'backend=10'), { code: 2, stderr: /such as schedule:backend/ });
  const steps = ['--step', 'schedule:backend=10', '--step', 'person:ada@acme.example=30'];
  t.match(await remote(...set, ...steps, '--default-for', 'page,ticket'), {
    stdout: /default for +page, ticket\n[\s\S]*1 +schedule backend +10 min\n2 +ada@acme\.example +30 min\n/,
  });
  t.match(await local(...set, '--default-for', 'none', '--repeat', '2'), {
    stdout: /default for +nothing\nrepeats +2\n/,
  });
  t.match((await same(t, 'policy', 'list', ...page)).stdout, /on-call +2 +on-call/);
  t.match(await local('schedule', 'delete', 'backend', ...page), { code: 1, stderr: /policy "on-call"/ });
  t.match(await local('policy', 'delete', 'on-call', ...page), { code: 0 });
  t.match(await local('schedule', 'delete', 'backend', ...page), { code: 0 });
});

/** An alert of the rule `checkout`, as the job makes it. */
async function makeAlert(group: string): Promise<string> {
  const now = new Date();
  const id = newId(Number(now));
  const evidence = {
    ...{ requests: 100, errors: 12, messages: [{ message: 'timeout', count: 12 }] },
    endpoints: [{ service: 'shop', endpoint: '/pay', requests: 50, errors: 12 }],
    deployment: { service: 'shop', version: '2.4.1', environment: null, at: now.toISOString() },
  };
  const pageId = await loadPageId(sql, 'acme');
  const [rule] = await sql<{ id: string }[]>`select id from rules where slug = 'checkout'`;
  await sql`insert into alerts ${sql({
    ...{ id, page_id: pageId, rule_id: rule?.id ?? null, rule_slug: 'checkout', rule_name: 'Checkout' },
    ...{ kind: 'failure-rate', group_key: group, group_name: group, severity: 'page', title: 'Failing' },
    ...{ started_at: now, evidence: sql.json(evidence) },
  })}`;
  return id;
}
