/** The sentence for a person: an error's own message; what lies below it when it has none. */
export function explainError(error: unknown): string {
  // A connection that was tried on several addresses fails with an AggregateError without a message.
  if (error instanceof AggregateError && error.message === '') return explainError(error.errors[0]);
  if (error instanceof Error) return error.message || error.name;
  return String(error);
}
