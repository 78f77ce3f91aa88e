/** A store cannot run. The message is one sentence for the person who starts the service. */
export class StackError extends Error {
  override name = 'StackError';
}

/** Returns the code of a system error, such as 'EADDRINUSE' or 'ENOTDIR'; `undefined` for any other value. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
