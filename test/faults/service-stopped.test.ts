import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad, untilStored } from './load.js';
import { childrenOf, install, onLinux, untilEnded } from './running-service.js';

t.test(
  'SIGTERM under load: waiting batches are answered and stored, and every process ends',
  onLinux,
  async (t) => {
    const installation = await install(t);
    let { service } = installation;
    const load = startLoad(t, () => service.url, installation.ingestKey);
    await load.untilAccepted(50);
    const stores = (await childrenOf(service.pid)).map(({ pid }) => pid);
    t.equal(stores.length, 2);

    // A suspended ClickHouse makes batches wait, so that some are unanswered when the signal arrives.
    const clickhouse = await service.clickhousePid();
    process.kill(clickhouse, 'SIGSTOP');
    await waitUntil('batches wait', () => load.waiting >= 20);
    const waiting = load.sent.filter(({ status, failure }) => status === undefined && failure === undefined);
    await sleep(500); // The last of them have been read by the service then.
    process.kill(service.pid, 'SIGTERM');
    await sleep(500);
    process.kill(clickhouse, 'SIGCONT');

    t.same(await service.exited, { code: 0, signal: null });
    await load.end();
    t.notOk(existsSync(join(installation.dataDir, 'stack.json')));
    await untilEnded(stores, 1_000);
    t.ok(waiting.length >= 20);
    t.strictSame(
      waiting.filter(({ status }) => status !== 202),
      [],
      'every waiting batch was accepted',
    );

    service = await installation.restart();
    await untilStored(service.url, installation.ingestKey);
    await checkAccounts(t, service.clickhouseUrl, load.sent);
  },
);
