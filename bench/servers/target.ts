import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The target of the probes: answers every request at once.
const server = createServer((_, res) => res.end('all is well'));
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
