import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds; throws with `what` when it does not hold in time. */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}.`);
    await sleep(20);
  }
}
