import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// Baseline (a): the cost of Node to receive and parse a batch, without using it.
const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const { events } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { events: unknown[] };
    const body = JSON.stringify({ accepted: events.length });
    res
      .writeHead(202, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  });
});
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port, key: 'none' }),
);
process.on('disconnect', () => process.exit());
