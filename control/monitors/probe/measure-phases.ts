import type { Socket } from 'node:net';
import { noPhases, type Phases } from './outcome.js';

/** Adds up the phases of the connections of one check. */
export type PhaseMeter = {
  phases: Phases;
  /** Watches a socket that was opened just now. */
  watch(socket: Socket, tls: boolean): void;
  /** The head of the answer is there. */
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
