import { isIP, type Socket } from 'node:net';
import { isRefusedAddress } from './filtering-agents.js';
import type { Outbound } from './request.js';

/** A name server that is slower tells nothing now; each check asks again. */
const timeoutMs = 3_000;

/**
 * Whether the agents refuse a host now, because it is, or leads to, an address that is not public. Sends nothing: the
 * connection ends before it is made, or at once. A host that cannot be resolved is not refused.
 */
export function isRefusedTarget(
  { agents, lookup }: Pick<Outbound, 'agents' | 'lookup'>,
  { host, port }: { host: string; port: number },
): Promise<boolean> {
  return new Promise((resolve) => {
    // The agent is for HTTP, but its connections are plain TCP and pass its filter.
    const socket = agents.http.createConnection({ host, port, lookup }) as Socket; // It makes sockets of node:net only.
    const end = (refused: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(refused);
    };
    const timer = setTimeout(end, timeoutMs, false);
    socket.on('error', (error) => end(isRefusedAddress(error)));
    socket.once('lookup', (error) => end(isRefusedAddress(error)));
    // An address is refused before this, and needs no look-up.
    if (isIP(host) !== 0) setImmediate(end, false);
  });
}
