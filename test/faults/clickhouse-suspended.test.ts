import t from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad, untilStored } from './load.js';
import { acknowledgements, install, onLinux } from './running-service.js';

/**
 * Longest wait of a batch. The store hangs for 5 s before a batch goes to the buffer, and the machine may be busy. The log
 * answers after one write to the disk.
 */
const secondsMax = { log: 5, store: 15 };

for (const ack of acknowledgements) {
  t.test(
    `ClickHouse suspended under load (${ack}): what comes waits, and is stored once when it is back`,
    onLinux,
    async (t) => {
      const { service, ingestKey } = await install(t, { HEARTLINE_ACK: ack });
      const load = startLoad(t, () => service.url, ingestKey);
      await load.untilAccepted(50);
      const clickhouse = await service.clickhousePid();
      process.kill(clickhouse, 'SIGSTOP');
      await waitUntil(
        'batches wait for the store',
        () => load.sent.filter(({ buffered }) => buffered).length >= 100,
      );
      process.kill(clickhouse, 'SIGCONT');
      await load.end();

      t.strictSame(
        load.sent.filter(({ status }) => status !== 202),
        [],
        'every batch was accepted',
      );
      const slowest = Math.max(...load.sent.map(({ seconds }) => seconds ?? Infinity));
      t.ok(slowest < secondsMax[ack], 'none waited for long', { found: { slowest } });
      await untilStored(service, ingestKey);
      await checkAccounts(t, service.clickhouseUrl, load.sent);
    },
  );
}
