import t from 'tap';
import { tracesRequest } from '../../ingest/otlp/schemas.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { findPorts } from '../../stack/ports.js';
import { framed, openGrpcConnection } from '../support/grpc.js';
import { encodeOtlp, spanOf, tracesOf, usualAttributes } from '../support/otlp.js';
import { needsPromtool, runPromtool } from '../support/promtool.js';
import { readRequests } from '../support/rollups.js';
import { waitUntil } from '../support/wait-until.js';
import { checkAccounts } from './accounting.js';
import { startLoad, untilStored } from './load.js';
import { acknowledgers, childrenOf, install, onLinux, signalServers } from './running-service.js';

/** The processes of a service that answer requests. */
const processesOf = async (service: number): Promise<number[]> =>
  (await childrenOf(service)).filter(({ command }) => command.includes('serve')).map(({ pid }) => pid);

for (const from of acknowledgers) {
  t.test(
    `a process killed under load (${from}): the others keep working, and a new one replaces it`,
    onLinux,
    async (t) => {
      const { service, ingestKey } = await install(t, { HEARTLINE_WORKERS: '2' }, { from });
      const processes = () => processesOf(service.pid);
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

t.test(
  'a process killed while both take calls of gRPC: the other one goes on, and so does a new one',
  onLinux,
  async (t) => {
    const [port] = await findPorts([0]);
    const settings = { HEARTLINE_WORKERS: '2', HEARTLINE_OTLP_GRPC_PORT: String(port) };
    const { service, ingestKey, readKey } = await install(t, settings);
    const clickhouse = openClickHouse(service.clickhouseUrl);
    t.teardown(() => clickhouse.close());
    let calls = 0;
    /** A span of a route of its own, which counts once however often it is sent. */
    const nextBody = (): Buffer => {
      calls += 1;
      const span = spanOf({ attributes: { ...usualAttributes, 'http.route': `/calls/${calls}` } });
      return framed(encodeOtlp(tracesOf('shop', [span]), tracesRequest));
    };
    const open = () => openGrpcConnection(t, port);
    const call = async (connection: ReturnType<typeof open>, body: Buffer): Promise<unknown> => {
      const answer = await connection
        .call({ authorization: `Bearer ${ingestKey}` }, body)
        .catch(() => undefined);
      return answer?.['grpc-status'];
    };
    /** Reads bring what both processes have acknowledged to the store. */
    const untilCounted = () =>
      waitUntil('all calls are stored', async () => {
        const headers = { authorization: `Bearer ${readKey}` };
        await fetch(`${service.url}/api/v1/analytics/reporters`, { headers });
        const rows = await readRequests(clickhouse);
        return rows.reduce((sum, { requests }) => sum + requests, 0) === calls;
      });
    /** A connection may be handed to the process that is being killed: SDKs open another one then. */
    const callAnew = (body = nextBody()) =>
      waitUntil('a new connection is answered', async () => (await call(open(), body)) === '0');
    /** Returns whether the connection was still open. */
    const callOn = async (connection: ReturnType<typeof open>): Promise<boolean> => {
      const body = nextBody();
      const status = await call(connection, body);
      if (status !== '0') await callAnew(body);
      return status === '0';
    };
    const connections = Array.from({ length: 8 }, open);
    t.strictSame(await Promise.all(connections.map(callOn)), Array(8).fill(true));
    await untilCounted();
    const before = await processesOf(service.pid);
    process.kill(before[0] ?? 0, 'SIGKILL');
    await waitUntil('its connections have ended', () => connections.some(({ isOpen }) => !isOpen));
    const left = (await Promise.all(connections.map(callOn))).filter(Boolean).length;
    t.ok(left > 0, `${left} of 8 connections belong to the other process`);
    for (let i = 0; i < 4; i += 1) await callAnew();
    await waitUntil('another one runs', async () => {
      const now = await processesOf(service.pid);
      return now.length === 2 && !now.includes(before[0] ?? 0);
    });
    for (let i = 0; i < 4; i += 1) await callAnew();
    await untilCounted();
    t.comment(`${calls} calls`);
  },
);

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
