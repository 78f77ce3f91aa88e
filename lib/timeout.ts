/**
 * A query that keeps keys fresh is given up after this time and asked again: a revoked key must stop within 5 s
 * even when one connection hangs.
 */
const usualMs = 3_000;

/**
 * The answer, or a rejection when it takes longer: the driver has no timeout of its own for a server that is silent.
 * The query may then have been run all the same.
 */
export async function withTimeout<T>(answer: Promise<T>, timeoutMs = usualMs): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const error = new Error(`PostgreSQL did not answer within ${timeoutMs} ms.`);
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
