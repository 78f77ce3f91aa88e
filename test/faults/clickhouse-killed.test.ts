import t from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad, untilStored } from './load.js';
import { acknowledgers, install, onLinux } from './running-service.js';

for (const from of acknowledgers) {
  t.test(`ClickHouse killed under load (${from}): accepted batches are stored once`, onLinux, async (t) => {
    const { service, ingestKey } = await install(t, {}, { from });
    const load = startLoad(t, () => service.url, ingestKey);
    for (let kill = 1; kill <= 3; kill += 1) {
      await load.untilAccepted(50);
      const killed = await service.clickhousePid();
      process.kill(killed, 'SIGKILL');
      await waitUntil('another one runs', async () => (await service.clickhousePid()) !== killed);
    }
    await load.untilAccepted(50);
    await load.end();

    t.equal(load.sent.filter(({ status }) => status === undefined).length, 0, 'every batch was answered');
    await untilStored(service, ingestKey);
    await checkAccounts(t, service.clickhouseUrl, load.sent);
  });
}
