import { useState } from 'preact/hooks';
import { ReadError } from '../../../reads/fetch-json.js';
import { usePage } from '../../../session.js';
import { sendDelete, sendMove, sendPause } from './verbs.js';

export type BulkAction = { verb: 'pause' | 'resume' | 'delete' } | { verb: 'move'; group: string | null };
export type Named = { slug: string; name: string };
export type BulkFailure = Named & { why: string };

export type BulkState = {
  action: BulkAction;
  all: number;
  made: readonly Named[];
  failed: readonly BulkFailure[];
  isRunning: boolean;
};

/** So many changes are on their way at once. */
const lanes = 4;

/** Does the same with several monitors, one request for each, and keeps which of them failed and why. */
export function useBulk(onDone: (state: BulkState) => void) {
  const page = usePage();
  const [state, setState] = useState<BulkState>();
  const change = async (action: BulkAction, slug: string): Promise<void> => {
    const ref = { page: page.slug, monitor: slug };
    if (action.verb === 'delete') await sendDelete(ref);
    else if (action.verb === 'move') await sendMove(ref, action.group);
    else await sendPause(ref, action.verb === 'pause');
  };
  const run = async (action: BulkAction, monitors: readonly Named[]): Promise<void> => {
    const waiting = [...monitors];
    let now: BulkState = { action, all: monitors.length, made: [], failed: [], isRunning: true };
    setState(now);
    const work = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        const why = await change(action, one.slug).then(() => undefined, reasonOf);
        // A monitor that somebody else has deleted is as it should be.
        const isMade = why === undefined || (action.verb === 'delete' && why.status === 404);
        now = isMade
          ? { ...now, made: [...now.made, one] }
          : { ...now, failed: [...now.failed, { ...one, why: why.message }] };
        setState(now);
      }
    };
    await Promise.all(Array.from({ length: lanes }, work));
    now = { ...now, isRunning: false };
    setState(now);
    onDone(now);
  };
  return {
    state,
    run: (action: BulkAction, monitors: readonly Named[]) => void run(action, monitors),
    clear: () => setState(undefined),
  };
}

function reasonOf(error: unknown): ReadError {
  return error instanceof ReadError ? error : new ReadError(0, String(error));
}
