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

/** Refusals in a row that stay silent, when each is over soon. */
export const quietRefusalsMax = 2;
export const quietMsMax = 3_000;

/** How patiently() waits. */
type Pace = { wait(ms: number): Promise<void>; random(): number };

const browserPace: Pace = {
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
};

/**
 * Reads once, for what no poll() repeats. A read that the service turns away for a moment comes again after the time that
 * it names; the third refusal in a row, and one that lasts longer than 3 s, is thrown.
 */
export async function patiently<T>(read: () => Promise<T>, { wait, random }: Pace = browserPace): Promise<T> {
  for (let refusals = 1; ; refusals += 1) {
    try {
      return await read();
    } catch (error) {
      const retryMs = hasRetryAfter(error) ? retryMsAfter(error, refusals, random()) : undefined;
      if (retryMs === undefined || retryMs > quietMsMax || refusals > quietRefusalsMax) throw error;
      await wait(retryMs);
    }
  }
}

function hasRetryAfter(error: unknown): error is { retryAfterMs: number } {
  return error instanceof Error && 'retryAfterMs' in error && typeof error.retryAfterMs === 'number';
}
