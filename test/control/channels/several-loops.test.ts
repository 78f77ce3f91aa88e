import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { testChannel } from '../../../control/channels/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { loadMessages, makeChannel, startTestChannelLoop } from '../../support/channels.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makePage } from '../../support/pages.js';
import { startReceiver } from '../../support/receiver.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const page = await makePage(sql);
const deps = { sql, clock: systemClock, by: testActor, secretKey: testSecretKey };
const [channelCount, messageCount] = [4, 15];

t.test('three instances send each message once, and each channel in order', async (t) => {
  const receiver = await startReceiver(t);
  const busy = new Map<string, number>();
  let busyMost = 0;
  receiver.answer = async ({ path }) => {
    busy.set(path, (busy.get(path) ?? 0) + 1);
    busyMost = Math.max(busyMost, busy.get(path) ?? 0);
    // Lets a second attempt at the channel arrive, if there is one.
    await new Promise((resolve) => setImmediate(resolve));
    busy.set(path, (busy.get(path) ?? 0) - 1);
    return { status: 204 };
  };
  const urls = Array.from({ length: channelCount }, (_, at) => `${receiver.url}/${at}`);
  const channels = await Promise.all(urls.map((url) => makeChannel(deps, page.id, { settings: { url } })));
  for (let at = 0; at < messageCount; at += 1) {
    for (const { id } of channels) await testChannel(deps, { id });
  }
  const entry = fileURLToPath(new URL('channel-loop-process.js', import.meta.url));
  const child = spawn(process.execPath, [entry, databaseUrl], { stdio: 'inherit' });
  t.teardown(() => child.kill('SIGKILL'));
  for (let at = 0; at < 2; at += 1) startTestChannelLoop(t, deps);
  const isDone = async (id: string) =>
    (await loadMessages(sql, id)).every(({ state }) => state === 'delivered');
  await waitUntil('all are delivered', async () => {
    return (await Promise.all(channels.map(({ id }) => isDone(id)))).every(Boolean);
  });
  for (const [at, { id }] of channels.entries()) {
    const arrived = receiver.received.filter(({ path }) => path === `/${at}`);
    const queued = (await loadMessages(sql, id)).map((message) => message.id);
    t.strictSame(
      arrived.map(({ headers }) => headers['webhook-id']),
      queued,
      `channel ${at}`,
    );
  }
  t.equal(busyMost, 1, 'a channel has one message on its way at a time');
});
