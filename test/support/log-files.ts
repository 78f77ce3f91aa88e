import { listLog, listOwners } from '../../lib/outbox/log/adopt.js';
import { waitUntil } from './wait-until.js';

const deliverTimeoutMs = 60_000;

/** Lists the tokens of the files in the logs of all processes below this folder; none when there is no such folder. */
export async function listTokens(logDir: string): Promise<string[]> {
  const owners = await listOwners(logDir);
  const files = await Promise.all(owners.map(listLog));
  return files.flat().map(({ token }) => token);
}

/** Waits until the store has what the logs hold now. An adopted file keeps its token. */
export async function untilDelivered(logDir: string): Promise<void> {
  const held = new Set(await listTokens(logDir));
  const isDelivered = async (): Promise<boolean> =>
    !(await listTokens(logDir)).some((token) => held.has(token));
  // A file that is renamed while the folders are listed may be in neither list, but only once.
  await waitUntil(
    'the log is delivered',
    async () => (await isDelivered()) && (await isDelivered()),
    deliverTimeoutMs,
  );
}
