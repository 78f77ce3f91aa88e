/**
 * A query that keeps keys fresh is given up after this time and asked again: a revoked key must stop within 5 s
 * even when one connection hangs. The driver has no timeout of its own for a server that is silent.
 */
const queryTimeoutMs = 3_000;

/** The answer, or a rejection when it takes longer than 3 s. */
export async function withTimeout<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const error = new Error(`PostgreSQL did not answer within ${queryTimeoutMs} ms.`);
    timer = setTimeout(() => reject(error), queryTimeoutMs);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
