/** The forms of an HTTP date: IMF-fixdate, RFC 850 and asctime. The last one has no zone, and is in UTC (RFC 9110, 5.6.7). */
const datesWithZone = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/;
const asctime = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/**
 * Reads the header `Retry-After`, which is a number of seconds or an HTTP date (RFC 9110, 10.2.3).
 *
 * @param now milliseconds since the epoch
 * @returns the time to wait for, in milliseconds since the epoch; `undefined` without the header, and for any other text
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return now + Number(text) * 1000;
  const at = datesWithZone.test(text)
    ? Date.parse(text)
    : asctime.test(text)
      ? Date.parse(`${text} GMT`)
      : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
