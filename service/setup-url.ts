import { createSetupLink, setupPath } from '../control/people/index.js';
import { systemClock } from '../lib/clock.js';
import { openPostgres } from '../sql/open-postgres.js';

/**
 * Makes a link that creates the first admin, for the operator who sees what the start prints. Returns `undefined` when
 * there is one. `url` is the address of the service.
 */
export async function makeSetupUrl(databaseUrl: string, url: string): Promise<string | undefined> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  try {
    const link = await createSetupLink({ sql, clock: systemClock });
    return link && new URL(setupPath(link.token), url).href;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
