import type { IncomingHttpHeaders } from 'node:http';
import type { ReadyAnswer } from '../route.js';
import { readEntityTags } from './entity-tags.js';
import { encodings, negotiateEncoding } from './negotiate-encoding.js';
import type { EncodedBody, Representation } from './representation.js';

/** The encoding that the client likes best, or 304 when it has the text already. */
export function chooseAnswer(headers: IncomingHttpHeaders, representation: Representation): ReadyAnswer {
  const accepted = headers['accept-encoding'];
  const best = representation[negotiateEncoding(Array.isArray(accepted) ? accepted.join() : accepted)];
  const asked = headers['if-none-match'];
  if (asked === undefined) return best.whole;
  return findMatching(asked, best, representation)?.notModified ?? best.whole;
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
  if (asked === best.etag) return best;
  const tags = readEntityTags(asked);
  if (tags === '*' || tags.has(best.etag)) return best;
  return encodings.map((encoding) => representation[encoding]).find(({ etag }) => tags.has(etag));
}
