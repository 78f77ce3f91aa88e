import t from 'tap';
import { createKey } from '../../../control/keys/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { makeKey } from '../../support/pages.js';
import { startProbeTarget } from '../../support/probe-target.js';
import { startAnother, startTestService, type TestService } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';

const roles = new Set(['api'] as const);
/** Nothing in its environment decides, and it has no address of its own. */
const service = await startTestService(t, { roles, allowPrivateAddresses: undefined });
const baseUrl = new URL('https://status.example.com');
const published = await startAnother(t, service, { roles, allowPrivateAddresses: undefined, baseUrl });
const strict = await startAnother(t, service, { roles, allowPrivateAddresses: false });
const target = await startProbeTarget(t);
const { sql } = service.stores;
const deps = { sql, clock: systemClock, by: testActor };
const { key: admin } = await createKey(deps, { pageId: null, scope: 'admin' });
const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });

const path = '/api/v1/installation/private-addresses';
const read = async (on: TestService) => (await on.get(path, { authorization: `Bearer ${admin}` })).body;
const change = (allowed: unknown, on = service) =>
  on.post(path, { allowed }, { method: 'PATCH', key: admin });

/** Why a check of the address says nothing; null when it was made. */
async function tryOn(on: TestService, url: string): Promise<unknown> {
  const trial = { type: 'http', url };
  const { status, body } = await on.post('/api/v1/pages/acme/monitors/trial', trial, { key });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return Object(body).unobserved;
}
const tryEverywhere = () =>
  Promise.all([service, published, strict].map((on) => tryOn(on, `${target.url}/ok`)));

t.test('200: until somebody chooses, a service without an address of its own allows them', async (t) => {
  t.strictSame(await Promise.all([service, published, strict].map(read)), [
    { allowed: true, decidedBy: 'default' },
    { allowed: false, decidedBy: 'default' },
    { allowed: false, decidedBy: 'environment' },
  ]);
  const before = target.received.length;
  t.strictSame(await tryEverywhere(), [null, 'blocked', 'blocked']);
  t.equal(target.received.length, before + 1, 'what is refused is not reached');
});

t.test(
  '200: the installation chooses, and every instance follows, unless its environment decides',
  async (t) => {
    t.strictSame((await change(true)).body, { allowed: true, decidedBy: 'installation' });
    await waitUntil('the other follows', async () => (await tryOn(published, `${target.url}/ok`)) === null);
    t.strictSame(await tryEverywhere(), [null, null, 'blocked']);
    t.strictSame((await change(false)).body, { allowed: false, decidedBy: 'installation' });
    t.equal(await tryOn(service, `${target.url}/ok`), 'blocked', 'at once where it was changed');
    await waitUntil(
      'the other follows',
      async () => (await tryOn(published, `${target.url}/ok`)) === 'blocked',
    );
    t.equal((await change(false)).status, 200);
    t.strictSame((await change(null)).body, { allowed: true, decidedBy: 'default' });
    const rows = await sql`
    select actor_type, before, after from audit_log where action = 'installation.update' order by at, id`;
    const row = (before: boolean | null, after: boolean | null) => ({
      actor_type: 'key',
      before: { allowPrivateAddresses: before },
      after: { allowPrivateAddresses: after },
    });
    t.strictSame([...rows], [row(null, true), row(true, false), row(false, null)]);
  },
);

t.test('metadata services stay refused, with a reason of their own', async (t) => {
  await change(true);
  const refused = [
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
  ];
  t.strictSame(
    await Promise.all(refused.map((url) => tryOn(service, url))),
    refused.map(() => 'metadata'),
  );
  const { body } = await service.post(
    '/api/v1/pages/acme/monitors/trial',
    { type: 'http', url: refused[0] },
    { key },
  );
  t.match(Object(body).detail, /metadata service of a cloud.*always refused/);
  t.notMatch(Object(body).detail, /HEARTLINE_/, 'no setting helps');
  await change(null);
});

t.test('400: neither true, false nor null', async (t) => {
  t.equal((await change('yes')).status, 400);
});

t.test('409: the environment decides', async (t) => {
  const { status, body } = await change(true, strict);
  t.equal(status, 409);
  t.match(body, { error: /^HEARTLINE_ALLOW_PRIVATE_ADDRESSES is set for the service and decides\./ });
});

t.test('403: who does not run the installation', async (t) => {
  t.equal((await service.get(path, { authorization: `Bearer ${key}` })).status, 403);
  t.equal((await service.post(path, { allowed: true }, { method: 'PATCH', key })).status, 403);
});
