import { signToken, verifyToken } from './secrets/secret-box.js';
import { ServiceError } from './service-error.js';

/** Where a list goes on: the values of the sorted columns in the last row of a part. */
export type Position = readonly (string | number)[];

/**
 * Makes the cursor of a list. `list` names the list and whose it is, such as `monitors <page id>`: the cursor works for
 * no other one.
 */
export function sealCursor(secretKey: string, list: string, position: Position): string {
  return signToken(secretKey, `cursor ${list}`, Buffer.from(JSON.stringify(position)).toString('base64url'));
}

/** @throws ServiceError `invalidParameter` for a text that sealCursor() has not made for this list. */
export function openCursor(secretKey: string, list: string, cursor: string): Position {
  const position = verifyToken(secretKey, `cursor ${list}`, cursor);
  if (position === undefined) {
    throw new ServiceError('invalidParameter', {
      message: 'Parameter "cursor" must be a "nextCursor" of this very list.',
      hint: 'Begin without a cursor; each answer has the next one.',
    });
  }
  return JSON.parse(Buffer.from(position, 'base64url').toString('utf8')) as Position; // Only sealCursor() makes one.
}
