import { createServer, type Server } from 'node:net';
import { errorCode, StackError } from './errors.js';

/**
 * Returns the given ports of 127.0.0.1 with each 0 replaced by a free port; all ports differ. They are free when this
 * function returns, but another process may take one before the store does.
 *
 * @throws StackError when a given port is in use.
 */
export async function findPorts(asked: readonly number[]): Promise<number[]> {
  const servers: Server[] = [];
  try {
    for (const port of asked) servers.push(await listen(port));
    return servers.map(portOf);
  } finally {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

export function portInUse(port: number): StackError {
  return new StackError(
    `Port ${port} of 127.0.0.1 is in use; stop what listens there or choose another port.`,
  );
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => reject(errorCode(error) === 'EADDRINUSE' ? portInUse(port) : error));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** Returns the port on which a TCP server listens. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('A TCP server has an address and a port.');
  return address.port;
}
