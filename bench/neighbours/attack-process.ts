import { setMaxListeners } from 'node:events';
import { Tally } from './ask.js';
import type { Attack, Target } from './attacks/attack.js';
import { type AttackName, attacks } from './attacks/index.js';

/** Answered with the counts of the attack; `seconds` is missing for its preparation. */
export type AttackJob = { name: AttackName; target: Target; seconds?: number };

process.on('message', async ({ name, target, seconds }: AttackJob) => {
  const tally = new Tally();
  const attack: Attack = attacks[name];
  if (seconds === undefined) await attack.prepare?.(target, tally);
  else {
    const signal = AbortSignal.timeout(seconds * 1000);
    // Each of many connections waits for the end.
    setMaxListeners(0, signal);
    await attack.run(target, signal, tally);
  }
  process.send?.(tally.counts);
});
process.on('disconnect', () => process.exit());
