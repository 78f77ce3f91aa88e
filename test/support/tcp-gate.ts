import { connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

export type TcpGate = {
  /** The given URL with the address of the gate. */
  url: string;
  /** Ends every connection and refuses new ones. */
  close(): Promise<void>;
  /** Ends every connection with a reset, or properly, and accepts new ones. */
  cut(how: 'reset' | 'end'): void;
  /** Accepts connections again, on the same port. */
  open(): Promise<void>;
  /**
   * Accepts connections but forwards nothing, like a server that hangs. With `sent`, that holds only for connections
   * whose client sends such text from now on, like a server with a few slow queries.
   */
  stall(sent?: RegExp): void;
  /** How many connections are open that `stall` holds because of what their client sent. */
  held(): number;
};

/** Starts a proxy for the server of a URL, so that a test can cut the connection. It closes when the test ends. */
export async function openTcpGate(t: Test, serverUrl: string): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  const held = new Set<Socket>();
  let stalled = false;
  let heldForm: RegExp | undefined;
  const server = createServer((client) => {
    const upstream = connectTo(serverUrl);
    clients.add(client);
    client.on('close', () => clients.delete(client));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes: Buffer) => {
        if (from === client && heldForm?.test(bytes.toString('latin1'))) held.add(client);
        if (!stalled && !held.has(client)) to.write(bytes);
      });
      from.on('error', () => from.destroy());
      from.on('close', () => {
        sockets.delete(from);
        held.delete(from);
        to.destroy();
      });
    }
  });
  let port = 0;

  async function open(): Promise<void> {
    stalled = false;
    heldForm = undefined;
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The gate has no port.');
    port = address.port;
  }

  async function close(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  function stall(sent?: RegExp): void {
    if (sent === undefined) stalled = true;
    heldForm = sent;
  }

  function cut(how: 'reset' | 'end'): void {
    for (const client of clients) {
      if (how === 'reset') client.resetAndDestroy();
      else client.end();
    }
  }

  await open();
  t.teardown(close);
  return { url: atLocalPort(serverUrl, port), open, close, cut, stall, held: () => held.size };
}

/** Connects to the host and port of a URL, or to the socket in the folder that a host like `%2Ftmp` names. */
export function connectTo(serverUrl: string): Socket {
  const { hostname, port } = new URL(serverUrl);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(Number(port), host);
}

/** The URL of a server as a proxy on this port of the machine has it. */
export function atLocalPort(serverUrl: string, port: number): string {
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}
