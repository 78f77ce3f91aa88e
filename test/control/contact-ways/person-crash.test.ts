import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { personPhases } from '../../../contract/manage/contact-ways.js';
import { queueToPerson } from '../../../control/contact-ways/index.js';
import { minuteMs } from '../../../lib/times.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import {
  loadPersonMessages,
  makeWay,
  makeWaySender,
  startTestPersonLoop,
  wayDepsOf,
} from '../../support/contact-ways.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { giveRole, makeUser } from '../../support/people.js';
import { startReceiver } from '../../support/receiver.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const clock = makeMovingClock();

t.test('another instance repeats the message of a killed one, and sends those behind it', async (t) => {
  const receiver = await startReceiver(t);
  const sender = makeWaySender(t, { clock, url: receiver.url });
  const page = await makePage(sql, { slug: 'acme' });
  const user = await makeUser({ sql, clock });
  await giveRole({ sql, clock }, { userId: user.id, slug: 'acme', role: 'viewer' });
  const owner = { userId: user.id, email: user.email, language: null };
  await makeWay(wayDepsOf({ sql, clock }, sender), owner, {
    ...{ kind: 'webhook', settings: { url: receiver.url } },
  });
  const message = { title: 'API is down', text: '', facts: [] };
  const about = { pageId: page.id, userId: user.id, severity: 'page', alertKey: 'one', message } as const;
  for (const phase of personPhases)
    await inTransaction(sql, (tx) => queueToPerson(tx, { ...about, phase, now: clock.now() }));
  receiver.answer = () => 'hang';
  const entry = fileURLToPath(new URL('person-loop-process.js', import.meta.url));
  const child = spawn(process.execPath, [entry, databaseUrl], { stdio: 'inherit' });
  t.teardown(() => child.kill('SIGKILL'));
  await waitUntil('the process sends the first message', () => receiver.received.length === 1);
  child.kill('SIGKILL');
  await once(child, 'exit');

  receiver.answer = () => ({ status: 204 });
  clock.advance(3 * minuteMs);
  startTestPersonLoop(t, { sql, clock, sender });
  await waitUntil('all are delivered', async () => {
    return (await loadPersonMessages(sql, user.id)).every(({ state }) => state === 'delivered');
  });
  const [first, ...others] = (await loadPersonMessages(sql, user.id)).map(({ id }) => id);
  t.strictSame(
    receiver.received.map(({ headers }) => headers['webhook-id']),
    [first, first, ...others],
    'the first arrives twice under its id, and the others once, in order',
  );
});
