import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { createMonitor } from '../../control/monitors/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from '../support/actor.js';
import { testSecretKey } from '../support/embedded-stores.js';
import { examples } from '../support/example.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
const { sql } = api.stores;
const { id, token = '' } = await createMonitor(
  { sql, clock: systemClock, secretKey: testSecretKey, by: testActor },
  { pageId: api.pageId, slug: 'backup', name: 'Backup', kind: 'heartbeat', periodSeconds: 86_400 },
);

t.test('the job calls the heartbeat when it is done', async (t) => {
  const env = { HEARTLINE_URL: api.url, HEARTLINE_KEY: token };
  const calledAt = async () => {
    const [row] = await sql<{ at: Date | null }[]>`select last_ping_at as at from monitors where id = ${id}`;
    return row?.at ?? null;
  };
  t.equal(await calledAt(), null);
  const startedAt = Date.now();
  const backup = join(examples, 'cron-job/backup.js');
  const printed = await promisify(execFile)(process.execPath, [backup], { env, timeout: 30_000 });
  t.strictSame(printed, { stdout: '', stderr: '' }, 'cron would mail what it prints');
  t.ok(((await calledAt())?.getTime() ?? 0) >= startedAt);
});
