import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../support/service-process.js';

/** Another server that accepts the same events as line protocol; it runs when its Debian package is installed. */
export type Peer = { process: ChildProcess; port: number; path: string };

const startWithinMs = 20_000;

/** Starts an installed InfluxDB 1.x on loopback, with its data in `folder`. */
export async function startInflux(folder: string): Promise<Peer | undefined> {
  if (!existsSync('/usr/bin/influxd')) return undefined;
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
  return { process: child, port, path: '/write?db=bench' };
}

/** Starts an installed VictoriaMetrics on loopback, with its data in `folder`. */
export async function startVictoria(folder: string): Promise<Peer | undefined> {
  if (!existsSync('/usr/bin/victoria-metrics')) return undefined;
  const port = await freePort();
  const options = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, '-loggerLevel=ERROR'];
  const child = spawn('/usr/bin/victoria-metrics', options, { stdio: 'ignore' });
  await answering(`http://127.0.0.1:${port}/health`);
  return { process: child, port, path: '/write' };
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
