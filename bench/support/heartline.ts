import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export type Heartline = { process: ChildProcess; port: number; key: string };

/**
 * Starts the service on these stores in a separate process, which ends with this one, with a page and its ingest key.
 * With `--cpu-prof` on the command line the service writes a profile into the current folder.
 */
export async function startHeartline(options: {
  databaseUrl: string;
  clickhouseUrl: string;
  /** Mail server for its email. */
  smtpUrl?: string;
}): Promise<Heartline> {
  const file = new URL('../servers/heartline.js', import.meta.url);
  const { databaseUrl, clickhouseUrl, smtpUrl } = options;
  const child = fork(file, [databaseUrl, clickhouseUrl, ...(smtpUrl === undefined ? [] : [smtpUrl])], {
    execArgv: process.argv.includes('--cpu-prof') ? ['--cpu-prof'] : [],
  });
  const [ready] = (await once(child, 'message')) as [{ port: number; key: string }];
  return { process: child, ...ready };
}

/** Lets the service answer the accepted requests, and waits until it has ended. */
export async function stopHeartline({ process: child }: Heartline): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}
