import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';

export type RawConnection = {
  socket: Socket;
  send(data: string | Uint8Array): void;
  /** Everything received until the server closed the connection. */
  readToEnd(): Promise<string>;
  /** Waits until everything received so far matches, and returns it. */
  readUntil(form: RegExp): Promise<string>;
};

/** Opens a connection without an HTTP client, to send what no well-behaved client sends. */
export async function openConnection(t: Test, url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.teardown(() => socket.destroy());
  socket.on('error', () => {});
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  await once(socket, 'connect');
  return {
    socket,
    send: (data) => {
      socket.write(data);
    },
    async readToEnd() {
      if (!socket.closed) await once(socket, 'close');
      return received;
    },
    async readUntil(form) {
      while (!form.test(received) && !socket.closed) {
        await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      }
      return received;
    },
  };
}

/** Returns the request line and the headers of a POST of JSON. */
export function postHead(path: string, headers: Record<string, string | number>): string {
  const lines = Object.entries({ host: 'test', 'content-type': 'application/json', ...headers });
  return `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

export type RawAnswer = { status: number; head: string; body: string };

/**
 * Sends the bytes of a request on a connection of its own, and returns the answer once the server has closed the
 * connection: a request without `connection: close` must be one that the server closes by itself.
 */
export async function askRaw(t: Test, url: string, request: string): Promise<RawAnswer> {
  const connection = await openConnection(t, url);
  connection.send(Buffer.from(request, 'latin1'));
  return parseAnswer(await connection.readToEnd());
}

/** Takes the text of one answer apart. */
export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const head = end === -1 ? text : text.slice(0, end);
  return { status: Number(head.split(' ')[1] ?? 0), head, body: end === -1 ? '' : text.slice(end + 4) };
}

/** Returns the lines of a request, with the empty one behind them. */
export function lines(...all: readonly string[]): string {
  return `${all.join('\r\n')}\r\n\r\n`;
}
