import t from 'tap';
import { readerRights } from '../../contract/sql-tables.js';
import { startService } from '../../service/service.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { startStack } from '../../stack/start-stack.js';
import { outage } from '../support/incidents.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { startReceiver } from '../support/receiver.js';
import { runHeartline } from '../support/run-heartline.js';
import { silentLog } from '../support/silent-log.js';
import { startSmtpSink } from '../support/smtp-sink.js';
import { waitUntil } from '../support/wait-until.js';
import { install, onLinux } from './running-service.js';

const subscriber = 'ops@example.com';

/** Longer than the claim of a dead process, and than the first delay after a failure. */
const claimsRunOutMs = 5 * 60_000;

t.test(
  'PostgreSQL killed, then the service during announcements: everything acknowledged is announced',
  onLinux,
  async (t) => {
    const [receiver, sink] = [await startReceiver(t), await startSmtpSink(t)];
    const settings = { HEARTLINE_SMTP_URL: sink.url, HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on' };
    const installation = await install(t, settings);
    const { dataDir, service } = installation;
    for (const args of [
      ['webhook', 'create', '--page', 'demo', '--url', receiver.url],
      ['subscriber', 'add', '--page', 'demo', '--email', subscriber, '--confirmed'],
    ]) {
      const { code, stderr } = await runHeartline(args, { HEARTLINE_DATA_DIR: dataDir });
      t.equal(code, 0, stderr);
    }

    const acknowledged: string[] = [];
    const post = async (): Promise<boolean> => {
      const title = `Outage ${acknowledged.length}`;
      const answer = await fetch(`${service.url}/api/v1/incidents`, {
        method: 'POST',
        headers: { authorization: `Bearer ${installation.incidentKey}` },
        body: JSON.stringify({ ...outage, title }),
        signal: AbortSignal.timeout(10_000),
      }).catch(() => undefined);
      if (answer?.status !== 201) return false;
      acknowledged.push(((await answer.json()) as { id: string }).id);
      return true;
    };
    for (let i = 0; i < 4; i += 1) t.ok(await post());
    process.kill(await service.postgresPid(), 'SIGKILL');
    await waitUntil('incidents are taken again', post, 30_000);

    // From now on the receivers do not acknowledge.
    const deliveriesBefore = receiver.received.length;
    let mailsHeld = 0;
    receiver.answer = () => 'hang';
    sink.beforeTaking = () => {
      mailsHeld += 1;
      return new Promise(() => {});
    };
    for (let i = 0; i < 3; i += 1) await waitUntil('an incident is taken', post, 30_000);
    await waitUntil(
      'both announcements are in flight',
      () => receiver.received.length > deliveriesBefore && mailsHeld > 0,
      20_000,
    );
    const held = receiver.received.slice(deliveriesBefore).map(({ headers }) => headers['webhook-id']);
    process.kill(service.pid, 'SIGKILL');
    await service.exited;

    receiver.answer = () => ({ status: 204 });
    sink.beforeTaking = async () => {};
    const clock = makeMovingClock();
    const options = { dataDir, database: 'heartline', ...readerRights };
    const stack = await startStack({ ...options, log: silentLog });
    t.teardown(() => stack.stop());
    const next = await startService({
      ...stack,
      ...{
        host: '127.0.0.1',
        port: 0,
        clock,
        log: silentLog,
        smtpUrl: sink.url,
        allowPrivateAddresses: true,
      },
    });
    t.teardown(() => next.close());
    clock.advance(claimsRunOutMs);

    const toldByWebhook = () =>
      new Set(receiver.received.map(({ body }) => (JSON.parse(body) as { data: { id: string } }).data.id));
    await waitUntil('the webhook has all', () => acknowledged.every((id) => toldByWebhook().has(id)), 30_000);
    const mailed = (title: string) => sink.to(subscriber).some(({ subject }) => subject?.endsWith(title));
    await waitUntil(
      'the subscriber has every announcement',
      () => acknowledged.every((_, i) => mailed(`Outage ${i}`)),
      30_000,
    );
    t.ok(held.length > 0);
    const timesOf = (id: string | undefined) =>
      receiver.received.filter(({ headers }) => headers['webhook-id'] === id).length;
    await waitUntil(
      'deliveries in flight arrive again, under the same id',
      () => held.every((id) => timesOf(id) >= 2),
      30_000,
    );
    const sql = openPostgres(stack.databaseUrl, { max: 1 });
    t.teardown(() => sql.end({ timeout: 5 }));
    const stored = new Set((await sql<{ id: string }[]>`select id from incidents`).map(({ id }) => id));
    t.strictSame(
      [...toldByWebhook()].filter((id) => !stored.has(id)),
      [],
      'only stored incidents were announced',
    );
  },
);
