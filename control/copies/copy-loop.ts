import type { Clock } from '../../lib/clock.js';
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import { minuteMs } from '../../lib/times.js';
import { copyRows } from './copy-rows.js';
import { noteRows } from './note-rows.js';
import { type CopyDeps, compareStores } from './take-version.js';

/** How often the stores are compared while nothing changes; each copy compares them as well. */
const compareEveryMs = 5 * minuteMs;

/**
 * Starts the loop that copies changed rows to ClickHouse, within about a second of the change. Any number of instances may run
 * it. It is no job on the schedule: the lease of a job outlives a process that crashes by 30 s, and the lock under which rows are
 * copied does not. When nothing waits, it compares the stores, because one of them may have been restored, and goes on with the
 * noting of all rows.
 */
export function startCopyLoop({ clock, ...deps }: CopyDeps & { clock: Clock }): PollLoop {
  let comparedAt = Number.NEGATIVE_INFINITY;

  async function run(): Promise<boolean> {
    if (await copyRows(deps)) return true;
    if (clock.now() - comparedAt >= compareEveryMs) {
      await compareStores(deps);
      comparedAt = clock.now();
    }
    return noteRows(deps);
  }

  return startPollLoop('copy-rows', run, { log: deps.log });
}
