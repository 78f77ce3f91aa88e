import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export type Heartline = { process: ChildProcess; port: number; key: string };

/**
 * The service on these stores, in a process of its own, with a page and its ingest key; it ends with this one. With
 * `--cpu-prof` on the command line it leaves a profile where it runs.
 */
export async function startHeartline(options: {
  databaseUrl: string;
  clickhouseUrl: string;
  /** Where its email goes. */
  smtpUrl?: string;
}): Promise<Heartline> {
  const file = new URL('./servers/heartline.js', import.meta.url);
  const { databaseUrl, clickhouseUrl, smtpUrl } = options;
  const child = fork(file, [databaseUrl, clickhouseUrl, ...(smtpUrl === undefined ? [] : [smtpUrl])], {
    execArgv: process.argv.includes('--cpu-prof') ? ['--cpu-prof'] : [],
  });
  const [ready] = (await once(child, 'message')) as [{ port: number; key: string }];
  return { process: child, ...ready };
}

/** Lets the service answer what it accepted, and waits until it has ended. */
export async function stopHeartline({ process: child }: Heartline): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}
