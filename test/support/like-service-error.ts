import type { ErrorKind } from '../../contract/errors.js';

/** What a ServiceError of that kind matches; a tap's types ask for a name in it. */
export function likeServiceError<Details extends object>(kind: ErrorKind, details?: Details) {
  return { name: 'ServiceError', kind, ...details };
}
