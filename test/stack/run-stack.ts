import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startStack } from '../../stack/start-stack.js';

/**
 * A process for the tests: starts the stack for its options in JSON, sends the result to the parent, and runs until it
 * is killed or gets the message to stop.
 */
const options: Parameters<typeof startStack>[0] = JSON.parse(process.argv[2] ?? '{}');
const silent = { info() {}, warn() {}, error() {} };

try {
  const { stop, ...urls } = await startStack({ ...options, log: silent });
  const pids = ['clickhouse', 'postgres'].map(pidOf);
  process.send?.({ ...urls, pids });
  process.once('message', async () => {
    await stop();
    process.exit(0);
  });
} catch (error) {
  process.send?.({ error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
  process.disconnect();
}

function pidOf(store: string): number | null {
  try {
    return JSON.parse(readFileSync(join(options.dataDir, store, 'process.json'), 'utf8')).pid;
  } catch {
    return null;
  }
}
