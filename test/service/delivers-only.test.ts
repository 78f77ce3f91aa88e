import { join } from 'node:path';
import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { startService } from '../../service/service.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { leaveLog } from '../support/left-log.js';
import { listTokens, untilDelivered } from '../support/log-files.js';
import { makeKey, makePage } from '../support/pages.js';
import { countRequests } from '../support/rollups.js';
import { silentLog } from '../support/silent-log.js';
import { openStores } from '../support/stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';

t.test('a service that acknowledges from the store delivers a log that was left', async (t) => {
  const { sql, clickhouse, databaseUrl, clickhouseUrl } = await openStores(t);
  const { id: pageId, slug } = await makePage(sql);
  const { key } = await makeKey({ sql, clock: systemClock }, { slug, scope: 'ingest' });
  const dir = join(await temporaryFolder(t), 'log');
  await leaveLog(dir, { pageId, files: [[3, 4], [5]] });
  const service = await startService({
    ...{ databaseUrl, clickhouseUrl, secretKey: testSecretKey, host: '127.0.0.1', port: 0 },
    ...{ clock: systemClock, log: silentLog },
    eventLog: { dir, bytesMax: 64 * 1024 ** 2, deliversOnly: true },
  });
  t.teardown(() => service.close());
  await untilDelivered(dir);
  t.equal(await countRequests(clickhouse, pageId), 12);

  const answer = await fetch(`${service.url}/api/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify([{ endpoint: '/a', status: 200 }]),
  });
  t.equal(answer.status, 202);
  t.strictSame(await listTokens(dir), [], 'a new batch is not in the log');
  t.equal(await countRequests(clickhouse, pageId), 13, 'but in the store');
});
