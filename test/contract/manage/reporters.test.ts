import t from 'tap';
import type { ReportersAnswer } from '../../../contract/analytics/reporters.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { makeManageKeys } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const deps = { sql, clock: systemClock, by: testActor };
const { write: key, read: readKey, other: otherKey } = await makeManageKeys(deps);
const forget = (body: object, as: string | null = key, page = 'acme', headers: Record<string, string> = {}) =>
  service.post(`/api/v1/pages/${page}/reporters/forget`, body, { key: as, headers });

async function listed(): Promise<string[]> {
  const { body } = await service.get('/api/v1/analytics/reporters', {
    authorization: `Bearer ${service.readKey}`,
  });
  return (body as ReportersAnswer).reporters.map(({ kind, id }) => `${kind} ${id}`).sort();
}

const call = (reporterId: string) =>
  service.post('/api/v2/events', { reporter: { reporterId, englishName: 'Worker' }, events: [] });

t.test('204: a reporter leaves the list until it reports again', async (t) => {
  await call('eu/1');
  await call('eu-2');
  await service.post('/api/v1/events', [{ service: 'eu-2', endpoint: '/a', status: 200 }]);
  t.strictSame(await listed(), ['reporter eu-2', 'reporter eu/1', 'service eu-2']);
  t.equal((await forget({ kind: 'reporter', id: 'eu/1' })).status, 204);
  t.equal((await forget({ kind: 'reporter', id: 'eu-2' })).status, 204);
  t.strictSame(await listed(), ['service eu-2'], 'a service of the same name stays');
  t.equal((await forget({ kind: 'reporter', id: 'eu-2' })).status, 404, 'a second time');
  await call('eu-2');
  t.strictSame(await listed(), ['reporter eu-2', 'service eu-2'], 'it is back');
  t.equal((await forget({ kind: 'reporter', id: 'eu-2' })).status, 204, 'and can be forgotten again');
  const rows = await sql`
    select actor_type, target_id, target_name, before, after from audit_log
    where action = 'reporter.forget' and target_id = 'eu/1'`;
  t.match(rows[0], {
    actor_type: 'key',
    target_name: 'Worker',
    before: { kind: 'reporter', name: 'Worker' },
  });
});

t.test('204: a service leaves the list until one of its reporters reports again', async (t) => {
  const report = (reporterId: string) =>
    service.post('/api/v2/events', {
      reporter: { reporterId, englishName: reporterId, service: 'search' },
      events: [{ endpoint: '/search', status: 200 }],
    });
  const searching = async () => (await listed()).filter((one) => one.includes('search'));
  await report('search-1');
  const all = ['reporter search-1', 'service search'];
  t.strictSame(await searching(), all);
  t.equal((await forget({ kind: 'service', id: 'search' })).status, 204);
  t.strictSame(await searching(), ['reporter search-1'], 'its reporters stay');
  t.equal((await forget({ kind: 'service', id: 'search' })).status, 404, 'a second time');
  await report('search-1');
  t.strictSame(await searching(), all, 'it is back');
  t.equal((await forget({ kind: 'service', id: 'search' })).status, 204, 'and can be forgotten again');
});

t.test('400, 401, 403, 404: who may not, and what is not there', async (t) => {
  await call('eu-3');
  const viewer = await signInAs(deps, { slug: 'acme', role: 'responder' });
  const asViewer = await forget({ kind: 'reporter', id: 'eu-3' }, null, 'acme', { ...viewer.headers });
  const answers = [
    (await forget({ kind: 'reporter' })).status,
    (await forget({ id: 'eu-3' })).status,
    (await forget({ kind: 'pod', id: 'eu-3' })).status,
    (await forget({ kind: 'reporter', id: 'none' })).status,
    (await forget({ kind: 'service', id: 'eu-3' })).status,
    (await forget({ kind: 'reporter', id: 'eu-3' }, readKey)).status,
    asViewer.status,
    (await forget({ kind: 'reporter', id: 'eu-3' }, otherKey)).status,
    (await forget({ kind: 'reporter', id: 'eu-3' }, otherKey, 'other')).status,
  ];
  t.strictSame(answers, [400, 400, 400, 404, 404, 403, 403, 404, 404]);
  t.ok((await listed()).includes('reporter eu-3'));
});
