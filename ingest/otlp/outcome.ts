import { limits } from '../../contract/limits.js';
import { type Attributes, httpKeys } from './tree.js';

/** The status of a failure whose status is not known, and of a request that ended without status and without error. */
const failed = 500;
const fine = 200;
/** The greatest number of three digits. */
const threeDigitsMax = 999;
/** The conventions write the status into `error.type` where a response was sent. */
const failureStatus = /^[45]\d\d$/;

/**
 * Returns the status that a request counts with: the status of HTTP, and without one, or with 0, whether it ended in an
 * error. A number above 599 is a server error (https://www.rfc-editor.org/rfc/rfc9110#section-15-4); a value that is no
 * status is returned as it is, to be rejected.
 */
export function statusOf(attributes: Attributes, hasFailed: boolean): number {
  const sent = attributes.number(...httpKeys.status);
  if (sent !== undefined && sent !== 0) return isUnknownClass(sent) ? failed : sent;
  const error = attributes.text('error.type');
  if (error !== undefined && failureStatus.test(error)) return Number(error);
  return hasFailed || error !== undefined ? failed : fine;
}

function isUnknownClass(status: number): boolean {
  return Number.isInteger(status) && status > limits.statusMax && status <= threeDigitsMax;
}

/** Classes of the tag `outcome` of Micrometer, by which a request counts whose `status` is no number. */
const outcomes: Readonly<Record<string, number>> = {
  REDIRECTION: 302,
  CLIENT_ERROR: 400,
  SERVER_ERROR: failed,
};

/** The same for the tags of Micrometer: `status`, else `outcome`, else whether there was an `exception`. */
export function micrometerStatusOf(attributes: Attributes): number {
  const sent = attributes.number('status', ...httpKeys.status);
  if (sent !== undefined && sent !== 0) return isUnknownClass(sent) ? failed : sent;
  const outcome = attributes.text('outcome') ?? '';
  if (Object.hasOwn(outcomes, outcome)) return outcomes[outcome] ?? failed;
  const exception = attributes.text('exception', 'error') ?? 'none';
  return exception.toLowerCase() === 'none' ? fine : failed;
}
