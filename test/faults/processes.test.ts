import t from 'tap';
import { needsPromtool, runPromtool } from '../support/promtool.js';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad, untilStored } from './load.js';
import { acknowledgers, childrenOf, install, onLinux, signalServers } from './running-service.js';

for (const from of acknowledgers) {
  t.test(
    `a process killed under load (${from}): the others keep working, and a new one replaces it`,
    onLinux,
    async (t) => {
      const { service, ingestKey } = await install(t, { HEARTLINE_WORKERS: '2' }, { from });
      const processes = async () =>
        (await childrenOf(service.pid))
          .filter(({ command }) => command.includes('serve'))
          .map(({ pid }) => pid);
      t.equal((await processes()).length, 2);
      const load = startLoad(t, () => service.url, ingestKey);
      await load.untilAccepted(50);
      const [killed = 0] = await processes();
      process.kill(killed, 'SIGKILL');
      await load.untilAccepted(50);
      await waitUntil('another one runs', async () => {
        const now = await processes();
        return now.length === 2 && !now.includes(killed);
      });
      await load.untilAccepted(100);
      await load.end();
      await untilStored(service, ingestKey);
      const refused = load.sent.filter(({ status }) => status !== undefined && status !== 202);
      t.strictSame(refused, [], 'every batch that was answered was accepted');
      await checkAccounts(t, service.clickhouseUrl, load.sent);

      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      const counted = Number(/^heartline_events_accepted_total (\d+)$/m.exec(metrics)?.[1]);
      t.ok(counted > 0, 'metrics count all processes');
      t.match(metrics, /^heartline_http_request_seconds_count\{route="\/api\/v1\/events"/m);

      process.kill(service.pid, 'SIGTERM');
      t.same(await service.exited, { code: 0, signal: null });
      t.same(await processes(), []);
    },
  );
}

t.test('metrics of several processes while PostgreSQL is suspended', onLinux, async (t) => {
  const { service } = await install(t, { HEARTLINE_WORKERS: '2' });
  await signalServers([await service.postgresPid()], 'SIGSTOP');
  // The backlogs of the last 5 s are still answered.
  let metrics = '';
  await waitUntil('the backlogs are missing', async () => {
    metrics = await (await fetch(`${service.url}/metrics`)).text();
    return !metrics.includes('\nheartline_delivery_batches_waiting{');
  });
  t.match(metrics, /^heartline_events_accepted_total 0$/m, 'everything else is there');
  t.notMatch(metrics, /^heartline_job_last_success_age_seconds\{/m);
  if (needsPromtool.skip === undefined) {
    t.strictSame(runPromtool(['check', 'metrics'], metrics), { code: 0, said: '' });
  }
});
