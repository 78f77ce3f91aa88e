import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { type Load, type Sent, startLoad, untilStored } from './load.js';
import { acknowledgers, childrenOf, install, onLinux, untilEnded } from './running-service.js';

for (const from of acknowledgers) {
  t.test(
    `SIGTERM under load (${from}): waiting batches are answered and stored, and every process ends`,
    onLinux,
    async (t) => {
      const installation = await install(t, {}, { from });
      let { service } = installation;
      const load = startLoad(t, () => service.url, installation.ingestKey);
      await load.untilAccepted(50);
      const stores = (await childrenOf(service.pid)).map(({ pid }) => pid);
      t.equal(stores.length, 3, 'ClickHouse, PostgreSQL and its guard');

      // A suspended ClickHouse makes acknowledged batches wait when the signal arrives.
      const clickhouse = await service.clickhousePid();
      process.kill(clickhouse, 'SIGSTOP');
      const waiting = await acceptMore(load);
      process.kill(service.pid, 'SIGTERM');
      await waitUntil('the service accepts no connection', () => isClosed(service.url));
      process.kill(clickhouse, 'SIGCONT');

      t.same(await service.exited, { code: 0, signal: null });
      await load.end();
      t.notOk(existsSync(join(installation.dataDir, 'stack.json')));
      await untilEnded(stores, 1_000);
      t.ok(waiting.length >= 20, 'batches waited');

      service = await installation.restart();
      await untilStored(service, installation.ingestKey);
      await checkAccounts(t, service.clickhouseUrl, load.sent);
    },
  );
}

/** Returns batches that were accepted since the call. */
async function acceptMore(load: Load): Promise<Sent[]> {
  const before = load.sent.length;
  await load.untilAccepted(50);
  return load.sent.slice(before).filter(({ status }) => status === 202);
}

/** Opens a new connection each time, because fetch() would use a connection that is still open. */
function isClosed(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', () => resolve(true));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}
