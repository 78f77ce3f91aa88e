import t from 'tap';
import { enableWebhook, testWebhook } from '../../control/webhooks/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from '../support/actor.js';
import { captureLog } from '../support/capture-log.js';
import { setPage } from '../support/pages.js';
import { startReceiver } from '../support/receiver.js';
import { startAnother, startTestService, withoutJobs } from '../support/service.js';
import { startSmtpSink } from '../support/smtp-sink.js';
import { waitUntil } from '../support/wait-until.js';
import { makeWebhook } from '../support/webhooks.js';

t.test('the service tells owners that a webhook was disabled, and only with a mail server', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => ({ status: 410 });
  const sink = await startSmtpSink(t);
  const { log, text } = captureLog();
  const options = { roles: withoutJobs, allowPrivateAddresses: true, log };
  const first = await startTestService(t, options);
  const deps = { sql: first.stores.sql, clock: systemClock, by: testActor };
  await setPage(deps, { slug: 'acme', ownerEmails: ['ann@example.com'] });
  const { id } = await makeWebhook(deps, receiver.url);
  await testWebhook(deps, { id });
  await waitUntil('the log says it', () => text().includes('A webhook was disabled'));
  t.equal((await deps.sql`select 1 from emails`).count, 0, 'nothing waits for a mail server');
  await first.service.close();

  await startAnother(t, first, { ...options, smtpUrl: sink.url });
  await enableWebhook(deps, { id });
  await testWebhook(deps, { id });
  await waitUntil('the email arrives', () => sink.to('ann@example.com').length === 1);
  t.match(sink.messages[0]?.subject, /^\[acme\] The webhook was disabled: 127\.0\.0\.1/);
});
