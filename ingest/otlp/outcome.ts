import { limits } from '../../contract/limits.js';
import { endsConnection, saysClientLeft } from './hang-up.js';
import { type Attributes, httpKeys } from './tree.js';

/** The status of a failure whose status is not known, and of a request that ended without status and without error. */
export const failed = 500;
export const fine = 200;
/** The status that nginx gave to requests whose client has left. */
export const clientLeft = 499;
/** The greatest number of three digits. */
const threeDigitsMax = 999;
/** The conventions write the status into `error.type` where a response was sent. */
const failureStatus = /^[45]\d\d$/;

/** How a request ended beside its status: whether as an error, and the types and messages of its errors. */
export type Ending = { hasFailed: boolean; errors(): readonly string[] };

/**
 * Returns the status that a request counts with: the status of HTTP, and without one, or with 0, whether it ended in an
 * error. A number above 599 is a server error (https://www.rfc-editor.org/rfc/rfc9110#section-15-4); a value that is no
 * status is returned as it is, to be rejected.
 */
export function statusOf(attributes: Attributes, ending: Ending): number {
  const sent = attributes.number(...httpKeys.status);
  if (sent !== undefined && sent !== 0) {
    if (sent < failed || !Number.isInteger(sent) || sent > threeDigitsMax) return sent;
    if (saysClientLeft(ending.errors())) return clientLeft;
    return sent > limits.statusMax ? failed : sent;
  }
  return statusOfEnding(attributes.text('error.type'), ending);
}

/** Returns the status of a request whose status is not known. `error` is its `error.type`. */
export function statusOfEnding(error: string | undefined, ending: Ending): number {
  if (error !== undefined && failureStatus.test(error)) return Number(error);
  if (!ending.hasFailed && error === undefined) return fine;
  return endsConnection(ending.errors()) ? clientLeft : failed;
}

/** Returns how a data point ended: it has the type of its error, and no message. */
export function endingOfPoint(attributes: Attributes, failsWithoutStatus = false): Ending {
  const error = attributes.text('error.type');
  const hasFailed = failsWithoutStatus || error !== undefined;
  return { hasFailed, errors: () => (error === undefined ? [] : [error]) };
}

/** Classes of the tag `outcome` of Micrometer, by which a request counts whose `status` is no number. */
const outcomes: Readonly<Record<string, number>> = {
  REDIRECTION: 302,
  CLIENT_ERROR: 400,
  SERVER_ERROR: failed,
};

/**
 * The same for the tags of Micrometer: `status`, else `outcome`, else whether there was an `exception`. Spring WebFlux gives
 * the status 200 to requests whose client has left, with an exception of its own.
 */
export function micrometerStatusOf(attributes: Attributes): number {
  const exception = attributes.text('exception', 'error') ?? 'none';
  const errors = exception.toLowerCase() === 'none' ? [] : [exception];
  if (errors.length > 0 && saysClientLeft(errors)) return clientLeft;
  const sent = attributes.number('status', ...httpKeys.status);
  if (sent !== undefined && sent !== 0) return isUnknownClass(sent) ? failed : sent;
  const outcome = attributes.text('outcome') ?? '';
  if (Object.hasOwn(outcomes, outcome)) return outcomes[outcome] ?? failed;
  if (errors.length > 0) return endsConnection(errors) ? clientLeft : failed;
  return fine;
}

function isUnknownClass(status: number): boolean {
  return Number.isInteger(status) && status > limits.statusMax && status <= threeDigitsMax;
}
