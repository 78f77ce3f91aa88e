type StatusRange = readonly [from: number, to: number];

/** Parses inclusive ranges of statuses such as `200-299,404`. Returns `undefined` for any other text. */
export function parseStatusRanges(text: string): StatusRange[] | undefined {
  const ranges = text.split(',').map((part): StatusRange | undefined => {
    const [, from, to = from] = /^\s*([1-5]\d\d)(?:\s*-\s*([1-5]\d\d))?\s*$/.exec(part) ?? [];
    return from === undefined || Number(from) > Number(to) ? undefined : [Number(from), Number(to)];
  });
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/**
 * Parses `tcp://host:port`; an IPv6 address loses its brackets. Returns `undefined` for any other text.
 */
export function parseTcpUrl(text: string): { host: string; port: number } | undefined {
  const [, bracketed, plain, digits] =
    /^tcp:\/\/(?:\[([\da-f:.]+)\]|([^\s/:@?#[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}
