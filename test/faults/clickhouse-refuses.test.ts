import { join } from 'node:path';
import t, { type Test } from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { type Load, startLoad, untilStored } from './load.js';
import { acknowledgements, install, type RunningService } from './running-service.js';
import { clearDisk, fillDisk, makeReadOnly, needsSmallDisk, serveOnSmallDisk } from './small-disk.js';

for (const ack of acknowledgements) {
  t.test(`a ClickHouse that answers but refuses every insert (${ack})`, needsSmallDisk(), async (t) => {
    const { service, ingestKey, dataDir } = await install(t, { HEARTLINE_ACK: ack }, (dataDir) =>
      serveOnSmallDisk(join(dataDir, 'clickhouse')),
    );
    const folder = join(dataDir, 'clickhouse');
    const running = { service, ingestKey };

    let before: Load['sent'] = [];
    await t.test('out of disk: batches wait, and are stored once there is space', async (t) => {
      const load = startLoad(t, () => service.url, ingestKey);
      await load.untilAccepted(50);
      await fillDisk(service.pid, folder);
      await untilWaiting(load);
      await clearDisk(service.pid, folder);
      await endStored(t, running, load);
      before = load.sent;
    });

    await t.test('read-only disk: batches wait, and are stored once the disk is writable', async (t) => {
      const load = startLoad(t, () => service.url, ingestKey, before.length);
      await load.untilAccepted(50);
      const endReadOnly = await makeReadOnly(
        service.pid,
        join(folder, 'data/store'),
        join(folder, 'read-only'),
      );
      await untilWaiting(load);
      await endReadOnly();
      await endStored(t, running, load, before);
    });
  });
}

const untilWaiting = (load: Load): Promise<void> =>
  waitUntil('batches wait for the store', () => load.sent.filter(({ buffered }) => buffered).length >= 50);

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
