import { utimes } from 'node:fs/promises';
import t from 'tap';
import { openEventLog } from '../../../ingest/log/event-log.js';
import { systemClock } from '../../../lib/clock.js';
import { newId, type PageId } from '../../../lib/ids.js';
import { hourMs, secondMs } from '../../../lib/times.js';
import { describeThisProcess, hasEnded } from '../../../stack/process-identity.js';
import { makeControlledBuffer } from '../../support/controlled-buffer.js';
import { makeControlledStore } from '../../support/controlled-store.js';
import { leaveLog } from '../../support/left-log.js';
import { silentLog } from '../../support/silent-log.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';

t.test('events that a process left are as old as their file', async (t) => {
  const dir = await temporaryFolder(t);
  const { files } = await leaveLog(dir, { pageId: newId<PageId>(Date.now()), files: [[1], [1]] });
  // A file system may keep whole seconds only.
  const writtenAt = Math.floor((Date.now() - hourMs) / secondMs) * secondMs;
  for (const { path } of files) await utimes(path, new Date(writtenAt), new Date(writtenAt));
  const store = makeControlledStore();
  store.behaviour = 'fail';
  const eventLog = await openEventLog({
    ...{ dir, store, bytesMax: 1e9, clock: systemClock, log: silentLog },
    owner: { description: await describeThisProcess(), hasEnded },
    metrics: { synced() {}, damaged() {}, inserted() {}, insertFailed() {} },
    bufferOf: makeControlledBuffer,
  });
  t.teardown(() => eventLog.close());
  const { oldest = Number.NaN } = eventLog;
  t.ok(oldest >= writtenAt - 5 * secondMs, 'a file takes events for 5 s at most');
  t.ok(oldest <= writtenAt);
  store.behaviour = 'store';
  await waitUntil('the files are delivered', () => eventLog.oldest === undefined);
});
