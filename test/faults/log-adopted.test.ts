import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../lib/clock.js';
import { listOwners } from '../../lib/outbox/log/adopt.js';
import { listTokens } from '../support/log-files.js';
import { makeKey, makePage } from '../support/pages.js';
import { openStores } from '../support/stores.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { type Load, startLoad, untilStored } from './load.js';
import { onLinux, serveOn } from './running-service.js';

/** More than the process keeps in memory, so that it has to read some again. */
const filesHeld = 5;
/** A dead process is seen at the next look, at most 5 s later; a silent one counts as dead after 15 s. */
const adoptTimeoutMs = { dead: 15_000, silent: 30_000 };

t.test('two instances on one data folder', onLinux, async (t) => {
  const stores = await openStores(t);
  const { slug } = await makePage(stores.sql);
  const { key } = await makeKey({ sql: stores.sql, clock: systemClock }, { slug, scope: 'ingest' });
  const settings = { HEARTLINE_DATA_DIR: await temporaryFolder(t) };
  const gate = await openTcpGate(t, stores.clickhouseUrl);
  /** Starts an instance whose ClickHouse can be cut off, and returns the folder of its log with it. */
  const startCut = async (t: Test) => {
    const logDir = join(settings.HEARTLINE_DATA_DIR, 'log');
    const before = await listOwners(logDir);
    const service = await serveOn(t, { ...stores, clickhouseUrl: gate.url }, settings);
    const [own = ''] = (await listOwners(logDir)).filter((path) => !before.includes(path));
    return { service, own };
  };
  const untilAdopted = async (own: string, timeoutMs: number): Promise<void> => {
    await waitUntil('the log is adopted', () => !existsSync(join(own, 'owner.json')), timeoutMs);
  };
  const other = await serveOn(t, stores, settings);
  let before: Load['sent'] = [];

  await t.test('one killed while ClickHouse is unavailable: the other delivers its log', async (t) => {
    const { service, own } = await startCut(t);
    const load = startLoad(t, () => service.url, key);
    await load.untilAccepted(50);
    await gate.close();
    await waitUntil('the log holds files', async () => (await listTokens(other.logDir)).length >= filesHeld);
    process.kill(service.pid, 'SIGKILL');
    await service.exited;
    await load.end();
    await untilAdopted(own, adoptTimeoutMs.dead);
    await untilStored(other, key);
    await checkAccounts(t, stores.clickhouseUrl, load.sent);
    t.notOk(existsSync(own), 'its folder is gone');
    before = load.sent;
    await gate.open();
  });

  await t.test('one suspended until the other has its log: it goes on with a new one', async (t) => {
    const { service, own } = await startCut(t);
    const load = startLoad(t, () => service.url, key, { firstBatch: before.length });
    await load.untilAccepted(50);
    await gate.close();
    await waitUntil('the log holds files', async () => (await listTokens(other.logDir)).length >= filesHeld);
    process.kill(service.pid, 'SIGSTOP');
    // These get their answers when the process continues, as do batches in flight.
    await waitUntil('batches wait', () => load.waiting >= 25);
    const ended = load.end();
    await untilAdopted(own, adoptTimeoutMs.silent);
    process.kill(service.pid, 'SIGCONT');
    await ended;
    await gate.open();

    const later = startLoad(t, () => service.url, key, { firstBatch: before.length + load.sent.length });
    await later.untilAccepted(100);
    await later.end();
    t.strictSame(
      load.sent.filter(({ status }) => status !== 202 && status !== 503),
      [],
      'every batch was answered with 202 or 503',
    );
    t.strictSame(
      later.sent.filter(({ status }) => status !== 202),
      [],
      'every later batch was accepted',
    );
    await untilStored(service, key);
    await waitUntil('it waits for none of the adopted files', async () => {
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      return /^heartline_log_bytes 0$/m.test(metrics);
    });
    await checkAccounts(t, stores.clickhouseUrl, [...load.sent, ...later.sent], before);
  });
});
