import { listLog, listOwners } from '../../lib/outbox/log/adopt.js';
import { contentBytes } from '../../lib/outbox/log/written-content.js';
import { waitUntil } from './wait-until.js';

const deliverTimeoutMs = 60_000;

/** Lists the tokens of the files with records in the logs of all processes below this folder; none without the folder. */
export async function listTokens(logDir: string): Promise<string[]> {
  const owners = await listOwners(logDir);
  const files = await Promise.all(owners.map(listLog));
  const found = files.flat().map(async ({ path, token }) => {
    const bytes = await contentBytes(path).catch(() => 0);
    return bytes === 0 ? [] : [token];
  });
  return (await Promise.all(found)).flat();
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
