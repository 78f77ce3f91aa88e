import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { settingsFor } from '../support/channels.js';
import { environmentFor } from '../support/cli-environment.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { outage } from '../support/incidents.js';
import { makeKey, makePage } from '../support/pages.js';
import { type Received, startReceiver } from '../support/receiver.js';
import { runHeartline } from '../support/run-heartline.js';
import { openStores } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';
import { type RunningService, serveOn } from './running-service.js';

const old = testSecretKey;
const fresh = 'another secret of forty characters......';
/** Rounds of deliveries while both instances run, and while one is away. */
const roundsOfStep = 4;

t.test('the secret key changes on two instances, and every delivery arrives at once, signed', async (t) => {
  const stores = await openStores(t);
  const { sql } = stores;
  const { slug } = await makePage(sql);
  const deps = { sql, clock: systemClock };
  const { key: manageKey } = await makeKey(deps, { slug, scope: 'manage' });
  const incidentKeys = await Promise.all(
    Array.from({ length: 10 }, () => makeKey(deps, { slug, scope: 'incident' })),
  );
  const receiver = await startReceiver(t);
  const start = (secretKey: string): Promise<RunningService> =>
    serveOn(t, stores, { HEARTLINE_SECRET_KEY: secretKey, HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on' });
  const instances = [await start(old), await start(old)];

  async function send(
    at: RunningService,
    method: string,
    path: string,
    key: string,
    body: object,
  ): Promise<Created> {
    const answer = await fetch(`${at.url}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Created;
  }
  const manage = (at: RunningService, path: string, body = {}) =>
    send(at, 'POST', `pages/${slug}/${path}`, manageKey, body);

  /** The secrets that may sign what arrives at a path. */
  const secretsOf = new Map<string, string[]>();
  async function addWebhook(at: RunningService): Promise<string> {
    const path = `/hook-${secretsOf.size}`;
    const { id, secret = '' } = await manage(at, 'webhooks', { url: `${receiver.url}${path}` });
    secretsOf.set(path, [secret]);
    return id;
  }
  const first = await addWebhook(instances[0] as RunningService);
  const settings = settingsFor(receiver.url).webhook;
  secretsOf.set('/program', [settings.secret ?? '']);
  const channel = { kind: 'webhook', name: 'Team', settings };
  const { id: channelId } = await manage(instances[0] as RunningService, 'channels', channel);

  const [{ key = '' } = {}] = incidentKeys;
  const { id: incident } = await send(instances[0] as RunningService, 'POST', 'incidents', key, outage);
  let rounds = 0;
  /** One after the other, so that each is delivered by an instance that runs then. */
  async function deliverRounds(): Promise<void> {
    for (let left = roundsOfStep; left > 0; left -= 1) {
      rounds += 1;
      await deliverRound(rounds);
    }
  }
  async function deliverRound(round: number): Promise<void> {
    const at = instances[round % instances.length] as RunningService;
    const { key = '' } = incidentKeys[round % incidentKeys.length] ?? {};
    await send(at, 'PATCH', `incidents/${incident}`, key, { title: `Outage ${round}` });
    await manage(at, `channels/${channelId}/test`);
    await waitUntil('all is delivered', async () => {
      const [{ waiting } = { waiting: 0 }] = await sql<{ waiting: number }[]>`
        select (select count(*) from announcements where webhooks_queued_at is null)
          + (select count(*) from webhook_deliveries where state = 'pending')
          + (select count(*) from channel_messages where state = 'pending') as waiting`;
      return Number(waiting) === 0;
    });
  }
  await deliverRounds();

  await restartEach(`${old},${fresh}`);
  await restartEach(`${fresh},${old}`, async (next) => {
    const { secret = '' } = await manage(next, `webhooks/${first}/rotate`);
    secretsOf.get('/hook-0')?.push(secret);
  });
  const env = { ...environmentFor(stores), HEARTLINE_SECRET_KEY: `${fresh},${old}` };
  const resealed = await runHeartline(['secrets', 'reseal'], env);
  t.equal(resealed.code, 0, resealed.stderr);
  t.match(resealed.stdout, /^webhooks\.previous_secret +1 /m, 'a secret that was rotated is among them');
  await deliverRounds();
  await restartEach(fresh);

  /** One instance after the other; while one is away the other gets what happens. */
  async function restartEach(
    secretKey: string,
    onFirst: (next: RunningService) => Promise<void> = async () => {},
  ): Promise<void> {
    for (const [index, instance] of [...instances].entries()) {
      instances.splice(instances.indexOf(instance), 1);
      const others = deliverRounds();
      process.kill(instance.pid, 'SIGTERM');
      t.same(await instance.exited, { code: 0, signal: null });
      const next = await start(secretKey);
      await others;
      // The other instance has to open what this one seals.
      await addWebhook(next);
      if (index === 0) await onFirst(next);
      instances.push(next);
      await deliverRounds();
    }
  }

  const unsigned = receiver.received.filter(
    (request) => !secretsOf.get(request.path)?.some((secret) => isSigned(request, secret)),
  );
  t.strictSame(unsigned, []);
  const last = receiver.received.findLast(({ path }) => path === '/hook-0');
  t.strictSame(
    secretsOf.get('/hook-0')?.map((secret) => last !== undefined && isSigned(last, secret)),
    [true, true],
    'the secret from before the rotation signs as well, after the change of the key',
  );
  t.strictSame([...new Set(receiver.received.map(({ path }) => path))].sort(), [...secretsOf.keys()].sort());
  const failed = await sql`
    select reason from webhook_deliveries where state <> 'delivered' or attempts <> 1
    union all select error from webhook_attempts where error is not null
    union all select reason from channel_messages where state <> 'delivered' or attempts <> 1`;
  t.strictSame([...failed], [], 'none has failed, waited for a second attempt, or was parked');
  t.ok(receiver.received.length > 60, `${receiver.received.length} arrived`);
});

type Created = { id: string; secret?: string };

function isSigned({ headers, body }: Received, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
