import { isUtf8 } from 'node:buffer';
import { ServiceError } from './service-error.js';

/**
 * Parses the JSON of a request body.
 *
 * @throws ServiceError `bodyNotJson` when the bytes are not UTF-8 or not JSON.
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
