import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type ClickHouseClient, openClickHouse } from '../../sql/open-clickhouse.js';
import { select } from '../support/rollups.js';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { type Load, startLoad, untilStored } from './load.js';
import { acknowledgers, install, type RunningService } from './running-service.js';
import {
  clearDisk,
  fillDisk,
  makeReadOnly,
  needsServiceOnSmallDisk,
  serveOnSmallDisk,
} from './small-disk.js';

for (const from of acknowledgers) {
  t.test(
    `a ClickHouse that answers but refuses every insert (${from})`,
    needsServiceOnSmallDisk(),
    async (t) => {
      const { service, ingestKey, dataDir } = await install(
        t,
        {},
        { from, begin: (dataDir) => serveOnSmallDisk(join(dataDir, 'clickhouse')) },
      );
      const folder = join(dataDir, 'clickhouse');
      const running = { service, ingestKey };

      let before: Load['sent'] = [];
      await t.test('out of disk: batches wait, and are stored once there is space', async (t) => {
        const load = startLoad(t, () => service.url, ingestKey);
        await load.untilAccepted(50);
        await betweenWrites(service, () => fillDisk(service.pid, folder));
        await untilWaiting(load);
        await clearDisk(service.pid, folder);
        await endStored(t, running, load);
        before = load.sent;
      });

      await t.test('read-only disk: batches wait, and are stored once the disk is writable', async (t) => {
        const load = startLoad(t, () => service.url, ingestKey, { firstBatch: before.length });
        await load.untilAccepted(50);
        const endReadOnly = await betweenWrites(service, () =>
          makeReadOnly(service.pid, join(folder, 'data/store'), join(folder, 'read-only')),
        );
        await untilWaiting(load);
        await endReadOnly();
        await endStored(t, running, load, before);
      });
    },
  );
}

const untilWaiting = (load: Load): Promise<void> =>
  waitUntil('batches wait for the store', () => load.sent.filter(({ buffered }) => buffered).length >= 50);

/**
 * Runs `change` while ClickHouse writes no part, because no retry mends what the engine does to a write that is cut short:
 * of 28 disks that filled at random moments, one left a merged part without its marks, whose rows could not be read.
 */
async function betweenWrites<T>(service: RunningService, change: () => Promise<T>): Promise<T> {
  const clickhouse = openClickHouse(service.clickhouseUrl);
  process.kill(service.pid, 'SIGSTOP');
  try {
    await clickhouse.command({ query: 'SYSTEM STOP MERGES' });
    await waitUntil('ClickHouse writes nothing', async () => (await countWrites(clickhouse)) === 0);
    const changed = await change();
    await clickhouse.command({ query: 'SYSTEM START MERGES' });
    return changed;
  } finally {
    process.kill(service.pid, 'SIGCONT');
    await clickhouse.close();
  }
}

async function countWrites(clickhouse: ClickHouseClient): Promise<number> {
  const [row] = await select<{ writes: number }>(
    clickhouse,
    `SELECT toUInt32((SELECT count() FROM system.merges)
                     + (SELECT count() FROM system.processes WHERE query_kind = 'Insert')) AS writes`,
  );
  return row?.writes ?? 0;
}

/** Asserts that every batch was accepted and is stored once. */
async function endStored(
  t: Test,
  { service, ingestKey }: { service: RunningService; ingestKey: string },
  load: Load,
  before: Load['sent'] = [],
): Promise<void> {
  await untilStored(service, ingestKey);
  await load.end();
  t.strictSame(
    load.sent.filter(({ status }) => status !== 202),
    [],
    'every batch was accepted',
  );
  await untilStored(service, ingestKey);
  await checkAccounts(t, service.clickhouseUrl, load.sent, before);
}
