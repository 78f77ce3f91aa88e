import t from 'tap';
import { checkAccounts } from './accounting.js';
import { startLoad, untilStored } from './load.js';
import { acknowledgers, childrenOf, install, onLinux, untilEnded } from './running-service.js';

for (const from of acknowledgers) {
  t.test(
    `the service killed under load (${from}): its successor finds accepted batches, once`,
    onLinux,
    async (t) => {
      const installation = await install(t, {}, { from });
      let { service } = installation;
      const load = startLoad(t, () => service.url, installation.ingestKey);
      for (let kill = 1; kill <= 2; kill += 1) {
        await load.untilAccepted(50);
        const stores = (await childrenOf(service.pid)).map(({ pid }) => pid);
        t.equal(stores.length, 3, 'ClickHouse, PostgreSQL and its guard');
        process.kill(service.pid, 'SIGKILL');
        t.same(await service.exited, { code: null, signal: 'SIGKILL' });
        service = await installation.restart();
        await untilEnded(stores, 1_000);
      }
      await load.untilAccepted(50);
      await load.end();

      t.ok(
        load.sent.some(({ failure }) => failure !== undefined),
        'some batches were sent while no service ran',
      );
      await untilStored(service, installation.ingestKey);
      await checkAccounts(t, service.clickhouseUrl, load.sent);
    },
  );
}
