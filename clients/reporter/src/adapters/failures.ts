/** Errors by request, for adapters that see them before the response is made of them. */
const failures = new WeakMap<object, unknown>();

export function noteFailure(request: object, error: unknown): void {
  failures.set(request, error);
}

export function failureOf(request: object): unknown {
  return failures.get(request);
}
