import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import type { StoreManner } from '../tenants.js';

/** Bytes that one manner may send in all, so that a service without bounds survives the measurement. */
const bytesMax = 300e6;
const chunkBytes = 256 * 1024;
const dripEveryMs = 500;

/** A row that every query of the service can take for its own. */
const row = `${JSON.stringify({
  ...{ kind: 'service', source: 'service-of-the-attacker', requests: 1, errors: 1, lastReportMs: 1 },
  ...{ medianGapSeconds: 60, group: 'all', step: 0, count: 1, clientErrors: 0, latencyCount: 1 },
  ...{ latencySumUs: 1, percentiles: [1, 1, 1], service: 's', endpoint: '/', method: 'GET', status: 500 },
  ...{ message: 'm', minute: 1, at: 1, number: 1, name: 'n', checksum: 'c', result: 1 },
})}\n`;
const rows = Buffer.from(row.repeat(Math.ceil(chunkBytes / row.length)));
const letters = Buffer.alloc(chunkBytes, 'a');

/** A server that speaks ClickHouse's HTTP interface badly, in the manner that the name of the database says. */
export async function startHostileStore(port: number) {
  const sent: Record<StoreManner, number> = { rows: 0, line: 0, drip: 0, inflate: 0, forget: 0 };
  // 30 MB of a row deflate to some 100 kB.
  const bomb = gzipSync(row.repeat(Math.ceil(30e6 / row.length)));
  const server: Server = createServer((req, res) => {
    res.on('error', () => undefined);
    void answer(req, res).catch(() => res.destroy());
  });

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { searchParams } = new URL(req.url ?? '/', 'http://store');
    const query = `${searchParams.get('query') ?? ''} ${await text(req)}`;
    const manner = searchParams.get('database') as StoreManner | null;
    if (manner === 'rows') await pour(res, 'rows', rows);
    else if (manner === 'line') await pour(res, 'line', letters);
    else if (manner === 'drip') drip(res);
    else if (manner === 'inflate') {
      sent.inflate += bomb.length;
      res.setHeader('content-encoding', 'gzip').end(bomb);
    } else res.end(/EXISTS TABLE/.test(query) ? '{"result":1}\n' : '');
  }

  async function pour(res: ServerResponse, manner: StoreManner, chunk: Buffer): Promise<void> {
    const chunks = function* () {
      for (; sent[manner] < bytesMax; sent[manner] += chunk.length) yield chunk;
    };
    await pipeline(Readable.from(chunks()), res);
  }

  function drip(res: ServerResponse): void {
    const timer = setInterval(() => res.write('{'), dripEveryMs);
    res.on('close', () => clearInterval(timer));
  }

  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    server,
    sentBytes: () => Object.values(sent).reduce((sum, bytes) => sum + bytes, 0),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
