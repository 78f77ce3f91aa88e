import { basename } from 'node:path';
import t from 'tap';
import { createDeliveryBuffer } from '../../../ingest/buffer/delivery-buffer.js';
import type { StoreName } from '../../../ingest/buffer/waiting-blocks.js';
import { createClickHouseStore } from '../../../ingest/commit/clickhouse-store.js';
import { openEventLog } from '../../../ingest/log/event-log.js';
import { systemClock } from '../../../lib/clock.js';
import { openLogFolder } from '../../../lib/outbox/log/log-folder.js';
import { describeThisProcess, hasEnded } from '../../../stack/process-identity.js';
import { leaveLog } from '../../support/left-log.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { waitUntil } from '../../support/wait-until.js';

const owner = { description: await describeThisProcess(), hasEnded };

t.test("files that a process left for a page's own store go to the delivery buffer", async (t) => {
  const { sql, clickhouse } = await openStores(t);
  const { id: pageId } = await makePage(sql);
  const dir = await temporaryFolder(t);
  const { files } = await leaveLog(dir, { pageId, store: pageId, files: [[3], [4]] });
  const eventLog = await openEventLog({
    ...{ dir, owner, bytesMax: 1e9, clock: systemClock, log: silentLog },
    metrics: { synced() {}, damaged() {}, inserted() {}, insertFailed() {} },
    store: createClickHouseStore(clickhouse),
    bufferOf: (store: StoreName) => createDeliveryBuffer({ sql, clock: systemClock, log: silentLog }, store),
  });
  t.teardown(() => eventLog.close());
  const load = () => sql`select token, events from delivery_batches where store = ${pageId} order by id`;
  await waitUntil('both blocks wait in the buffer', async () => (await load()).length === 2);
  const tokens = files.map(({ path }) => basename(path, '.log'));
  t.match(await load(), [
    { token: tokens[0], events: 3 },
    { token: tokens[1], events: 4 },
  ]);
});

t.test('the files of one owner are named in the order in which they are created', async (t) => {
  const folder = await openLogFolder(await temporaryFolder(t), owner, silentLog);
  const names: string[] = [];
  for (let number = 1; number <= 17; number += 1) {
    const file = await folder.create('default');
    names.push(basename(file.path));
    await file.close();
    await folder.remove(file.path);
  }
  await folder.close();
  t.strictSame([...names].sort(), names);
  t.equal(new Set(names).size, 17);
});
