import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { listTokens } from '../support/log-files.js';
import { runHeartline } from '../support/run-heartline.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad } from './load.js';
import { install, onLinux, serveIn, untilEnded } from './running-service.js';

t.test('a log that was left behind is backed up, restored, and counted once', onLinux, async (t) => {
  const { dataDir, ingestKey, service } = await install(t);
  const load = startLoad(t, () => service.url, ingestKey);
  await load.untilAccepted(50);
  const clickhouse = await service.clickhousePid();
  process.kill(clickhouse, 'SIGSTOP');
  // Fifty batches a second, so these fill at least one file.
  await load.untilAccepted(150);
  process.kill(service.pid, 'SIGKILL');
  process.kill(clickhouse, 'SIGKILL');
  await load.end();
  await untilEnded([service.pid, clickhouse], 10_000);

  const folder = await temporaryFolder(t);
  const [directory, restored] = [join(folder, 'backup'), join(folder, 'data')];
  const made = await runHeartline(['backup', directory, '--json'], { HEARTLINE_DATA_DIR: dataDir });
  t.equal(made.code, 0, made.stderr);
  const { log } = JSON.parse(made.stdout);
  t.ok(log.files > 0 && log.bytes > 0, 'the backup has a log', { found: log });
  t.equal((await filesOf(directory)).length, log.files);
  t.match(await runHeartline(['restore', directory], { HEARTLINE_DATA_DIR: restored }), { code: 0 });

  const first = await serveIn(t, restored);
  await untilDelivered(restored);
  await checkAccounts(t, first.clickhouseUrl, load.sent);
  process.kill(first.pid, 'SIGTERM');
  await first.exited;

  // As after a backup in which the copy of ClickHouse, made later, has what the log holds.
  await cp(join(directory, 'log'), join(restored, 'log'), { recursive: true });
  const second = await serveIn(t, restored);
  await untilDelivered(restored);
  await checkAccounts(t, second.clickhouseUrl, load.sent);
});

/** A service takes the log over before it listens, so its files are in the folder of the service by now. */
function untilDelivered(dataDir: string): Promise<void> {
  const logDir = join(dataDir, 'log');
  return waitUntil('the log is delivered', async () => (await listTokens(logDir)).length === 0, 30_000);
}

/** The files in the log of a backup. */
async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(join(folder, 'log'), { recursive: true });
  return names.filter((name) => name.endsWith('.log'));
}
