import { Agent } from 'node:http';
import { gzipSync } from 'node:zlib';
import { createAsk } from '../ask.js';
import { type Attack, inParallel } from './attack.js';

const connections = 8;
/** Just below the bound of objects in a body, `messagesMax` of lib/protobuf/decode.ts. */
const spans = 249_000;

/** Bodies of OTLP with an ingest key, each of about 530 bytes, which hold half a megabyte of spans without a field. */
export const emptySpans: Attack = {
  title: 'OTLP with empty spans',
  async run({ url, tenants }, signal, tally) {
    const agent = new Agent({ keepAlive: true });
    const ask = createAsk(url, agent);
    const body = gzipSync(emptySpansRequest());
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
  },
};

/** An ExportTraceServiceRequest in protobuf: field 1 `resource_spans`, 2 `scope_spans`, 2 `spans`, which are empty. */
function emptySpansRequest(): Buffer {
  return field(1, field(2, Buffer.alloc(2 * spans, field(2, Buffer.alloc(0)))));
}

/** A field that has a length. */
function field(number: number, content: Buffer): Buffer {
  const length = [];
  let left = content.length;
  for (; left > 127; left >>= 7) length.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, left]), content]);
}
