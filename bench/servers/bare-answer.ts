import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type BareAnswer = { status: number; headers: Record<string, string>; base64: string };

// The cost of Node to answer with prepared bytes: every request gets the answer that the parent process sent last.
let answer = { status: 404, headers: {}, bytes: Buffer.alloc(0) };
process.on('message', ({ status, headers, base64 }: BareAnswer) => {
  answer = { status, headers, bytes: Buffer.from(base64, 'base64') };
  process.send?.({ ready: true });
});

const server = createServer((_req, res) => {
  res.writeHead(answer.status, answer.headers).end(answer.bytes);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
