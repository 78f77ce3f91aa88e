import type { ErrorKind } from '../../contract/errors.js';

/** Returns a pattern that a ServiceError of this kind matches. tap's types require the name. */
export function likeServiceError<Details extends object>(kind: ErrorKind, details?: Details) {
  return { name: 'ServiceError', kind, ...details };
}
