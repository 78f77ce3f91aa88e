import { readdir } from 'node:fs/promises';
import t from 'tap';
import { newId, type PageId } from '../../lib/ids.js';
import { environmentFor } from '../support/cli-environment.js';
import { foreignOwner, leaveLog, leftAt } from '../support/left-log.js';
import { countRequests } from '../support/rollups.js';
import { runInProcess, startHeartline } from '../support/run-heartline.js';
import { openStores } from '../support/stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';

t.test('the log of a silent process is delivered after 15 s', async (t) => {
  const stores = await openStores(t);
  const env = environmentFor(stores);
  const dir = await temporaryFolder(t);
  const pageId = newId<PageId>(leftAt);
  await leaveLog(dir, { pageId, files: [[3]], owner: await foreignOwner() });
  const interrupted = startHeartline(['log', 'deliver', dir], env);
  await waitUntil('it watches', () => interrupted.stderr.startsWith('Watching 1 owner for 15 s'), 30_000);
  interrupted.kill('SIGINT');
  t.match(await interrupted.ended, { code: 1, stderr: 'heartline: The command was interrupted.\n' });
  const delivered = await runInProcess(['log', 'deliver', dir, '--json'], env);
  t.match(JSON.parse(delivered.stdout), { files: 1, left: 0 });
  t.equal(await countRequests(stores.clickhouse, pageId), 3);
  t.strictSame(await readdir(dir), []);
});
