import { isUtf8 } from 'node:buffer';
import { ServiceError } from './service-error.js';

/**
 * The JSON value of a request body.
 *
 * @throws ServiceError 400 for what is not UTF-8 or not JSON.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes))
    throw new ServiceError('bodyNotJson', { message: 'The request body is not valid UTF-8.' });
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ServiceError('bodyNotJson');
  }
}
