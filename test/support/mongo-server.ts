import { createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';
import type { Test } from 'tap';
import { listen } from './listen.js';

/**
 * Starts a server of MongoDB's wire protocol that answers `hello`, and any other command with OK. Supports OP_MSG with
 * one section only, which clients with a stable API version begin with.
 */
export async function startMongoServer(t: Test): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let buffer = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      buffer = Buffer.concat([buffer, bytes]);
      while (buffer.length >= 4 && buffer.length >= buffer.readInt32LE(0)) {
        const length = buffer.readInt32LE(0);
        socket.write(answer(buffer.subarray(0, length)));
        buffer = buffer.subarray(length);
      }
    });
  });
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  t.teardown(close);
  return { port: await listen(server), close };
}

const messageOpcode = 2013;
/** Length of the header, the flags and the kind of the section. */
const bytesBefore = 16 + 4 + 1;

function answer(message: Buffer): Buffer {
  const command = BSON.deserialize(message.subarray(bytesBefore));
  const document = BSON.serialize('hello' in command ? helloAnswer : { ok: 1 });
  const head = Buffer.alloc(bytesBefore);
  head.writeInt32LE(bytesBefore + document.length, 0);
  head.writeInt32LE(message.readInt32LE(4), 8); // responseTo
  head.writeInt32LE(messageOpcode, 12);
  return Buffer.concat([head, document]);
}

const helloAnswer = {
  ok: 1,
  helloOk: true,
  isWritablePrimary: true,
  minWireVersion: 0,
  maxWireVersion: 25,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
};
