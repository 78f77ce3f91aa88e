import type { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';
import type { Test } from 'tap';
import { portOf } from '../../stack/ports.js';

/** Listens on a free port of 127.0.0.1, and returns the port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return portOf(server);
}

/** Listens until the test ends, which cuts off open connections. Returns the address, such as `http://127.0.0.1:41234`. */
export async function serveUntilEnd(t: Test, server: HttpServer): Promise<string> {
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

/** Listens until the test ends, and returns the port. */
export async function listenUntilEnd(t: Test, server: Server): Promise<number> {
  t.teardown(() => server.close());
  return listen(server);
}
