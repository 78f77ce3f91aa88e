import { type ErrorKind, errorRegistry } from '../contract/errors.js';

export type ServiceErrorDetails = {
  /**
   * Replaces the sentence of the registry for the caller: it names the field or the limit. It must never carry a
   * secret or an internal text.
   */
  message?: string | undefined;
  /** When a retry may succeed. */
  retryAfterSeconds?: number | undefined;
  /** What the log shows, and no caller sees. */
  cause?: unknown;
};

/**
 * An error that a caller can act on. `kind` is its entry in the error registry; api/ turns it into a status and the
 * command line into an exit code.
 */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly kind: ErrorKind;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, { message, retryAfterSeconds, cause }: ServiceErrorDetails = {}) {
    super(message ?? errorRegistry[kind].message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A store does not answer, which a retry in two seconds may find mended. */
export function storeUnavailable(cause?: unknown): ServiceError {
  return new ServiceError('storeUnavailable', { retryAfterSeconds: 2, cause });
}
