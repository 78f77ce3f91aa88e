import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { eventsPerBatch, type Load, type Sent, startLoad, untilStored } from './load.js';
import { acknowledgements, childrenOf, install, onLinux, untilEnded } from './running-service.js';

for (const ack of acknowledgements) {
  t.test(
    `SIGTERM under load (${ack}): waiting batches are answered and stored, and every process ends`,
    onLinux,
    async (t) => {
      const installation = await install(t, { HEARTLINE_ACK: ack });
      let { service } = installation;
      const load = startLoad(t, () => service.url, installation.ingestKey);
      await load.untilAccepted(50);
      const stores = (await childrenOf(service.pid)).map(({ pid }) => pid);
      t.equal(stores.length, 3, 'ClickHouse, PostgreSQL and its guard');

      // A suspended ClickHouse makes batches wait when the signal arrives: for their answer, or acknowledged in the log.
      const clickhouse = await service.clickhousePid();
      process.kill(clickhouse, 'SIGSTOP');
      const waiting = await untilWaiting[ack](load, service.url);
      process.kill(service.pid, 'SIGTERM');
      await waitUntil('the service accepts no connection', () => isClosed(service.url));
      process.kill(clickhouse, 'SIGCONT');

      t.same(await service.exited, { code: 0, signal: null });
      await load.end();
      t.notOk(existsSync(join(installation.dataDir, 'stack.json')));
      await untilEnded(stores, 1_000);
      t.ok(waiting.length >= 20);
      t.strictSame(
        waiting.filter(({ status }) => status !== 202),
        [],
        'every waiting batch was accepted',
      );

      service = await installation.restart();
      await untilStored(service, installation.ingestKey);
      await checkAccounts(t, service.clickhouseUrl, load.sent);
    },
  );
}

/** Waits until batches wait for ClickHouse, and returns them. */
const untilWaiting = {
  async log(load: Load): Promise<Sent[]> {
    const acknowledged = load.sent.length;
    await load.untilAccepted(50);
    return load.sent.slice(acknowledged).filter(({ status }) => status === 202);
  },
  async store(load: Load, url: string): Promise<Sent[]> {
    await waitUntil('batches wait', () => load.waiting >= 20);
    const waiting = load.sent.filter(({ status, failure }) => status === undefined && failure === undefined);
    // The service reads batches in the order of their arrival, and holds those that it has read.
    await waitUntil('the service has read as many', async () => {
      return (await eventsWaiting(url)) >= waiting.length * eventsPerBatch;
    });
    return waiting;
  },
};

async function eventsWaiting(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^heartline_events_waiting (\d+)$/m.exec(metrics)?.[1]);
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
