import t from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad, untilStored } from './load.js';
import { acknowledgers, install, onLinux } from './running-service.js';

/** Longest wait of a batch, which is answered after one write to the disk or to PostgreSQL; the machine may be busy. */
const secondsMax = 5;

for (const from of acknowledgers) {
  t.test(
    `ClickHouse suspended under load (${from}): what comes waits, and is stored once when it is back`,
    onLinux,
    async (t) => {
      const { service, ingestKey } = await install(t, {}, { from });
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
      t.ok(slowest < secondsMax, 'none waited for long', { found: { slowest } });
      await untilStored(service, ingestKey);
      await checkAccounts(t, service.clickhouseUrl, load.sent);
    },
  );
}
