import t, { type Test } from 'tap';
import { inTransaction } from '../../../sql/in-transaction.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { openTestPostgres } from '../../support/stores.js';
import { openTcpGate } from '../../support/tcp-gate.js';
import { waitUntil } from '../../support/wait-until.js';
import { clock, newPage, type Sent, startInstance } from './support.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const startMs = clock.time - 60_000;
const one: Sent = { series: 1, startMs, timeMs: startMs + 10_000, counts: [4, 0, 0] };
const next: Sent = { ...one, timeMs: one.timeMs + 1, counts: [6, 0, 0] };

/** Sends the point over an instance that works: what the closed one has not acknowledged counts once. */
async function countAgain(t: Test, pageId: ReturnType<typeof newPage>): Promise<void> {
  const { add } = startInstance(t, databaseUrl);
  t.equal((await add(pageId, [next])).events, 2);
  t.equal((await add(pageId, [next])).events, 0);
}

t.test(
  'closing while another transaction holds the series: the write ends in its time, and so does the close',
  async (t) => {
    const pageId = newPage();
    const { commit, add } = startInstance(t, databaseUrl);
    await add(pageId, [one]);
    await inTransaction(sql, async (tx) => {
      await tx`select 1 from series_groups where page_id = ${pageId} for update`;
      const refused = t.rejects(add(pageId, [next]), likeServiceError('storeUnavailable'));
      await waitUntil('the write waits', async () => {
        const waiting = await sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting.length > 0;
      });
      const late = t.rejects(add(pageId, [next]), likeServiceError('storeBusy'));
      await Promise.all([refused, late, commit.close()]);
    });
    await t.rejects(add(pageId, [next]), likeServiceError('shuttingDown'));
    await countAgain(t, pageId);
  },
);

for (const [how, fail] of [
  ['refuses', 'close'],
  ['hangs', 'stall'],
] as const)
  t.test(`closing during and after a write that fails because PostgreSQL ${how}`, async (t) => {
    const pageId = newPage();
    const gate = await openTcpGate(t, databaseUrl);
    const { commit, add } = startInstance(t, gate.url);
    await add(pageId, [one]);
    await gate[fail]();
    const refused = t.rejects(add(pageId, [next]), likeServiceError('storeUnavailable'));
    await Promise.all([refused, commit.close()]);
    await commit.close();
    await countAgain(t, pageId);
  });
