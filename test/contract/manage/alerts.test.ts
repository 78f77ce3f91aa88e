import t from 'tap';
import { type AlertId, newId } from '../../../lib/ids.js';
import { openManageClient } from '../../support/manage-client.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const { send, keys } = await openManageClient(t, service);
let made = 0;

/** An open alert of the page `acme`. */
async function makeAlert(fields: { severity?: string; rule?: string } = {}): Promise<string> {
  const id = newId<AlertId>(Date.now() + ++made);
  await sql`
    insert into alerts (id, page_id, rule_slug, rule_name, kind, group_key, group_name, service, severity, title, value,
      threshold, evidence, started_at)
    select ${id}, id, ${fields.rule ?? 'checkout'}, 'Checkout fails', 'failure-rate', '', '', 'shop',
      ${fields.severity ?? 'page'}, '9 % of the requests fail', 9, 5, ${sql.json({ requests: 100, errors: 9 })}, now()
    from pages where slug = 'acme'`;
  return id;
}

t.test('200: alerts are listed, open or past, and in parts', async (t) => {
  const ids = [await makeAlert(), await makeAlert({ severity: 'ticket' }), await makeAlert({ rule: 'slow' })];
  const idsOf = async (query: string) =>
    Object((await send('GET', `/acme/alerts${query}`)).body).items.map(({ id }: { id: string }) => id);
  t.strictSame(await idsOf(''), [...ids].reverse());
  t.strictSame(await idsOf('?severity=ticket'), [ids[1]]);
  t.strictSame(await idsOf('?rule=slow&state=all'), [ids[2]]);
  t.strictSame(await idsOf('?state=past'), []);
  const { body } = await send('GET', '/acme/alerts?limit=2');
  t.strictSame(await idsOf(`?limit=2&cursor=${Object(body).nextCursor}`), [ids[0]]);
  t.match(await send('GET', '/acme/alerts?state=none'), {
    status: 400,
    body: { error: /"state" must be one of/ },
  });
  t.match(await send('GET', `/acme/alerts/${ids[0]}`, undefined, { key: keys.read }), {
    body: { rule: { slug: 'checkout' }, state: 'firing', value: 9, evidence: { requests: 100, errors: 9 } },
  });
  await sql`delete from alerts`;
});

t.test('200, 409: an alert is acknowledged and resolved, with a row in the log', async (t) => {
  const id = await makeAlert();
  const note = 'Rolling back.';
  t.match(await send('POST', `/acme/alerts/${id}/acknowledge`, { note }), {
    body: { state: 'acknowledged', acknowledgedBy: String, note },
  });
  t.match(await send('POST', `/acme/alerts/${id}/resolve`), {
    body: { state: 'resolved', endedBy: 'person', note },
  });
  t.match(await send('POST', `/acme/alerts/${id}/acknowledge`), {
    ...{ status: 409, body: { error: 'The alert is over.' } },
  });
  t.match(
    await sql`select action, target_id, after from audit_log where target_type = 'alert' order by at, id`,
    [
      { action: 'alert.acknowledge', target_id: id, after: { state: 'acknowledged', note } },
      { action: 'alert.resolve', after: { state: 'resolved' } },
    ],
  );
  t.equal((await send('POST', `/acme/alerts/${id}/resolve`, { unknown: 1 })).status, 400);
});

t.test('201, 204: alerts are silenced for some time, until the silence is ended', async (t) => {
  const created = await send('POST', '/acme/silences', { service: 'shop', minutes: 60, note: 'Known.' });
  t.match(created, { status: 201, body: { service: 'shop', rule: null, isActive: true, note: 'Known.' } });
  const { id } = Object(created.body);
  t.match((await send('GET', '/acme/silences')).body, { items: [{ id, isActive: true }], nextCursor: null });
  t.equal((await send('DELETE', `/acme/silences/${id}`)).status, 204);
  t.equal((await send('DELETE', `/acme/silences/${id}`)).status, 404, 'it has ended');
  t.match((await send('GET', '/acme/silences')).body, { items: [{ id, isActive: false }] });
  for (const [body, error] of [
    [{}, /one of \/minutes and \/endsAt/],
    [{ minutes: 5, endsAt: '2999-01-01T00:00:00.000Z' }, /one of \/minutes and \/endsAt/],
    [{ endsAt: '2001-01-01T00:00:00.000Z' }, /\/endsAt must be later than now/],
    [{ endsAt: '2999-01-01T00:00:00.000Z' }, /within 366 days/],
    [{ minutes: 0 }, /\/minutes/],
  ] as const)
    t.match(await send('POST', '/acme/silences', body), { status: 400, body: { error } });
  t.match(await sql`select action, after from audit_log where target_type = 'silence' order by at, id`, [
    { action: 'silence.create', after: { service: 'shop', note: 'Known.' } },
    { action: 'silence.end' },
  ]);
});

