/** SQLSTATE of a transaction that PostgreSQL ended for the sake of another one: serialization_failure, deadlock_detected. */
const conflictState = /^40(001|P01)$/;

/** Whether PostgreSQL has rolled a transaction back because of another one. The same transaction may succeed at once. */
export function isTransactionConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && conflictState.test(String(error.code));
}

/** SQLSTATE of a text, or a text within jsonb, that cannot be stored: character_not_in_repertoire, untranslatable_character. */
const textState = /^22(021|P05)$/;

/** Whether PostgreSQL has refused a query for a character in one of its texts. In well-formed text only U+0000 is such. */
export function isTextRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && textState.test(String(error.code));
}
