import { sendRequests } from '../support/load.js';

/** One measurement of the hello-world. */
export type HelloLoad = { port: number; connections: number; depth: number; seconds: number };

const differentNames = 1_000;
const requests = Array.from({ length: differentNames }, (_, i) => [
  Buffer.from(`GET /hello/name-${i} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`),
]);

process.on('message', async (load: HelloLoad) => {
  process.send?.(await sendRequests({ ...load, requests }));
});
process.on('disconnect', () => process.exit());
