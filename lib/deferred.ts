export type Deferred<T> = { promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void };

/** Returns a promise with its two ends, as Promise.withResolvers does, which Node 20 does not have. */
export function deferred<T>(): Deferred<T> {
  let ends: Pick<Deferred<T>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    ends = { resolve, reject };
  });
  if (ends === undefined) throw new Error('The executor of a promise runs at once.');
  return { promise, ...ends };
}
