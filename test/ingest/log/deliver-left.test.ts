import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { ClickHouseError } from '@clickhouse/client';
import t from 'tap';
import { deliverLeft } from '../../../ingest/log/deliver-left.js';
import { listLog, listOwners } from '../../../lib/outbox/log/adopt.js';
import { leaveLog } from '../../support/left-log.js';
import { silentLog } from '../../support/silent-log.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { makePage } from './support.js';

const owner = { description: '{}', hasEnded: async () => false };

t.test('a file whose events ClickHouse refuses stays, and the others are delivered', async (t) => {
  const dir = await temporaryFolder(t);
  await leaveLog(dir, { pageId: makePage().id, files: [[1], [2], [3]] });
  const files = (await Promise.all((await listOwners(dir)).map(listLog))).flat();
  const refused = files[0]?.token ?? '';
  const done = await deliverLeft(
    files.map((file) => ({ ...file, store: 'default' as const })),
    {
      ...{ dir, owner, log: silentLog, signal: new AbortController().signal, onProgress() {} },
      async deliver({ token }) {
        if (token === refused) throw new ClickHouseError({ message: 'Too wide.', code: '241' });
      },
    },
  );
  t.match(done, { files: 2, stopped: undefined });
  t.strictSame(
    done.declined.map(({ path, reason }) => [basename(path, '.log'), reason]),
    [[refused, 'Too wide.']],
  );
  t.equal((await readdir(dir, { recursive: true })).filter((name) => name.endsWith('.log')).length, 1);
});
