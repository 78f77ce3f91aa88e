import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { deferred } from '../../lib/deferred.js';
import { readRequests } from './rollups.js';
import type { TestService } from './service.js';

export const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));

export type Example = {
  /** Where it listens. */
  url: string;
  /** Sends SIGTERM; resolves with the exit code, and with what it wrote to standard error. */
  stop(): Promise<{ code: number | null; complaints: string }>;
};

const startMsMax = 60_000;

/** The settings of every example, for the page `acme` of a service. */
export function settingsFor({ url, ingestKey }: TestService): Record<string, string> {
  return { HEARTLINE_URL: url, HEARTLINE_KEY: ingestKey };
}

/**
 * Starts a program in a process of its own, on a port of its choice, and waits until it prints its address.
 *
 * @param args of Node.js.
 * @param cwd a folder in the checkout, where the program finds its packages.
 */
export async function startExample(
  t: Test,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Example> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], PORT: '0', HEARTLINE_OTLP_GRPC_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const listening = deferred<string>();
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  void ended.then((code) => listening.reject(new Error(`It ended with ${code}: ${complaints}`)));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [url] = /http:\/\/(?:127\.0\.0\.1|localhost):\d+/.exec(line) ?? [];
    if (url !== undefined) listening.resolve(url);
  });
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), startMsMax);
  const url = await listening.promise.finally(() => clearTimeout(timer));
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      return { code: await ended, complaints };
    },
  };
}

/** Returns the rows that ClickHouse has for the page `acme`: methods, endpoints, statuses and counts, in order. */
export async function countedIn(api: TestService): Promise<string[]> {
  await api.settle();
  const rows = (await readRequests(api.stores.clickhouse)).filter(({ page }) => page === api.pageId);
  const counts = new Map<string, number>();
  for (const { method, endpoint, status, requests } of rows) {
    const key = `${method} ${endpoint} ${status}`;
    counts.set(key, (counts.get(key) ?? 0) + requests); // The requests may be in two minutes.
  }
  return [...counts].map(([key, count]) => `${key}: ${count}`).sort();
}
