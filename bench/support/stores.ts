import { rm } from 'node:fs/promises';
import { parseConfig } from '../../service/config.js';
import { stackOptions } from '../../service/options.js';
import { startStack } from '../../stack/start-stack.js';
import { makeSweptFolder } from './swept-folder.js';

export type Stores = { databaseUrl: string; clickhouseUrl: string; secretKey: string; dataDir: string };

const log = { debug() {}, info() {}, warn: report, error: report };

function report(fields: object, text: string): void {
  process.stderr.write(`${text} ${JSON.stringify(fields)}\n`);
}

/**
 * Runs a benchmark on the stores of DATABASE_URL and CLICKHOUSE_URL, or on embedded stores in a new folder that is
 * removed afterwards, also when the benchmark is interrupted.
 */
export async function withStores(work: (stores: Stores) => Promise<void>): Promise<void> {
  const config = parseConfig(process.env);
  const dataDir = await makeSweptFolder('heartline-bench-');
  const stack = await startStack(stackOptions({ ...config, dataDir }, log));
  try {
    await work({ ...stack, dataDir });
  } finally {
    await stack.stop();
    // The services of a benchmark that failed still write there. The folder goes when this process has ended.
    await rm(dataDir, { recursive: true, force: true }).catch(() => undefined);
  }
}
