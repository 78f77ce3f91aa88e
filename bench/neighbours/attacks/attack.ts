import type { Tally } from '../ask.js';
import type { Kind } from '../quiet-process.js';
import type { Ports, Tenants } from '../tenants.js';

export type Target = {
  /** Address of the service. */
  url: string;
  tenants: Tenants;
  ports: Ports;
};

export type Attack = {
  /** The name in the report. */
  title: string;
  /** The work of the quiet page meanwhile, in place of sending events and being read. */
  hears?: readonly Kind[];
  /** Makes what the attack needs, before the quiet tenant's idle times are measured. */
  prepare?(target: Target, tally: Tally): Promise<void>;
  /**
   * Attacks until `signal` is aborted, and resolves soon after. Counts outcomes in `tally`; the count `posted` is bytes
   * of texts and events that the service took, which it may store.
   */
  run(target: Target, signal: AbortSignal, tally: Tally): Promise<void>;
};

/** Runs `count` loops at the same time, each calling `work` again and again until the signal is aborted. */
export async function inParallel(
  count: number,
  signal: AbortSignal,
  work: (place: number) => Promise<unknown>,
): Promise<void> {
  const loop = async (place: number): Promise<void> => {
    while (!signal.aborted) await work(place);
  };
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  // A request that is still open does not hold the end of the attack.
  await Promise.race([aborted, Promise.all(Array.from({ length: count }, (_, place) => loop(place)))]);
}
