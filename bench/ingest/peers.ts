import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Another server that accepts the same events as line protocol; it runs when its Debian package is installed. */
export type Peer = { name: string; process: ChildProcess; port: number; path: string };

const startWithinMs = 20_000;

/** Starts the installed peers on loopback, with their data below `folder`. */
export async function startPeers(folder: string): Promise<Peer[]> {
  const peers: Peer[] = [];
  if (existsSync('/usr/bin/influxd')) peers.push(await startInflux(join(folder, 'influx')));
  if (existsSync('/usr/bin/victoria-metrics')) peers.push(await startVictoria(join(folder, 'victoria')));
  return peers;
}

async function startInflux(folder: string): Promise<Peer> {
  const [port, rpcPort] = [await freePort(), await freePort()];
  const config = join(folder, 'influxdb.conf');
  await mkdir(folder, { recursive: true });
  await writeFile(
    config,
    `reporting-disabled = true\nbind-address = "127.0.0.1:${rpcPort}"\n[meta]\ndir = "${folder}/meta"\n` +
      `[data]\ndir = "${folder}/data"\nwal-dir = "${folder}/wal"\nquery-log-enabled = false\n` +
      `[http]\nbind-address = "127.0.0.1:${port}"\nlog-enabled = false\n[monitor]\nstore-enabled = false\n`,
  );
  const child = spawn('/usr/bin/influxd', ['-config', config], { stdio: 'ignore' });
  await answering(`http://127.0.0.1:${port}/ping`);
  await fetch(`http://127.0.0.1:${port}/query?q=CREATE+DATABASE+bench`, { method: 'POST' });
  return { name: 'InfluxDB 1.6 /write', process: child, port, path: '/write?db=bench' };
}

async function startVictoria(folder: string): Promise<Peer> {
  const port = await freePort();
  const options = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, '-loggerLevel=ERROR'];
  const child = spawn('/usr/bin/victoria-metrics', options, { stdio: 'ignore' });
  await answering(`http://127.0.0.1:${port}/health`);
  return { name: 'VictoriaMetrics /write', process: child, port, path: '/write' };
}

async function answering(url: string): Promise<void> {
  const until = Date.now() + startWithinMs;
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    if (Date.now() > until) throw new Error(`${url} does not answer.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
