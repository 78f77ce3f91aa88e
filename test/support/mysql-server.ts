import type { AddressInfo, Socket, Server as TcpServer } from 'node:net';
import mysql from 'mysql2';
import type { Test } from 'tap';

export type MysqlServer = {
  port: number;
  /** Closes every connection abruptly. */
  disconnect(): void;
  /** Stops reading from the connections. */
  freeze(): void;
};

/** Starts the server of mysql2 on 127.0.0.1 until the test ends. It accepts any user and answers queries with OK. */
export async function startMysqlServer(t: Test): Promise<MysqlServer> {
  const connections = new Set<mysql.Connection>();
  let connectionId = 0;
  const server = mysql.createServer((base) => {
    const connection = base as mysql.Connection; // It has what clients have; the types do not say so.
    connections.add(connection);
    // Every command numbers its packets from 0; this server does not do so itself.
    const answer = (write: () => void) => {
      write();
      connection.sequenceId = 0;
    };
    connectionId += 1;
    connection.serverHandshake({
      ...{ protocolVersion: 10, serverVersion: '8.0.0', connectionId },
      ...{ statusFlags: 2, characterSet: 8, capabilityFlags: 0xffffff },
      authCallback: (_user: unknown, done: (error: null) => void) => answer(() => done(null)),
    });
    connection.on('query', () => answer(() => connection.writeOk()));
    connection.on('error', () => connections.delete(connection));
    connection.on('end', () => {
      connections.delete(connection);
      connection.destroy();
    });
  });
  const streams = () => [...connections].map((connection): Socket => Reflect.get(connection, 'stream'));
  const disconnect = () => {
    for (const stream of streams()) stream.destroy();
  };
  const freeze = () => {
    for (const stream of streams()) stream.pause();
  };
  const { _server: tcp } = server as unknown as { _server: TcpServer }; // Nothing public tells the port.
  await new Promise<void>((resolve) => {
    tcp.once('listening', () => resolve());
    server.listen(0);
  });
  t.teardown(async () => {
    disconnect();
    await new Promise((resolve) => tcp.close(resolve));
  });
  return { port: (tcp.address() as AddressInfo).port, disconnect, freeze };
}
