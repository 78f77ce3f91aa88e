import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { makeKey } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { makeRouteTable } from '../../support/route-table.js';
import { startTestService, withoutJobs } from '../../support/service.js';

/** PostgreSQL takes no U+0000 in a text, and no place of a request may make it say so with a 500. */
const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
const { headers: admin } = await signInAs(deps, 'admin');
const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
const page = '/api/v1/pages/acme';

const send = (method: string, path: string, headers: object, body?: unknown) =>
  service.post(path, body, { method, key: null, headers: { ...headers } });

t.test('in the path: nothing has such a name', async (t) => {
  const routes = makeRouteTable().routes.filter((route) => 'permission' in route && route.path.includes(':'));
  for (const { method, path } of routes) {
    for (const name of ['%00', 'a%00b']) {
      const inPage = path.replace(':page', 'acme').replaceAll(/:\w+/g, name);
      const { status } = await send(method, inPage, admin, method === 'GET' ? undefined : {});
      t.ok(status < 500, `${method} ${inPage}: ${status}`);
    }
  }
  t.ok(routes.length > 50);
  t.match(await send('GET', `${page}/monitors/a%00b`, admin), {
    status: 404,
    body: { error: 'Not found', code: 'not_found' },
  });
});

t.test('in the body: the answer says what a text may hold, and nothing is stored', async (t) => {
  const bearer = { authorization: `Bearer ${key}` };
  const message = /character|letters|must match/;
  for (const [method, path, body] of [
    ['POST', 'keys', { scope: 'read', name: 'a\0b' }],
    ['POST', 'incidents', { title: 'a\0b', summary: 'c' }],
    ['PUT', 'monitors/nul', { type: 'http', name: 'a\0b', url: 'https://example.com/' }],
    ['PUT', 'templates/nul', { name: 'a', summary: 'a\0b' }],
    ['POST', 'queries', { name: 'nul', sql: 'SELECT 1\0' }],
  ] as const) {
    const answer = await send(method, `${page}/${path}`, bearer, body);
    t.match(answer, { status: 400, body: { error: message } }, `${method} ${path}`);
  }
  const [{ count } = {}] = await deps.sql`
    select (select count(*) from keys where name like 'a%') + (select count(*) from incidents)
      + (select count(*) from monitors where slug = 'nul') + (select count(*) from incident_templates) as count`;
  t.equal(Number(count), 0);
});
