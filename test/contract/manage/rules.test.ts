import t from 'tap';
import { ruleLimits } from '../../../contract/manage/rules.js';
import { systemClock } from '../../../lib/clock.js';
import { openManageClient } from '../../support/manage-client.js';
import { giveRole, makeUser } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);

const failing = {
  ...{ name: 'Checkout fails', kind: 'failure-rate', target: { service: 'shop', endpoint: '/checkout' } },
  condition: { percent: 5, windowMinutes: 5, requestsMin: 20 },
};
const path = '/acme/rules/checkout';
const latency = { percentile: 'p95', overMs: 500, windowMinutes: 5 };

t.test('201, 200: a rule is made and replaced; the same again changes nothing', async (t) => {
  const created = await send('PUT', path, failing);
  t.match(created, {
    status: 201,
    body: {
      ...{
        ...failing,
        slug: 'checkout',
        forSeconds: 0,
        resolveForSeconds: 0,
        noData: 'keep',
        severity: 'page',
      },
      ...{ policy: null, opensIncident: null, dependsOn: [], enabled: true, state: 'ok', alerts: 0 },
    },
  });
  t.equal(created.headers.get('location'), '/api/v1/pages/acme/rules/checkout');
  const same = await send('PUT', path, failing);
  t.match(same, { status: 200 });
  t.equal(same.headers.get('etag'), created.headers.get('etag'));
  const slower = { ...failing, forSeconds: 60 };
  t.match(await send('PUT', path, slower), { status: 200, body: { forSeconds: 60 } });
  t.match(await send('GET', path, undefined, { key: keys.read }), { status: 200, body: { forSeconds: 60 } });
  t.match(await sql`select action, before, after from audit_log where target_type = 'rule' order by at, id`, [
    { action: 'rule.create', before: null, after: { slug: 'checkout', condition: failing.condition } },
    { action: 'rule.update', before: { forSeconds: 0 }, after: { forSeconds: 60 } },
  ]);
});

t.test('200: some fields are changed, from the state that the caller knows', async (t) => {
  const { headers } = await send('GET', path);
  const ifMatch = { headers: { 'if-match': headers.get('etag') ?? '' } };
  t.match(await send('PATCH', path, { severity: 'ticket' }, ifMatch), { body: { severity: 'ticket' } });
  t.equal((await send('PATCH', path, { severity: 'page' }, ifMatch)).status, 412);
  t.equal((await send('DELETE', path, undefined, ifMatch)).status, 412);
  t.equal((await send('PUT', path, failing, { headers: { 'if-none-match': '*' } })).status, 412);
  t.match(await send('GET', path), { body: { severity: 'ticket', name: 'Checkout fails' } });
});

t.test('400: fields that do not fit together, with the name of the field', async (t) => {
  const wrong = [
    [{ condition: { percent: 5 } }, /windowMinutes is missing/],
    [{ condition: { ...failing.condition, overMs: 5 } }, /overMs has no meaning/],
    [{ condition: { ...failing.condition, percent: 0 } }, /\/condition\/percent/],
    [{ condition: { ...failing.condition, windowMinutes: 1.5 } }, /\/condition\/windowMinutes/],
    [{ condition: { ...failing.condition, windowMinutes: 1_441 } }, /\/condition\/windowMinutes/],
    [{ target: { endpoint: '/checkout' } }, /\/target\/service is missing/],
    [{ target: { service: 'shop', by: 'service' } }, /\/target\/by is service/],
    [{ target: { monitor: 'api' } }, /\/target\/monitor has no meaning/],
    [{ kind: 'traffic', condition: { windowMinutes: 5 } }, /one of belowRequests, belowPercentOfUsual/],
    [
      { kind: 'monitor', target: {}, condition: { is: 'late' } },
      /\/condition\/is must be one of down, degraded/,
    ],
    [{ kind: 'burn-rate', target: {}, condition: {} }, /\/target\/objective is missing/],
    [{ dependsOn: [{ monitor: 'none' }] }, /the page has no monitor "none"/],
    [{ dependsOn: [{ rule: 'wrong' }] }, /depends on this rule/],
    [{ kind: 'latency', condition: latency, opensIncident: { template: null } }, /template is missing/],
    [{ severity: 'urgent' }, /\/severity/],
    [{ slug: 'other' }, /\/slug must be the slug of the path/],
    [{ unknown: 1 }, /unknown/],
  ] as const;
  for (const [fields, error] of wrong)
    t.match(await send('PUT', '/acme/rules/wrong', { ...failing, ...fields }), {
      status: 400,
      body: { error },
    });
  t.equal((await send('PUT', '/acme/rules/Not%20a%20slug', failing)).status, 400);
});

