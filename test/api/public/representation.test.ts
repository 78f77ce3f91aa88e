import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { negotiateEncoding } from '../../../api/public/negotiation.js';
import { makeRepresentation } from '../../../api/public/representation.js';

const kind = { contentType: 'text/plain', cacheControl: 'public' };

t.test('every encoding holds the same text', async (t) => {
  const text = JSON.stringify({ text: 'Grüße, '.repeat(500) });
  const { identity, gzip, br } = await makeRepresentation(text, kind);
  t.equal(identity.bytes.toString(), text);
  t.equal(gunzipSync(gzip.bytes).toString(), text);
  t.equal(brotliDecompressSync(br.bytes).toString(), text);
  t.ok(br.bytes.length < identity.bytes.length && gzip.bytes.length < identity.bytes.length);
  for (const [name, { whole, bytes, etag }] of Object.entries({ identity, gzip, br })) {
    const pairs = whole.headers.flatMap((header, i) => (i % 2 === 0 ? [[header, whole.headers[i + 1]]] : []));
    t.match(Object.fromEntries(pairs), {
      'content-length': `${bytes.length}`,
      etag,
      vary: 'Accept-Encoding',
    });
    t.equal(whole.headers.includes(name), name !== 'identity', name);
  }
  t.equal(new Set([identity.etag, gzip.etag, br.etag]).size, 3);
});

t.test('the encoding that Accept-Encoding weighs highest', async (t) => {
  const cases: [header: string | undefined, encoding: string][] = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.9', 'gzip'],
    ['br ; q=0.5 , gzip;q=0.5', 'br'],
    ['gzip;q=0', 'identity'],
    ['gzip;q=0.001', 'gzip'],
    ['identity;q=0.5, gzip;q=0.4', 'identity'],
    ['identity, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', 'identity'],
    ['*;q=0.3, br;q=0', 'gzip'],
    ['identity;q=0, *;q=0', 'identity'],
    ['deflate', 'identity'],
    ['gzip;q=2', 'identity'],
    ['gzip;q=abc', 'identity'],
    [',,;q=1,', 'identity'],
  ];
  for (const [header, encoding] of cases) t.equal(negotiateEncoding(header), encoding, String(header));
});

t.test('a header that is longer than any client needs is read in part', async (t) => {
  t.equal(negotiateEncoding(`${'a;q=0.1,'.repeat(100)}br`), 'br');
  t.equal(negotiateEncoding(`${'a;q=0.1,'.repeat(2_000)}br`), 'identity');
});
