import { spawn } from 'node:child_process';
import { get } from 'node:http';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCode } from '../../stack/errors.js';
import { waitUntil } from './wait-until.js';

/** The two servers of a run of tests, which every process of the run shares. */
export type StoreKind = 'postgres' | 'clickhouse';

/** Where the processes of a run ask for the servers; set by the runner. */
const socketVariable = 'HEARTLINE_TEST_STORES';

/** Starts the process that has the servers of a run. It ends with this one, which does not wait for it. */
export function keepStores(folder: string): void {
  const path = join(folder, 'stores.sock');
  const entry = fileURLToPath(new URL('./keep-stores.js', import.meta.url));
  const keeper = spawn(process.execPath, [entry, folder, path], {
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  keeper.unref();
  if (keeper.stdin instanceof Socket) keeper.stdin.unref();
  process.env[socketVariable] = path;
}

/**
 * Returns the URL of a server of the run; `undefined` in a process that no runner has started. A ClickHouse is lent to
 * this process alone, until it ends.
 */
export async function askForStore(kind: StoreKind): Promise<string | undefined> {
  const socketPath = process.env[socketVariable];
  if (socketPath === undefined) return undefined;
  let answer: string | undefined;
  await waitUntil('the process that has the servers answers', async () => {
    answer = await request(socketPath, kind);
    return answer !== undefined;
  });
  return answer;
}

/** Returns `undefined` while the process does not listen yet. The connection stays open, and does not hold this process. */
function request(socketPath: string, kind: StoreKind): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const sent = get({ socketPath, path: `/${kind}`, agent: false }, (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        answer += text;
        if (!answer.endsWith('\n') || response.statusCode !== 200) return;
        response.socket.unref();
        resolve(answer.trim());
      });
      response.once('end', () => reject(new Error(answer)));
    });
    sent.on('error', (error) => {
      if (['ENOENT', 'ECONNREFUSED'].includes(errorCode(error) ?? '')) resolve(undefined);
      else reject(error);
    });
  });
}
