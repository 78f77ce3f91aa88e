import { screenPath } from '../../account/paths.js';
import { type AddressChanges, searchOf } from '../address/use-address.js';

/** The path of something of a page in the management API. */
export function pagePath(slug: string, path: string, query: AddressChanges = {}): string {
  return `/api/v1/pages/${encodeURIComponent(slug)}${path}${searchOf(query)}`;
}

/** Short ranges change faster than long ones. */
export function pollMsOf(rangeMs: number): number {
  return rangeMs <= 3_600_000 ? 10_000 : 30_000;
}

/** Where everybody reads an incident or maintenance of the page with this address. */
export function incidentUrl(pageUrl: string, id: string): string {
  return new URL(`/incidents/${id}`, pageUrl).href;
}

/** Where people who run a page see and change an incident or maintenance. */
export function incidentPath(slug: string, id: string): string {
  return `${screenPath(slug, 'incidents')}${searchOf({ incident: id })}`;
}
