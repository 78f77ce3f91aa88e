import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

// Baseline (a): the cost of Node to receive, inflate and parse a batch, without using it.
const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const bytes = Buffer.concat(chunks);
    // One call takes a third of the time of a stream.
    const json = req.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    const { events } = JSON.parse(json.toString('utf8')) as { events: unknown[] };
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
