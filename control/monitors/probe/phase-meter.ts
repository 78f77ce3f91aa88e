import { isIP } from 'node:net';
import type { ConnectWatcher } from '../../../lib/outbound/connect.js';

/** Phases of a check in milliseconds, each summed over all redirects; null for a phase that the check did not reach. */
export type Phases = {
  /** DNS lookups. */
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  /** From the sent request to the head of the response. */
  firstByteMs: number | null;
};

export const noPhases: Phases = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };

/** Sums the phases over the connections of one check. */
export type PhaseMeter = ConnectWatcher & {
  phases: Phases;
  /** Whether the check waits for the answer of a name server. */
  readonly isLookingUp: boolean;
  /** Records the end of the TLS handshake. */
  secured(): void;
  /** Records the arrival of the head of the response. */
  answered(): void;
};

export function createPhaseMeter(): PhaseMeter {
  const phases: Phases = { ...noPhases };
  let since = 0;
  let isLookingUp = false;
  const add = (phase: keyof Phases): void => {
    const now = performance.now();
    phases[phase] = (phases[phase] ?? 0) + (now - since);
    since = now;
  };
  return {
    phases,
    get isLookingUp() {
      return isLookingUp;
    },
    begun(host) {
      since = performance.now();
      isLookingUp = isIP(host) === 0;
    },
    lookedUp() {
      isLookingUp = false;
      add('dnsMs');
    },
    connected: () => add('connectMs'),
    secured: () => add('tlsMs'),
    answered: () => add('firstByteMs'),
  };
}
