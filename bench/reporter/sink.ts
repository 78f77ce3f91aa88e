import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// Takes what reporters and exporters send, reads it to its end and keeps nothing.
const answers: Record<string, { status: number; body: string }> = {
  '/api/v1/events': { status: 202, body: '{"accepted":500,"rejected":0,"rows":1,"statements":1}' },
};
const server = createServer((req, res) => {
  const { status, body } = answers[req.url ?? ''] ?? { status: 200, body: '{}' };
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  req.resume().on('end', () => res.writeHead(status, headers).end(body));
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
