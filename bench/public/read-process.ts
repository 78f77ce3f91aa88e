import { sendRequests } from '../support/load.js';

/** One measurement of reads in a separate process, so that the sender shares no event loop with the server. */
export type ReadJob = {
  port: number;
  host: string;
  path: string;
  headers: Record<string, string>;
  /** Whether an unknown parameter makes each URL unique. */
  vary: boolean;
  connections: number;
  seconds: number;
};

const differentUrls = 4096;

process.on('message', async ({ host, path, headers, vary, ...load }: ReadJob) => {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const requests = Array.from({ length: vary ? differentUrls : 1 }, () => [
    Buffer.from(`GET ${path}${vary ? `&x=${Math.random()}` : ''} HTTP/1.1\r\n${lines.join('')}\r\n`),
  ]);
  process.send?.(await sendRequests({ ...load, depth: 1, requests }));
});
process.on('disconnect', () => process.exit());
