import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Test } from 'tap';
import { listen } from './listen.js';

/** Answers one request. The connection stays open until this or the client closes it. */
export type Behaviour = (socket: Socket, query: string) => void;

export type HostileStore = {
  url: string;
  behave: Behaviour;
  /** The queries that have arrived, in their order. */
  queries: string[];
  /** Bytes that the server managed to send. */
  sent(): number;
  /** Connections that are open. */
  open(): number;
};

/** Nothing that a test sends is larger, should the client read to the end. */
const bytesMax = 300 * 1024 * 1024;

/** Starts a server for the place of a ClickHouse, which sends raw bytes, until the test ends. */
export async function startHostileStore(t: Test, behave: Behaviour): Promise<HostileStore> {
  const sockets = new Set<Socket>();
  let closedBytes = 0;
  const store: HostileStore = {
    url: '',
    behave,
    queries: [],
    sent: () => [...sockets].reduce((sum, socket) => sum + sent(socket), closedBytes),
    open: () => sockets.size,
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      sockets.delete(socket);
      closedBytes += sent(socket);
    });
    let text = '';
    const receive = (part: Buffer): void => {
      text += part.toString('latin1');
      const query = queryOf(text);
      if (query === undefined) return;
      socket.removeListener('data', receive).resume();
      store.queries.push(query);
      store.behave(socket, query);
    };
    socket.on('data', receive);
  });
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  store.url = `http://127.0.0.1:${await listen(server)}`;
  return store;
}

const sent = (socket: Socket): number => socket.bytesWritten - socket.writableLength;

/** The query of a request that is complete: its body, or the parameter of an insert. */
function queryOf(text: string): string | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
  if (text.length < end + 4 + length) return undefined;
  const url = new URL(text.split(' ', 2)[1] ?? '/', 'http://localhost');
  return url.searchParams.get('query') ?? text.slice(end + 4);
}

const head = (headers = '') => `HTTP/1.1 200 OK\r\n${headers}transfer-encoding: chunked\r\n\r\n`;
const chunk = (bytes: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ]);

/** Sends the same bytes again and again, as fast as the client reads them. */
function repeat(socket: Socket, bytes: Buffer): void {
  let left = bytesMax;
  const write = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= bytes.length;
      if (!socket.write(bytes)) return;
    }
    socket.end();
  };
  socket.on('drain', write);
  write();
}

/** The bytes of a whole answer. */
export const raw =
  (bytes: string | Buffer): Behaviour =>
  (socket) =>
    socket.end(bytes);

/** A whole answer with a body. It says that the connection closes; a client that keeps it would lose its next request. */
export const answer = (body: string | Buffer, headers = '', status = '200 OK'): Behaviour =>
  raw(
    Buffer.concat([
      Buffer.from(
        `HTTP/1.1 ${status}\r\n${headers}connection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`,
      ),
      Buffer.from(body),
    ]),
  );

/** Rows in the format JSONEachRow. */
export const rows = (...all: unknown[]): Behaviour =>
  answer(all.map((row) => `${JSON.stringify(row)}\n`).join(''));

/** One row after the other. */
export const endlessRows =
  (row: unknown): Behaviour =>
  (socket) => {
    socket.write(head());
    repeat(socket, chunk(`${JSON.stringify(row)}\n`.repeat(500)));
  };

/** A line that does not end. */
export const endlessLine: Behaviour = (socket) => {
  socket.write(head());
  socket.write(chunk('{"kind":"'));
  repeat(socket, chunk('a'.repeat(64 * 1024)));
};

/** A body in pieces of one byte. */
export const singleBytes: Behaviour = (socket) => {
  socket.write(head());
  repeat(socket, Buffer.from('1\r\n\n\r\n'.repeat(10_000)));
};

/** Headers that do not end. */
export const endlessHeaders: Behaviour = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\n');
  repeat(socket, Buffer.from(`x-filler: ${'a'.repeat(1_000)}\r\n`));
};

/** Interim answers, and never the answer. */
export const endlessInterim: Behaviour = (socket) =>
  repeat(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'));

/** 100 MB of rows as 100 KB. */
export const bomb = (row: unknown): Behaviour => {
  const line = `${JSON.stringify(row)}\n`;
  const zipped = gzipSync(line.repeat(Math.ceil((100 * 1024 * 1024) / line.length)));
  return answer(zipped, 'content-encoding: gzip\r\n');
};

/** Sends a little each `everyMs` milliseconds: of the headers, or of the body. */
export const drip =
  (everyMs: number, of: 'headers' | 'body' = 'body'): Behaviour =>
  (socket) => {
    socket.write(of === 'body' ? head() : 'HTTP/1.1 200 OK\r\nx-filler: ');
    const timer = setInterval(() => socket.write(of === 'body' ? '1\r\n\n\r\n' : 'a'), everyMs);
    socket.once('close', () => clearInterval(timer));
  };

/** Takes the request and says nothing. */
export const silence: Behaviour = () => {};
