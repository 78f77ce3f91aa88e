import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad } from './load.js';
import { install, onLinux } from './running-service.js';

/** The longest that a batch may wait beyond the time for which ClickHouse was suspended. */
const secondsBeyond = 10;

t.test('ClickHouse suspended under load: each batch is accepted or refused, in time', onLinux, async (t) => {
  const { service, ingestKey } = await install(t);
  const load = startLoad(t, () => service.url, ingestKey);
  await load.untilAccepted(50);
  const clickhouse = await service.clickhousePid();
  process.kill(clickhouse, 'SIGSTOP');
  const suspendedAt = performance.now();
  await waitUntil('batches are refused', () => load.count(503) >= 20);
  // Some go on waiting: those that came before it was clear that the store hangs.
  t.ok(load.waiting > 0);
  await sleep(1_000);
  process.kill(clickhouse, 'SIGCONT');
  const suspendedSeconds = (performance.now() - suspendedAt) / 1000;
  await load.untilAccepted(100);
  await load.end();

  const others = load.sent.filter(({ status }) => status !== 202 && status !== 503);
  t.strictSame(others, [], 'nothing but 202 and 503');
  const slowest = Math.max(...load.sent.map(({ seconds }) => seconds ?? Infinity));
  t.ok(slowest < suspendedSeconds + secondsBeyond, 'none waits for long', {
    found: { slowest, suspendedSeconds },
  });
  const refusedSlowly = load.sent.filter(({ status, seconds = 0 }) => status === 503 && seconds > 5);
  t.strictSame(refusedSlowly, [], 'and a refusal comes at once');
  await checkAccounts(t, service.clickhouseUrl, load.sent);
});
