import type { Socket } from 'node:net';

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
export type PhaseMeter = {
  phases: Phases;
  /** Measures a socket that was just opened. */
  watch(socket: Socket, tls: boolean): void;
  /** Records the arrival of the head of the response. */
  answered(): void;
};

export function createPhaseMeter(): PhaseMeter {
  const phases: Phases = { ...noPhases };
  let since = 0;
  const add = (phase: keyof Phases): void => {
    const now = performance.now();
    phases[phase] = (phases[phase] ?? 0) + (now - since);
    since = now;
  };
  return {
    phases,
    watch(socket, tls) {
      since = performance.now();
      socket.once('lookup', () => add('dnsMs'));
      socket.once('connect', () => add('connectMs'));
      if (tls) socket.once('secureConnect', () => add('tlsMs'));
    },
    answered: () => add('firstByteMs'),
  };
}
