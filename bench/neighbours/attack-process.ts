import { setMaxListeners } from 'node:events';
import { Tally } from './ask.js';
import type { Target } from './attacks/attack.js';
import { type AttackName, attacks } from './attacks/index.js';

export type AttackJob = { name: AttackName; target: Target; seconds: number };

process.on('message', async ({ name, target, seconds }: AttackJob) => {
  const tally = new Tally();
  const signal = AbortSignal.timeout(seconds * 1000);
  // Each of many connections waits for the end.
  setMaxListeners(0, signal);
  await attacks[name].run(target, signal, tally);
  process.send?.(tally.counts);
});
process.on('disconnect', () => process.exit());
