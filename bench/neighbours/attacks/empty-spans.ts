import { Agent } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createAsk } from '../ask.js';
import { type Attack, inParallel } from './attack.js';

const connections = 8;
/**
 * Bodies of OTLP with an ingest key, which hold spans without a field: half a megabyte in about 530 bytes. As many as are just
 * below the bound of objects in a body, `messagesMax` of lib/protobuf/decode.ts, and fewer than let a page rest after one body.
 */
export const emptySpans = emptySpansOf(249_000);
export const fewerEmptySpans = emptySpansOf(100_000);

function emptySpansOf(spans: number): Attack {
  const title = `OTLP with ${spans} empty spans`;
  const run: Attack['run'] = async ({ url, tenants }, signal, tally) => {
    const agent = new Agent({ keepAlive: true });
    const ask = createAsk(url, agent);
    const body = gzipSync(emptySpansRequest(spans));
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' };
    const key = tenants.loud[0]?.ingestKey;
    try {
      await inParallel(connections, signal, async () => {
        const { status } = await ask({ method: 'POST', path: '/v1/traces', key, headers, body });
        tally.add(status || 'none');
        if (status === 200) tally.add('posted', body.length);
      });
    } finally {
      agent.destroy();
    }
  };
  return { title, run };
}

/** An ExportTraceServiceRequest in protobuf: field 1 `resource_spans`, 2 `scope_spans`, 2 `spans`, which are empty. */
function emptySpansRequest(spans: number): Buffer {
  return field(1, field(2, Buffer.alloc(2 * spans, field(2, Buffer.alloc(0)))));
}

/** A field that has a length. */
function field(number: number, content: Buffer): Buffer {
  const length = [];
  let left = content.length;
  for (; left > 127; left >>= 7) length.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, left]), content]);
}
