import type { Clock } from '../../contract/clock.js';
import { Ledger } from '../../contract/incidents.js';
import { readLedger } from '../../control/read-ledger.js';
import type { Sql } from '../../sql/open-postgres.js';
import { findPublicPage } from '../find-public-page.js';
import type { OriginReader } from '../request-origin.js';
import type { OpenRoute } from '../route.js';

/** What everyone may read, on the host of the page. */
export function publicRoutes(deps: { sql: Sql; clock: Clock; readOrigin: OriginReader }): OpenRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/public/:slug/incidents',
      operationId: 'getIncidents',
      summary: 'Incidents and maintenance of a page',
      answers: { 200: Ledger },
      errors: ['notFound'],
      async handle(ctx) {
        const page = await findPublicPage(deps, ctx);
        const incidents = await readLedger(deps, page.id);
        ctx.set('cache-control', 'public, max-age=60');
        ctx.set('access-control-allow-origin', '*');
        ctx.body = { slug: page.slug, incidents } satisfies Ledger;
      },
    },
  ];
}
