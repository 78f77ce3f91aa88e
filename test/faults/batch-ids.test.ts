import t, { type Test } from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad, untilStored } from './load.js';
import { acknowledgers, type Installation, install, onLinux } from './running-service.js';

/** Breaks something of a running installation, and returns when it works again. */
type Fault = { what: string; strike(installation: Installation): Promise<void> };

const faults: readonly Fault[] = [
  {
    what: 'the service is killed',
    async strike(installation) {
      process.kill(installation.service.pid, 'SIGKILL');
      await installation.service.exited;
      installation.service = await installation.restart();
    },
  },
  {
    what: 'ClickHouse is killed',
    async strike({ service }) {
      const killed = await service.clickhousePid();
      process.kill(killed, 'SIGKILL');
      await waitUntil('another one runs', async () => (await service.clickhousePid()) !== killed);
    },
  },
  {
    what: 'PostgreSQL is killed',
    async strike({ service }) {
      const killed = await service.postgresPid();
      process.kill(killed, 'SIGKILL');
      await waitUntil('another one runs', async () => (await service.postgresPid()) !== killed);
    },
  },
];

for (const from of acknowledgers) {
  t.test(
    `batches with an id, sent again until accepted (${from}), count exactly once`,
    onLinux,
    async (t) => {
      const installation = await install(t, {}, { from });
      const load = startLoad(t, () => installation.service.url, installation.ingestKey, { isNamed: true });
      for (const { what, strike } of faults) {
        await load.untilAccepted(50);
        await strike(installation);
        t.comment(`${what}; ${load.waiting} batches wait for their answer`);
      }
      await load.untilAccepted(50);
      await load.end();
      const refused = load.sent.filter(({ status }) => status !== 202);
      t.strictSame(refused, [], 'every batch was accepted in the end');
      const again = load.sent.filter(({ attempts }) => attempts > 1).length;
      t.ok(again > 0, `${again} of ${load.sent.length} batches were sent more than once`);
      await sendAgain(t, installation, load.sent.length);
      await untilStored(installation.service, installation.ingestKey);
      await checkAccounts(t, installation.service.clickhouseUrl, load.sent);
    },
  );
}

/** Sends the first of these batches once more, although they were all accepted. */
async function sendAgain(t: Test, { service, ingestKey }: Installation, sentMax: number): Promise<void> {
  const load = startLoad(t, () => service.url, ingestKey, { isNamed: true });
  await load.untilAccepted(100);
  await load.end();
  t.ok(load.sent.length <= sentMax, `${load.sent.length} batches were sent again`);
}
