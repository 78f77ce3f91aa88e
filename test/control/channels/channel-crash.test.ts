import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { testChannel } from '../../../control/channels/index.js';
import { minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { loadMessages, makeChannel, startTestChannelLoop } from '../../support/channels.js';
import { testSecretKey } from '../../support/embedded-stores.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { startReceiver } from '../../support/receiver.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const page = await makePage(sql);
const clock = makeMovingClock();
const deps = { sql, clock, by: testActor, secretKey: testSecretKey };

t.test('another instance repeats the message of a killed one, and sends those behind it', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => 'hang';
  const { id } = await makeChannel(deps, page.id, { settings: { url: receiver.url } });
  for (let at = 0; at < 3; at += 1) await testChannel(deps, { id });
  const entry = fileURLToPath(new URL('channel-loop-process.js', import.meta.url));
  const child = spawn(process.execPath, [entry, databaseUrl], { stdio: 'inherit' });
  t.teardown(() => child.kill('SIGKILL'));
  await waitUntil('the process sends the first message', () => receiver.received.length === 1);
  child.kill('SIGKILL');
  await once(child, 'exit');

  receiver.answer = () => ({ status: 204 });
  clock.advance(2 * minuteMs);
  startTestChannelLoop(t, { sql, clock });
  await waitUntil('all are delivered', async () => {
    return (await loadMessages(sql, id)).every(({ state }) => state === 'delivered');
  });
  const [first, ...others] = (await loadMessages(sql, id)).map((message) => message.id);
  t.strictSame(
    receiver.received.map(({ headers }) => headers['webhook-id']),
    [first, first, ...others],
    'the first arrives twice under its id, and the others once, in order',
  );
});
