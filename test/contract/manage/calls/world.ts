import type { ManageBodyRoute, ManageRoute } from '../../../../api/manage/manage-route.js';
import type { UserId } from '../../../../lib/ids.js';
import type { Sql } from '../../../../sql/open-postgres.js';
import type { Answer } from '../../../support/service.js';

export type Managed = ManageRoute | ManageBodyRoute;

export type ManagedRequest = { method: string; path: string; body?: unknown; mediaType?: string };

/** Sends a request as somebody who may do everything. */
export type Send = (request: ManagedRequest) => Promise<Answer>;

/** A page, and how requests reach it. */
export type World = {
  slug: string;
  routes: readonly Managed[];
  send: Send;
  sql: Sql;
  /** A ClickHouse that a page may have for itself. */
  store: StoreSettings;
  /** The person who calls, for routes that are about their caller. */
  self?: UserId | undefined;
};

/** The body of the route that sets the event store of a page. */
export type StoreSettings = { url: string; database: string; username: string; password: string };

/** The settings of a ClickHouse with this address. */
export function storeSettings(clickhouseUrl: string): StoreSettings {
  const { origin, pathname, username, password } = new URL(clickhouseUrl);
  return { url: origin, database: pathname.slice(1), username, password: decodeURIComponent(password) };
}

/** Values of the parameters of a path. */
export type Params = Readonly<Record<string, string>>;
