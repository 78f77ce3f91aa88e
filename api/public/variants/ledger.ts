import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LedgerEntry } from '../../../contract/incidents.js';
import { loadLedger } from '../../../control/incidents/index.js';
import { findPage } from '../../../control/pages/index.js';
import type { Clock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import type { Sql } from '../../../sql/open-postgres.js';
import type { Variant } from '../public-cache.js';
import { summaryCacheControl } from './summaries.js';

type Deps = { sql: Sql; clock: Clock };

/** Entries are written together up to this many characters, which takes about a millisecond. */
const sliceChars = 250_000;

/** The incidents and maintenance of a page, as JSON. */
export function ledgerVariant(deps: Deps): Variant {
  return {
    name: 'ledger',
    contentType: 'application/json; charset=utf-8',
    cacheControl: summaryCacheControl,
    async render(pageId: PageId) {
      const [page, incidents] = await Promise.all([findPage(deps, { id: pageId }), loadLedger(deps, pageId)]);
      return page && stringifyLedger(page.slug, incidents);
    },
  };
}

/** Writes the `Ledger` entry by entry, so that other requests are answered in between. */
async function stringifyLedger(
  slug: string,
  incidents: readonly LedgerEntry[],
): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer<ArrayBuffer>[] = [];
  let text = `{"slug":${JSON.stringify(slug)},"incidents":[`;
  for (const [at, entry] of incidents.entries()) {
    text += `${at === 0 ? '' : ','}${JSON.stringify(entry)}`;
    if (text.length < sliceChars) continue;
    parts.push(Buffer.from(text));
    text = '';
    await nextTurn();
  }
  parts.push(Buffer.from(`${text}]}`));
  return Buffer.concat(parts);
}
