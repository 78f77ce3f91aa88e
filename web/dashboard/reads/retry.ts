const retryMsFirst = 1_000;
const retryMsMax = 30_000;
/** The service asks for longer after a person's limit of a minute is used up. */
const retryAfterMsMax = 120_000;

/** Reads a Retry-After in seconds, as the service sends it; milliseconds. `undefined` for anything else. */
export function parseRetryAfter(value: string | null): number | undefined {
  return value !== null && /^\d{1,6}$/.test(value)
    ? Math.min(Number(value) * 1_000, retryAfterMsMax)
    : undefined;
}

/**
 * Returns when to read again after failures in a row, in milliseconds: not before the time that the service names, twice
 * as late each time up to 30 s, and up to half as much later by `random`, so that the reads of a screen do not come back
 * at once. `undefined` where the service names no time.
 */
export function retryMsAfter(
  { retryAfterMs }: { readonly retryAfterMs: number | undefined },
  failures: number,
  random: number,
): number | undefined {
  if (retryAfterMs === undefined) return undefined;
  const backOffMs = Math.min(retryMsFirst * 2 ** (failures - 1), retryMsMax);
  return Math.round(Math.max(backOffMs, retryAfterMs) * (1 + random / 2));
}
