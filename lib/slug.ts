import { ServiceError } from './service-error.js';

export const slugPattern = '^[a-z0-9-]{1,63}$';
const slugExpression = new RegExp(slugPattern);

/** Whether a text can be the slug of a page or monitor: 1 to 63 of the characters a-z, 0-9 and `-`. */
export function isSlug(text: string): boolean {
  return slugExpression.test(text);
}

/**
 * Checks the slug of a page or monitor.
 *
 * @throws ServiceError `invalidBody` unless it has 1 to 63 of the characters a-z, 0-9 and `-`.
 */
export function checkSlug(slug: string): void {
  if (isSlug(slug)) return;
  throw new ServiceError('invalidBody', {
    message: `The slug "${slug}" must be 1 to 63 of the characters a-z, 0-9 and "-".`,
  });
}
