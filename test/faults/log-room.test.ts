import { join } from 'node:path';
import t, { type Test } from 'tap';
import { errorRegistry } from '../../contract/errors.js';
import { startAnother, startTestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { type Load, startLoad, untilStored } from './load.js';
import { install, type RunningService } from './running-service.js';
import {
  clearDisk,
  fillDisk,
  insideOf,
  makeReadOnly,
  needsServiceOnSmallDisk,
  serveOnSmallDisk,
} from './small-disk.js';

type Target = Pick<RunningService, 'url' | 'databaseUrl' | 'clickhouseUrl' | 'logDir'>;

/** About four seconds of the load. */
const logBytesMax = 128 * 1024;

t.test('a disk that does not take the log', needsServiceOnSmallDisk(), async (t) => {
  const installation = await install(
    t,
    {},
    {
      begin: (dataDir) => serveOnSmallDisk(join(dataDir, 'log')),
    },
  );
  const { ingestKey, dataDir } = installation;
  const { pid, logDir } = installation.service;
  const service = { ...installation.service, logDir: insideOf(pid, logDir) };

  let before: Load['sent'] = [];
  await t.test(
    'full while ClickHouse is suspended: senders get 503, and 202 once there is space',
    async (t) => {
      const load = startLoad(t, () => service.url, ingestKey);
      await load.untilAccepted(50);
      // A file that is delivered leaves room for the next.
      const clickhouse = await service.clickhousePid();
      process.kill(clickhouse, 'SIGSTOP');
      // Files that wait give back the space that was written ahead.
      await waitUntil('batches are refused', async () => {
        await fillDisk(pid, logDir);
        return load.count(503) >= 20;
      });
      await clearDisk(pid, logDir);
      await load.untilAccepted(50);
      process.kill(clickhouse, 'SIGCONT');
      await endStored(t, load, service, ingestKey);
      before = load.sent;
    },
  );

  await t.test('read-only: senders get 503, and 202 once it is writable', async (t) => {
    const load = startLoad(t, () => service.url, ingestKey, { firstBatch: before.length });
    await load.untilAccepted(50);
    const endReadOnly = await makeReadOnly(pid, logDir, join(dataDir, 'log-read-only'));
    await untilRefused(load);
    await endReadOnly();
    await endStored(t, load, service, ingestKey, before);
  });
});

t.test('a log at its bound: senders get 503, and 202 once ClickHouse is back', async (t) => {
  const first = await startTestService(t, { roles: new Set(['api'] as const) });
  const { ingestKey, stores } = first;
  const gate = await openTcpGate(t, stores.clickhouseUrl);
  const { url, logDir } = await startAnother(t, first, { clickhouseUrl: gate.url, logBytesMax });
  const service = { ...stores, url, logDir };
  const load = startLoad(t, () => url, ingestKey);
  await load.untilAccepted(50);
  await gate.close();
  await untilRefused(load);
  const refusals = new Set(load.sent.map(({ error }) => error).filter((error) => error !== undefined));
  t.strictSame(
    [...refusals],
    [JSON.stringify({ error: errorRegistry.storeBusy.message, code: errorRegistry.storeBusy.code })],
  );
  t.ok(
    load.sent.some(({ buffered }) => buffered),
    'batches before it had a warning',
  );
  await gate.open();
  await endStored(t, load, service, ingestKey);
});

const untilRefused = (load: Load): Promise<void> =>
  waitUntil('batches are refused', () => load.count(503) >= 20);

/** Asserts that batches are accepted again, and that each accepted batch is stored once. */
async function endStored(
  t: Test,
  load: Load,
  service: Target,
  key: string,
  before: Load['sent'] = [],
): Promise<void> {
  await load.untilAccepted(100);
  await load.end();
  t.strictSame(
    load.sent.filter(({ status }) => status !== 202 && status !== 503),
    [],
    'every batch was answered with 202 or 503',
  );
  const refused = load.sent.filter(({ status }) => status === 503);
  t.ok(
    refused.every(({ retryAfterSeconds = 0 }) => retryAfterSeconds >= 1 && retryAfterSeconds <= 5),
    'those refused may be sent again within seconds',
  );
  await untilStored(service, key);
  await checkAccounts(t, service.clickhouseUrl, load.sent, before);
}
