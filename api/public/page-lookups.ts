import { findPages, type Page } from '../../control/pages/index.js';
import { type BatchLookup, createBatchLookup } from '../../sql/batch-lookup.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';

/** Finds pages by what requests without a key name. Anybody can make up both, so each takes one query at a time. */
export type PageLookups = {
  /** By a host name in lower case. */
  byHostname: BatchLookup<string, Page>;
  bySlug: BatchLookup<string, Page>;
};

/** The longest name of a host (RFC 1035, section 2.3.4). */
export const hostnameCharsMax = 253;
const bounds = { keysMax: 500, waitingMax: 5_000 };

export function createPageLookups({ sql, onShed }: { sql: Sql; onShed(): void }): PageLookups {
  const byHostname = createBatchLookup({
    ...{ ...bounds, onShed },
    async load(hostnames: string[]) {
      const pages = await withQueryTimeout(findPages({ sql }, { hostnames }));
      return new Map(pages.map((page) => [page.hostname, page]));
    },
  });
  return {
    byHostname: async (hostname) => (hostname.length > hostnameCharsMax ? undefined : byHostname(hostname)),
    bySlug: createBatchLookup({
      ...{ ...bounds, onShed },
      async load(slugs: string[]) {
        const pages = await withQueryTimeout(findPages({ sql }, { slugs }));
        return new Map(pages.map((page) => [page.slug, page]));
      },
    }),
  };
}
