import { listPagePlaces } from '../control/pages/index.js';
import { pageOrigin } from '../lib/page-origin.js';
import { openPostgres } from '../sql/open-postgres.js';

/** The addresses of the first pages by slug, and how many further pages there are. */
export type PageAddresses = { addresses: string[]; more: number };

const listedMax = 10;

/** Loads what every start prints. `url` is the address of the service. */
export async function loadPageAddresses(databaseUrl: string, url: string): Promise<PageAddresses> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  try {
    const { pages, more } = await listPagePlaces({ sql }, listedMax);
    const base = new URL(url);
    return { addresses: pages.map(({ hostname }) => `${pageOrigin(base, hostname)}/`), more };
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Returns the addresses as lines for a person; `prefix` begins the commands in them. */
export function pageLines({ addresses, more }: PageAddresses, prefix: string): string[] {
  if (addresses.length === 0) return [`none yet; make one: ${prefix} page create --help`];
  return more === 0 ? addresses : [...addresses, `and ${more} more: ${prefix} page list`];
}
