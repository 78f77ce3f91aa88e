import { ControlError } from '../../lib/control-error.js';
import type { PageId } from '../../lib/ids.js';
import { problemOfOutboundUrl } from '../../lib/outbound/outbound-url.js';

/** A page's own ClickHouse. */
export type EventStore = {
  pageId: PageId;
  /** `http(s)://host:port`. */
  url: string;
  database: string;
  username: string;
  /** Changes with every change of the others. */
  revision: bigint;
  setAt: Date;
};

/** What a page's password is sealed for. */
export const eventStoreContext = (pageId: PageId): string => `event store ${pageId}`;

/**
 * The address as it is stored.
 *
 * @throws ControlError unless it is http or https with nothing behind the port.
 */
export function normalizeStoreUrl(url: string): string {
  const problem = problemOfOutboundUrl(url);
  if (problem !== undefined) throw new ControlError(problem);
  const { pathname, search, hash, origin } = new URL(url);
  if (pathname !== '/' || search !== '' || hash !== '') {
    throw new ControlError(
      'The URL of the store is like https://clickhouse.example.com:8443, without a path.',
    );
  }
  return origin;
}

/** @throws ControlError unless ClickHouse takes it as a name without quotes, of at most 64 characters. */
export function checkDatabaseName(name: string): void {
  if (!/^[A-Za-z_]\w{0,63}$/.test(name)) {
    throw new ControlError(`"${name}" is not a name for a database: give letters, digits and "_".`);
  }
}
