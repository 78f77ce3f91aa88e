import { type AddressChanges, searchOf } from '../address/use-address.js';

/** Returns the path of a part of a page in the management API, such as `/channels`. */
export function pagePath(slug: string, path: string, query: AddressChanges = {}): string {
  return `/api/v1/pages/${encodeURIComponent(slug)}${path}${searchOf(query)}`;
}
