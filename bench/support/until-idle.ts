import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const lookMs = 250;
/** Looks in a row, so that a pause between two merges does not count. */
const idleLooks = 3;
/** Ten servers without requests take 3 to 5 %. */
const busyShareMax = 0.1;
const waitMsMax = 5_000;

/** Waits until the machine's processors have little to do, for 5 s at most, because other programs may use them. */
export async function untilIdle(): Promise<void> {
  const until = performance.now() + waitMsMax;
  let before = readTimes();
  for (let idle = 0; idle < idleLooks && performance.now() < until; ) {
    await sleep(lookMs);
    const now = readTimes();
    const busyShare = (now.busy - before.busy) / (now.all - before.all);
    idle = busyShare <= busyShareMax ? idle + 1 : 0;
    before = now;
  }
}

/** Times of all processors together since the machine started. */
function readTimes(): { busy: number; all: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const used = times.user + times.nice + times.sys + times.irq;
    busy += used;
    all += used + times.idle;
  }
  return { busy, all };
}
