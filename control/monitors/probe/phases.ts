import { isIP, type Socket } from 'node:net';

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
  /** Whether the check waits for the answer of a name server. */
  readonly isLookingUp: boolean;
  /** Measures a socket that was just opened to a host. */
  watch(socket: Socket, to: { host: string; tls: boolean }): void;
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
    watch(socket, { host, tls }) {
      since = performance.now();
      isLookingUp = isIP(host.replace(/^\[|\]$/g, '')) === 0;
      socket.once('lookup', () => {
        isLookingUp = false;
        add('dnsMs');
      });
      socket.once('connect', () => add('connectMs'));
      if (tls) socket.once('secureConnect', () => add('tlsMs'));
    },
    answered: () => add('firstByteMs'),
  };
}
