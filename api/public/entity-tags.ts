/** What an If-None-Match header asks: for any representation, or for one of these opaque tags, in quotes. */
export type EntityTags = '*' | ReadonlySet<string>;

/** ETag of RFC 9110, section 8.8.3; `W/` does not count in the weak comparison that If-None-Match takes. */
const entityTag = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Reads If-None-Match (RFC 9110, section 13.1.2); what is no entity tag in it matches nothing. */
export function readEntityTags(header: string): EntityTags {
  if (header.trim() === '*') return '*';
  return new Set([...header.matchAll(entityTag)].map(([, tag = '']) => tag));
}