t.test('400, 409: what a rule names is there, and stays', async (t) => {
  const query = await send('POST', '/acme/queries', { name: 'Late orders', sql: 'SELECT 1', isShared: true });
  const { id } = Object(query.body);
  const compared = { operator: '>', value: 5 };
  const asking = { name: 'Late orders', kind: 'query', target: { query: id }, condition: compared };
  const down = { name: 'Down', kind: 'monitor', condition: { is: 'down' } };
  const burning = {
    name: 'Burning',
    kind: 'burn-rate',
    condition: { factor: 2, longMinutes: 60, shortMinutes: 5 },
  };
  const wrong = [
    [{ ...failing, policy: 'none' }, /\/policy: the page has no policy "none"/],
    [
      { ...failing, opensIncident: { template: 'none' } },
      /\/opensIncident\/template: the page has no template "none"/,
    ],
    [{ ...down, target: { monitor: 'none' } }, /\/target\/monitor: the page has no monitor "none"/],
    [{ ...down, target: { group: 'none' } }, /\/target\/group: the page has no group "none"/],
    [{ ...burning, target: { objective: 'none' } }, /\/target\/objective: the page has no objective "none"/],
    [{ ...asking, target: { query: 'none' } }, /\/target\/query: the page has no shared query "none"/],
  ] as const;
  for (const [fields, error] of wrong)
    t.match(await send('PUT', '/acme/rules/naming', fields), { status: 400, body: { error } });
  const made = await send('PUT', '/other/rules/naming', asking, { key: keys.other });
  t.match(made, { status: 400, body: { error: /no shared query/ } }, 'a query of another page');

  const template = { name: 'Outage', title: 'Trouble' };
  t.equal((await send('PUT', '/acme/templates/outage', template)).status, 201);
  const person = await makeUser({ sql, clock: systemClock });
  await giveRole({ sql, clock: systemClock }, { userId: person.id, slug: 'acme', role: 'responder' });
  const steps = [{ notify: [{ person: person.email }], waitMinutes: 5 }];
  t.equal((await send('PUT', '/acme/policies/night', { name: 'Night', steps })).status, 201);
  const naming = { ...failing, policy: 'night', opensIncident: { template: 'outage' } };
  t.equal((await send('PUT', '/acme/rules/naming', naming)).status, 201);
  t.equal((await send('PUT', '/acme/rules/asking', asking)).status, 201);
  for (const noun of ['templates/outage', 'policies/night'])
    t.match(await send('DELETE', `/acme/${noun}`), { status: 409, body: { error: /rule "naming"/ } });
  const unshared = await send('DELETE', `/acme/queries/${id}`);
  t.match(unshared, { status: 409, body: { error: /rule "asking" runs this query/ } });
  for (const slug of ['naming', 'asking']) t.equal((await send('DELETE', `/acme/rules/${slug}`)).status, 204);
  for (const noun of ['templates/outage', 'policies/night', `queries/${id}`])
    t.equal((await send('DELETE', `/acme/${noun}`)).status, 204, noun);

  t.equal((await send('PUT', '/acme/monitors/web', { type: 'manual', name: 'Web' })).status, 201);
  t.equal((await send('PUT', '/acme/rules/down', { ...down, target: { monitor: 'web' } })).status, 201);
  t.equal((await send('DELETE', '/acme/monitors/web')).status, 204, 'a monitor may go');
  t.match(await send('PATCH', '/acme/rules/down', { severity: 'info' }), { body: { severity: 'info' } });
  t.equal((await send('DELETE', '/acme/rules/down')).status, 204);
});

t.test('404, 403: rules of another page, and callers who may not', async (t) => {
  for (const [method, body] of [['GET'], ['PUT', failing], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
    t.equal((await send(method, path, body, { key: keys.other })).status, 404, method);
    if (method !== 'GET') t.equal((await send(method, path, body, { key: keys.read })).status, 403, method);
  }
  t.equal((await send('GET', '/acme/rules/none')).status, 404);
  t.match(await send('GET', path), { body: { name: 'Checkout fails' } });
});

t.test('409: a kind does not change, and a page has a bounded number of rules', async (t) => {
  t.match(await send('PUT', path, { ...failing, kind: 'latency', condition: latency }), {
    ...{ status: 409, body: { error: /kind failure-rate, which cannot change/ } },
  });
  // Without the rules that a page begins with, but for those that this test made.
  await sql`delete from rules where slug = any ('{monitors-down,certificates-end,reporters-silent}')`;
  await sql`
    insert into rules (id, page_id, slug, name, kind, target, condition, for_seconds, resolve_for_seconds, no_data,
      severity, created_at, updated_at)
    select gen_random_uuid(), page_id, 'many-' || n, name, kind, target, condition, 0, 0, no_data, severity, now(), now()
    from rules, generate_series(2, ${ruleLimits.perPage}) n where slug = 'checkout'`;
  t.match(await send('PUT', '/acme/rules/more', failing), {
    ...{ status: 409, body: { error: /has 200 rules, which is the most/ } },
  });
  const { body } = await send('GET', '/acme/rules?limit=150');
  const first = Object(body);
  t.equal(first.items.length, 150);
  const { body: rest } = await send('GET', `/acme/rules?limit=150&cursor=${first.nextCursor}`);
  t.match(rest, { nextCursor: null });
  t.equal(Object(rest).items.length, 50);
});

t.test('204: a rule is deleted once', async (t) => {
  t.equal((await send('DELETE', path)).status, 204);
  t.equal((await send('DELETE', path)).status, 404);
});
