/**
 * Headers of a route with `anyOrigin`, on every answer, errors included, so that a widget on another site can tell what
 * is wrong; names and values in turn. Scripts read the other headers of an answer only when it exposes them.
 */
export const anyOriginHeaders = [
  ...['access-control-allow-origin', '*'],
  ...['access-control-expose-headers', 'ETag, Age, Retry-After, X-Request-Id'],
] as const;

/**
 * The answer to the request that browsers make before a script sends a header such as If-None-Match to a route with `anyOrigin`. They take the
 * answer for a day, or for as long as they keep one: two hours in Chromium. Those from before 2020 do not know that `*`
 * stands for any header.
 */
export const preflightHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'If-None-Match, *',
  'access-control-max-age': '86400',
} as const;
