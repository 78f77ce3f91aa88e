import type { Context } from 'koa';
import { readEntityTags } from './entity-tags.js';
import { encodings, negotiateEncoding } from './negotiate-encoding.js';
import type { EncodedBody, Representation } from './representation.js';

/** Headers that a 304 leaves out: they are of a body. */
const bodyHeaders = new Set(['content-type', 'content-length', 'content-encoding']);

/** Answers with the encoding that the client likes best, or with 304 when it has the text already. */
export function sendRepresentation(ctx: Context, representation: Representation): void {
  const { headers } = ctx.req;
  const best = representation[negotiateEncoding(readHeader(headers['accept-encoding']))];
  const asked = headers['if-none-match'];
  const matching = asked === undefined ? undefined : findMatching(asked, best, representation);
  if (matching !== undefined) {
    for (const [name, value] of Object.entries(matching.headers)) {
      if (!bodyHeaders.has(name)) ctx.res.setHeader(name, value);
    }
    ctx.status = 304;
    return;
  }
  for (const [name, value] of Object.entries(best.headers)) ctx.res.setHeader(name, value);
  ctx.status = 200;
  ctx.body = best.bytes;
}

/**
 * The form that the client has: the one that it would get, or the same text in another encoding, whose tag it then
 * hears again, so that caches know which of their copies is meant.
 */
function findMatching(
  asked: string,
  best: EncodedBody,
  representation: Representation,
): EncodedBody | undefined {
  const tags = readEntityTags(asked);
  if (tags === '*' || tags.has(best.etag)) return best;
  return encodings.map((encoding) => representation[encoding]).find(({ etag }) => tags.has(etag));
}

function readHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}
