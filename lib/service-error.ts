import { type ErrorCode, type ErrorKind, errorRegistry, type SpecificCode } from '../contract/errors.js';
import type { TextPosition } from './mistakes/text-position.js';

export type ServiceErrorDetails = {
  /** The code in place of the one of the kind, which says why to a program. */
  code?: SpecificCode | undefined;
  /**
   * The sentence for the caller in place of the one in the registry; it names the field or the limit. It must never
   * carry a secret or an internal text.
   */
  message?: string | undefined;
  /** A further sentence that says what to do or where to look. Must never carry a secret or an internal text either. */
  hint?: string | undefined;
  /**
   * The field of the request body at fault, as a JSON pointer such as `/steps/0/name`. By default the one that the
   * message begins with.
   */
  field?: string | undefined;
  /** Where in a text that the caller sent the fault is. */
  position?: TextPosition | undefined;
  /** Seconds after which a retry may succeed. */
  retryAfterSeconds?: number | undefined;
  /** The code that ClickHouse has for such an error, for callers that speak its protocol. */
  storeCode?: number | undefined;
  /** The log shows it; callers never see it. */
  cause?: unknown;
};

const leadingPointer = /^(\/\w\S*) /;

/**
 * An error that a caller can act on. `kind` is its entry in the error registry; api/ maps it to a status, and the
 * command line to an exit code.
 */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly field: string | undefined;
  readonly position: TextPosition | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly storeCode: number | undefined;

  constructor(
    kind: ErrorKind,
    { code, message, hint, field, position, retryAfterSeconds, storeCode, cause }: ServiceErrorDetails = {},
  ) {
    super(message ?? errorRegistry[kind].message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.code = code ?? errorRegistry[kind].code;
    this.hint = hint;
    this.field = field ?? leadingPointer.exec(this.message)?.[1];
    this.position = position;
    this.retryAfterSeconds = retryAfterSeconds;
    this.storeCode = storeCode;
  }
}

/** Returns the error for a store that does not answer. A retry after two seconds may succeed. */
export function storeUnavailable(cause?: unknown): ServiceError {
  return new ServiceError('storeUnavailable', { retryAfterSeconds: 2, cause });
}

/** Returns the error for a read that is shed. It has no cause and no line of its own in the log: the one who sheds counts it. */
export function tooManyReads(): ServiceError {
  return new ServiceError('overloaded', {
    message: 'The service is asked for more than it can read right now. Retry later.',
    retryAfterSeconds: 2,
  });
}
