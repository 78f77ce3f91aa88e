import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { enableWebhook, listWebhookDeliveries, replayWebhookDelivery } from '../../control/webhooks/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from '../support/actor.js';
import { environmentFor } from '../support/cli-environment.js';
import { makePage } from '../support/pages.js';
import { startReceiver } from '../support/receiver.js';
import { runInProcess } from '../support/run-heartline.js';
import { openTestPostgres } from '../support/stores.js';
import { waitUntil } from '../support/wait-until.js';
import { countDeliveries, makeWebhook, startTestLoop } from '../support/webhooks.js';

const postgres = await openTestPostgres(t);
const { sql } = postgres;
const env = environmentFor(postgres);
await makePage(sql);
await makePage(sql, { slug: 'full' });

const run = (...args: string[]) => runInProcess(['webhook', ...args], env);

async function runJson(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, '--json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

t.test('a webhook is created, tested, rotated and disabled, and a delivery is replayed', async (t) => {
  const receiver = await startReceiver(t);
  t.match((await run('list', '--page', 'acme')).stdout, /^acme has no webhook yet/);
  const created = await runJson('create', '--page', 'acme', '--url', `${receiver.url}/hook`);
  t.same(Object.keys(created), ['id', 'secret']);
  const { id } = created;
  const webhook = { id, url: `${receiver.url}/hook`, disabledAt: null, disabledReason: null };
  t.match(await runJson('list', '--page', 'acme'), { webhooks: [{ ...webhook, previousSecretUntil: null }] });

  const rotated = await runJson('rotate', id);
  t.same(Object.keys(rotated), ['id', 'secret', 'previousSecretUntil']);
  t.not(rotated.secret, created.secret);

  startTestLoop(t, { sql, clock: systemClock });
  const { deliveryId } = await runJson('test', id);
  await waitUntil('the test is delivered', async () => (await countDeliveries(sql, id, 'delivered')) === 1);
  const [request] = receiver.received;
  for (const { secret } of [created, rotated]) {
    const body = new Webhook(secret).verify(request?.body ?? '', request?.headers ?? {});
    t.match(body, { type: 'webhook.test', data: { webhookId: id } });
  }

  const { deliveries } = await runJson('deliveries', id);
  t.match(deliveries, [
    {
      ...{ id: deliveryId, kind: 'webhook.test', state: 'delivered', incidentId: null, attempts: 1 },
      ...{ reason: null, nextAttemptAt: null, finishedAt: /^20/ },
      lastAttempt: { status: 204, error: null, answer: '', at: /^20/ },
    },
  ]);
  t.same(await runJson('deliveries', id, '--state', 'parked'), { deliveries: [] });
  const table = (await run('deliveries', id, '--limit', '1')).stdout.split('\n');
  t.match(table[0], /^ID +TYPE +STATE +CREATED +ATTEMPTS +LAST STATUS +PROBLEM$/);
  t.match(table[1], new RegExp(`^${deliveryId}  webhook.test  delivered  20\\S+Z  1 +204$`));

  t.same(await runJson('replay', deliveryId), { id: deliveryId });
  await waitUntil('the replay arrives', () => receiver.received.length === 2);
  t.equal(receiver.received[1]?.headers['webhook-id'], deliveryId);

  t.match(await runJson('disable', id), {
    ...webhook,
    disabledAt: /^20/,
    disabledReason: 'Disabled by hand.',
  });
  t.match((await run('test', id)).stderr, 'The webhook is disabled; enable it first.');
  t.match(await runJson('enable', id), webhook);

  t.match((await run('rotate', id)).stdout, /^The previous secret signs deliveries as well until 20/m);
  await sql`update webhooks set secret = ${Buffer.alloc(60)} where id = ${id}`;
  t.match((await run('rotate', id)).stdout, /^No key of HEARTLINE_SECRET_KEY opens the previous secret/m);
});

t.test('the events and the URL of a webhook are set, shown and cleared', async (t) => {
  const url = 'https://hooks.example/filtered';
  const { id } = await runJson(
    'create',
    '--page',
    'acme',
    '--url',
    url,
    '--events',
    'incident.resolved, incident.created',
  );
  const find = async () => {
    const { webhooks } = await runJson('list', '--page', 'acme');
    return webhooks.find((webhook: { id: string }) => webhook.id === id);
  };
  t.match(await find(), { url, events: ['incident.created', 'incident.resolved'] });
  t.match(
    (await run('list', '--page', 'acme')).stdout,
    new RegExp(
      `^ID +URL +EVENTS +CREATED .*\\n(.*\\n)*${id}  ${url} +incident.created,incident.resolved  20`,
    ),
  );
  t.match(await runJson('set', id, '--events', 'incident.*'), { id, url, events: ['incident.*'] });
  const moved = 'https://hooks.example/moved';
  t.match(await runJson('set', id, '--url', moved), { url: moved, events: ['incident.*'] });
  t.equal((await run('set', id, '--events', 'all')).stdout, `id      ${id}\nurl     ${moved}\nevents  all\n`);
  t.match(await find(), { url: moved, events: null });

  t.match(await run('set', id), { code: 2, stderr: /Nothing to change|nothing to change/i });
  t.match(await run('set', id, '--events', 'incident.close'), {
    code: 1,
    stderr: /There is no event "incident.close"\.(.|\n)*incident.update_posted/,
  });
  t.match(await run('set', 'x', '--events', 'all'), {
    code: 1,
    stderr: /There is no webhook with the id "x"/,
  });
  await runJson('disable', id);
});

t.test('the text says that a secret is shown only once', async (t) => {
  const { stdout } = await run('create', '--page', 'acme', '--url', 'https://hooks.example/');
  const [, id = ''] =
    /^whsec_\S{44}\n\nThis is the secret of the webhook (\S+) of acme\. It is not shown again\.\n$/.exec(
      stdout,
    ) ?? [];
  t.match(
    (await run('rotate', id)).stdout,
    /^whsec_\S{44}\n\nThis is the new secret .*\nThe previous secret signs deliveries as well until 20\S+Z\.\n$/,
  );
  t.match(
    (await run('list', '--page', 'acme')).stdout,
    new RegExp(`\n${id}  https://hooks.example/ +all +20`),
  );
  const [stored] = await sql<{ secret: Buffer }[]>`select secret from webhooks where id = ${id}`;
  t.notMatch(stored?.secret.toString('latin1'), /whsec_/, 'the secret is not stored in plain text');
});

t.test('a refusal is one sentence and exit code 1', async (t) => {
  for (let i = 0; i < 50; i += 1) {
    await makeWebhook({ sql, clock: systemClock }, 'https://hooks.example/', 'full');
  }
  const deps = { sql, clock: systemClock, by: testActor };
  const none = '01890000-0000-7000-8000-000000000000';
  const refusals: [() => Promise<unknown>, string][] = [
    [() => makeWebhook(deps, 'https://a.example/', 'none'), 'There is no page with the slug "none".'],
    [
      () => makeWebhook(deps, 'a.example'),
      '"a.example" is not a URL; give one such as https://example.com/path.',
    ],
    [() => makeWebhook(deps, 'file:///a'), 'The URL must start with http:// or https://, not "file:".'],
    [
      () => makeWebhook(deps, `https://a.example/${'a'.repeat(2_048)}`),
      'The URL is longer than 2048 characters.',
    ],
    [
      () => makeWebhook(deps, 'https://a.example/', 'full'),
      'The page has 50 active webhooks, which is the most; disable one first.',
    ],
    [() => enableWebhook(deps, { id: none }), `There is no webhook with the id "${none}".`],
    [
      () => listWebhookDeliveries(deps, { id: none, state: undefined, limit: 1 }),
      `There is no webhook with the id "${none}".`,
    ],
    [() => replayWebhookDelivery(deps, { id: none }), `There is no delivery with the id "${none}".`],
  ];
  for (const [refused, message] of refusals) await t.rejects(refused(), { name: 'ServiceError', message });

  const commands: [string[], string][] = [
    [
      ['create', '--page', 'acme', '--url', 'https://me:pw@a.example/'],
      'The URL must not hold a user name or password.',
    ],
    [['rotate', 'x'], 'There is no webhook with the id "x".'],
    [['replay', 'x'], 'There is no delivery with the id "x".'],
  ];
  for (const [args, sentence] of commands) {
    t.same(await run(...args), { code: 1, stdout: '', stderr: `heartline: ${sentence}\n` });
  }
});
