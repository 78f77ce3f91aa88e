import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { PageId } from '../../lib/ids.js';
import { nextMessage } from './next-message.js';

export const benchSecretKey = 'a key that only benchmarks use';

export type HeartlineOptions = {
  databaseUrl: string;
  clickhouseUrl: string;
  /** Mail server for its email. */
  smtpUrl?: string;
  /** Folder and bound of the log that acknowledges events. Without it, PostgreSQL acknowledges them. */
  eventLog?: { dir: string; bytesMax: number };
  /** Port for OTLP over gRPC; 0 takes a free one. Without it, there is none. */
  otlpGrpcPort?: number;
};

/** A page of the service and its ingest key. */
export type HeartlineReady = { port: number; otlpGrpcPort: number | undefined; key: string; pageId: PageId };

export type Heartline = HeartlineReady & { process: ChildProcess };

/**
 * Starts the service on these stores in a separate process, which ends with this one, with a page and its ingest key.
 * With `--cpu-prof` on the command line the service writes a profile into the current folder.
 */
export async function startHeartline(options: HeartlineOptions): Promise<Heartline> {
  const file = new URL('../servers/heartline.js', import.meta.url);
  // The stores that embedded ones come as have more members.
  const { databaseUrl, clickhouseUrl, smtpUrl, eventLog, otlpGrpcPort } = options;
  const child = fork(
    file,
    [JSON.stringify({ databaseUrl, clickhouseUrl, smtpUrl, eventLog, otlpGrpcPort })],
    {
      execArgv: [...flagsOfStart(), ...(process.argv.includes('--cpu-prof') ? ['--cpu-prof'] : [])],
    },
  );
  return { process: child, ...(await nextMessage<HeartlineReady>(child)) };
}

/** Lets the service answer the accepted requests, and waits until it has ended. */
export async function stopHeartline({ process: child }: Pick<Heartline, 'process'>): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

/** The flags for Node.js of `npm start`. */
function flagsOfStart(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}
