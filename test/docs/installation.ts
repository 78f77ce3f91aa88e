import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { freePort, startServiceProcess } from '../../bench/support/service-process.js';
import { handedFiles } from '../../service/hand-over.js';
import { listenUntilEnd } from '../support/listen.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import type { KeyName } from './exchanges.js';

export type Keys = Record<KeyName, string>;

/** A running service as a reader has it, with a folder to work in and what the docs' addresses stand for. */
export type Installation = {
  url: string;
  port: number;
  folder: string;
  /** The keys of the page `demo`, as the start hands them over. */
  demoKeys: Keys;
  /** An HTTP server, for checks and webhooks. */
  receiver: Receiver;
  /** The mail server of the service. */
  mail: SmtpSink;
  /** A TCP server. */
  tcpPort: number;
  /** Environment of the commands: `heartline` and `npx` are on the path. */
  env: Record<string, string>;
};

const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

export async function install(t: Test): Promise<Installation> {
  const folder = await temporaryFolder(t);
  const [receiver, mail, tcpPort, port] = [
    await startReceiver(t),
    await startSmtpSink(t),
    await startTcp(t),
    await freePort(),
  ];
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeScript(join(bin, 'heartline'), `exec '${process.execPath}' '${main}' "$@"`);
  await writeScript(join(bin, 'npx'), `shift; exec '${bin}/heartline' "$@"`);
  // An answer that is an error fails the command.
  await writeFile(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\nmax-time = 60\n');
  await writeFile(join(folder, 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>');
  const settings = {
    HEARTLINE_DATA_DIR: join(folder, 'data'),
    HEARTLINE_SECRET_KEY: 'a secret of forty characters for the tests',
    HEARTLINE_SMTP_URL: mail.url,
    HEARTLINE_ALLOW_PRIVATE_ADDRESSES: 'on',
    PORT: String(port),
    HEARTLINE_OTLP_GRPC_PORT: '0',
  };
  const service = await startServiceProcess({ ...settings, LOG_LEVEL: 'warn' }, () => {});
  t.teardown(async () => {
    process.kill(service.pid, 'SIGTERM');
    await service.exited;
  });
  const env = { ...settings, PATH: `${bin}:${process.env['PATH']}`, HOME: folder, CURL_HOME: folder };
  const keys = await readFile(join(settings.HEARTLINE_DATA_DIR, handedFiles.keys), 'utf8');
  const keyOf = (scope: KeyName): string => {
    const key = new RegExp(`^${scope} +(key_\\w+)$`, 'm').exec(keys)?.[1];
    if (key === undefined) throw new Error(`The start made no ${scope} key.`);
    return key;
  };
  const demoKeys = { ingest: keyOf('ingest'), read: keyOf('read'), incident: keyOf('incident') };
  return { url: service.url, port, folder, demoKeys, receiver, mail, tcpPort, env };
}

async function writeScript(path: string, command: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${command}\n`);
  await chmod(path, 0o755);
}

async function startTcp(t: Test): Promise<number> {
  return listenUntilEnd(
    t,
    createServer((socket) => socket.end()),
  );
}
