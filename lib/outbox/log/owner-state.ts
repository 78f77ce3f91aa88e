import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { secondMs } from '../../times.js';
import { readOwner, silentMsMax } from './adopt.js';
import { ownerFile } from './log-folder.js';

/** Finds out what has become of the process that describes itself; see `LogOwner`. */
export type FindFate = (description: string) => Promise<'running' | 'ended' | 'unknown'>;

/**
 * - running: its process runs, or gave a sign of life in the last 15 s
 * - ended: its process has ended
 * - silent: its process cannot be seen from here, and gave no sign of life
 * - left: its process gave the folder up, or a backup restored it
 */
export type OwnerState = 'running' | 'ended' | 'silent' | 'left';

/** Says what has become of the process of an owner's folder; `left` when the folder does not name one. */
export async function fateOfOwner(
  path: string,
  findFate: FindFate,
): Promise<Awaited<ReturnType<FindFate>> | 'left'> {
  const description = await readOwner(path);
  return description === undefined ? 'left' : findFate(description);
}

/** `signAt` is the last sign of life, in milliseconds since the epoch; `undefined` when the folder has none. */
export async function loadOwnerState(
  path: string,
  findFate: FindFate,
  now: number,
): Promise<{ state: OwnerState; signAt: number | undefined }> {
  const [fate, signAt] = [await fateOfOwner(path, findFate), await lastSign(path)];
  if (signAt === undefined) return { state: 'left', signAt };
  if (fate !== 'unknown') return { state: fate, signAt };
  return { state: Math.abs(now - signAt) <= silentMsMax ? 'running' : 'silent', signAt };
}

/**
 * Watches an owner whose process cannot be seen from here. Resolves to false at its next sign of life, and to true when
 * it gives none for 15 s: the clocks of the two need not agree.
 */
export async function staysSilent(path: string, signal: AbortSignal): Promise<boolean> {
  const first = await lastSign(path);
  const endsAt = performance.now() + silentMsMax;
  while (performance.now() < endsAt) {
    await delay(secondMs / 2, undefined, { signal }).catch(() => signal.throwIfAborted());
    const sign = await lastSign(path);
    if (sign === undefined) return true;
    if (sign !== first) return false;
  }
  return true;
}

async function lastSign(path: string): Promise<number | undefined> {
  return stat(join(path, ownerFile)).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
