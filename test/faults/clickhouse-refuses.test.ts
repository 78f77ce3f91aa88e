import t from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { type Load, startLoad, untilStored } from './load.js';
import { install } from './running-service.js';
import { clearDisk, fillDisk, needsSmallDisk, serveOnSmallDisk } from './small-disk.js';

const buffered = (load: Load): number => load.sent.filter((sent) => sent.buffered).length;

t.test(
  'ClickHouse out of disk under load: what comes is buffered, and stored once',
  needsSmallDisk(),
  async (t) => {
    const { service, ingestKey, dataDir } = await install(t, {}, serveOnSmallDisk);
    const load = startLoad(t, () => service.url, ingestKey);
    await load.untilAccepted(50);
    await fillDisk(service.pid, dataDir);
    await waitUntil('batches are buffered', () => buffered(load) >= 100);
    await clearDisk(service.pid, dataDir);
    await untilStored(service.url, ingestKey);
    await load.untilAccepted(20);
    await load.end();

    t.strictSame(
      load.sent.filter(({ status }) => status !== 202),
      [],
      'every batch was accepted',
    );
    await untilStored(service.url, ingestKey);
    await checkAccounts(t, service.clickhouseUrl, load.sent);
  },
);
