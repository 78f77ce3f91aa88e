/** A store cannot run. Its message is the one plain sentence that the person who starts the service is shown. */
export class StackError extends Error {
  override name = 'StackError';
}

/** The system's error code ('EADDRINUSE', 'ENOTDIR', …) of a caught value, if it has one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
