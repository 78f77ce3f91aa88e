import { fateOfOwner, staysSilent } from '../../lib/outbox/log/owner-state.js';
import { fateOf } from '../../stack/process-identity.js';
import type { CommandContext } from '../core/context.js';
import { counted } from './log-text.js';

/** @throws Error with a sentence when the process of an owner runs, or gives a sign of life within 15 s. */
export async function refuseRunning(
  { notify }: Pick<CommandContext, 'notify'>,
  owners: string[],
  signal: AbortSignal,
): Promise<void> {
  const unknown: string[] = [];
  for (const path of owners) {
    const fate = await fateOfOwner(path, fateOf);
    if (fate === 'running') throw stillRuns(path);
    if (fate === 'unknown') unknown.push(path);
  }
  if (unknown.length === 0) return;
  notify(
    `Watching ${counted(unknown.length, 'owner')} for 15 s, because the process cannot be seen from here.`,
  );
  // AbortSignal.any() would do, but Node.js 20 may collect its signal before it fires.
  const ending = new AbortController();
  const stop = (): void => ending.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const watch = async (path: string): Promise<void> => {
    if (!(await staysSilent(path, ending.signal))) throw stillRuns(path);
  };
  await Promise.all(unknown.map(watch)).finally(() => {
    signal.removeEventListener('abort', stop);
    ending.abort();
  });
}

function stillRuns(path: string): Error {
  return new Error(
    `The process that owns ${path} still runs: it delivers its events by itself, and takes over what others left beside \
it. Nothing was changed. Stop it first if you want to deliver by hand.`,
  );
}