t.test('200: the worst alerts come first, in parts and by how they are, and are counted', async (t) => {
  const info = await makeAlert({ severity: 'info' });
  const [older, newer] = [await makeAlert(), await makeAlert({ rule: 'slow' })];
  const ticket = await makeAlert({ severity: 'ticket' });
  const worst = [newer, older, ticket, info];
  const list = async (query: string) => Object((await send('GET', `/acme/alerts${query}`)).body);
  const idsOf = async (query: string) => (await list(query)).items.map(({ id }: { id: string }) => id);
  t.strictSame(await idsOf('?order=worst'), worst);
  const first = await list('?order=worst&limit=2');
  t.strictSame(await idsOf(`?order=worst&limit=2&cursor=${first.nextCursor}`), [ticket, info]);
  t.match(await send('GET', '/acme/alerts?order=best'), { status: 400, body: { error: /"order"/ } });
  await send('POST', `/acme/alerts/${ticket}/acknowledge`);
  await sql`update alerts set held_by = 'Database' where id = ${older}`;
  const { body: silence } = await send('POST', '/acme/silences', { rule: 'slow', minutes: 60 });
  t.strictSame(
    [await idsOf('?state=firing'), await idsOf('?state=acknowledged'), await idsOf('?state=quiet')],
    [[info], [ticket], [newer, older]],
  );
  const counts = { firing: 1, acknowledged: 1, quiet: 2, silences: 1 };
  t.match(await send('GET', '/acme/alert-counts', undefined, { key: keys.read }), {
    status: 200,
    body: counts,
  });
  const { id, endsAt } = Object(silence);
  t.match((await send('GET', `/acme/alerts/${newer}`)).body, { state: 'silenced', silence: { id, endsAt } });
  await send('DELETE', `/acme/silences/${id}`);
  t.match((await send('GET', `/acme/alerts/${newer}`)).body, { state: 'firing', silence: null });
  t.match((await send('GET', '/acme/alert-counts')).body, { firing: 2, quiet: 1, silences: 0 });
  t.strictSame(await idsOf(`?incident=${info}`), [], 'it has opened none');
  await sql`update alerts set incident_id = ${info} where id = ${older}`;
  t.strictSame(await idsOf(`?incident=${info}`), [older]);
  await sql`delete from alerts`;
});

t.test('200: an alert says what it is about', async (t) => {
  const id = await makeAlert();
  t.match((await send('GET', `/acme/alerts/${id}`)).body, { subject: { service: 'shop' } });
  await sql`update alerts set kind = 'monitor', group_key = 'web', service = null where id = ${id}`;
  t.strictSame(Object((await send('GET', `/acme/alerts/${id}`)).body).subject, { monitor: 'web' });
  await sql`update alerts set kind = 'reporter', group_key = 'reporter eu-1' where id = ${id}`;
  t.strictSame(Object((await send('GET', `/acme/alerts/${id}`)).body).subject, { reporter: 'eu-1' });
  await sql`delete from alerts`;
});

t.test('200, 409: an acknowledgement is taken back', async (t) => {
  const id = await makeAlert();
  await send('POST', `/acme/alerts/${id}/acknowledge`, { note: 'Mine.' });
  t.match(await send('POST', `/acme/alerts/${id}/unacknowledge`), {
    ...{ status: 200, body: { state: 'firing', acknowledgedAt: null, acknowledgedBy: null, note: 'Mine.' } },
  });
  await send('POST', `/acme/alerts/${id}/resolve`);
  t.equal((await send('POST', `/acme/alerts/${id}/unacknowledge`)).status, 409);
  t.match(await sql`select before from audit_log where action = 'alert.unacknowledge'`, [
    { before: { state: 'acknowledged' } },
  ]);
  await sql`delete from alerts`;
});

t.test('404, 403: alerts of another page, and callers who may not', async (t) => {
  const id = await makeAlert();
  const { body: silence } = await send('POST', '/acme/silences', { minutes: 5 });
  const calls = [
    ['POST', `/acme/alerts/${id}/acknowledge`, {}],
    ['POST', `/acme/alerts/${id}/unacknowledge`, undefined],
    ['POST', `/acme/alerts/${id}/resolve`, {}],
    ['POST', '/acme/silences', { minutes: 5 }],
    ['DELETE', `/acme/silences/${Object(silence).id}`, undefined],
  ] as const;
  for (const [method, path, body] of calls) {
    t.equal((await send(method, path, body, { key: keys.other })).status, 404, path);
    t.equal((await send(method, path, body, { key: keys.read })).status, 403, path);
  }
  t.equal((await send('GET', `/acme/alerts/${id}`, undefined, { key: keys.other })).status, 404);
  t.equal((await send('GET', '/acme/alert-counts', undefined, { key: keys.other })).status, 404);
  t.equal((await send('POST', `/other/alerts/${id}/resolve`, {}, { key: keys.other })).status, 404);
  // The silence covers everything.
  t.match(await send('GET', `/acme/alerts/${id}`), { body: { state: 'silenced', acknowledgedAt: null } });
});
