import { createServer, type Server, type Socket } from 'node:net';

/** An address to listen on, and the setting that chooses its port. */
export type Place = { host: string; port: number; setting: 'PORT' | 'HEARTLINE_OTLP_GRPC_PORT' };

/** Where the caller sets no bound. */
export const connectionsMaxUsual = 20_000;
/**
 * Connections that wait until the process takes them; the kernel has a bound of its own. With the usual 511, a burst of
 * 1,500 connections made others wait for the second and third attempt of their kernel, up to 7 s.
 */
const backlog = 4_096;

/** @throws Error with one sentence for the operator when the server cannot listen there */
export async function startListening(server: Server, { host, port, setting }: Place): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server
      .once('error', (error) => reject(explain(error, { host, port, setting })))
      .listen({ port, host, backlog }, resolve);
  });
}

/**
 * Listens for a moment, before the stores start for nothing. Another process may take the port afterwards.
 *
 * @throws Error with one sentence for the operator when no server can listen there
 */
export async function checkCanListen(place: Place): Promise<void> {
  const server = createServer();
  await startListening(server, place);
  await new Promise((resolve) => server.close(resolve));
}

/** Adds a server to those whose connections are bounded together. */
export type ConnectionBound = (server: Server) => void;

/**
 * Closes connections beyond the bound. `server.maxConnections` does the same in one process; but where several share the
 * port, Node 20 hands a refused connection to the next process for ever.
 *
 * @param onRefused is called for each connection that is closed for that reason
 */
export function boundConnections(
  connectionsMax = connectionsMaxUsual,
  onRefused: () => void = () => {},
): ConnectionBound {
  let open = 0;
  return (server) =>
    server.prependListener('connection', (socket: Socket) => {
      if (open >= connectionsMax) {
        socket.destroy();
        onRefused();
        return;
      }
      open += 1;
      socket.once('close', () => {
        open -= 1;
      });
    });
}

function explain(error: NodeJS.ErrnoException, { host, port, setting }: Place): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`Port ${port} on ${host} is taken; choose another one with ${setting}.`);
  if (error.code === 'EACCES')
    return new Error(`This user may not listen on port ${port}; choose one above 1023 with ${setting}.`);
  if (error.code === 'EADDRNOTAVAIL')
    return new Error(`This machine does not have the address ${host}; choose another one with HOST.`);
  return error;
}
