import { RejectionsAnswer, RejectionsParameters } from '../../contract/rejections.js';
import type { RejectionCounts } from '../../ingest/rejections/count-rejections.js';
import { loadRejections, parseRejectionsQuery } from '../../ingest/rejections/load-rejections.js';
import type { Clock } from '../../lib/clock.js';
import { storeUnavailable } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { PageRead } from '../page-read.js';

type Deps = { sql: Sql; clock: Clock; rejections: Pick<RejectionCounts, 'flush'> };

/** Events of a page that were not counted. */
export function rejectionsRead({ sql, clock, rejections }: Deps): PageRead {
  return {
    method: 'GET',
    path: '/api/v1/analytics/rejections',
    operationId: 'getRejections',
    summary: 'Events that were not counted, by reason and over time',
    capability: 'internal-analytics',
    asksPostgres: true,
    query: RejectionsParameters,
    answers: { 200: RejectionsAnswer },
    errors: ['invalidParameter'],
    async read(ctx, pageId) {
      const range = parseRejectionsQuery(ctx.query, clock.now());
      // A client that asks after this process rejected an event finds it.
      const answer = rejections.flush().then(() => loadRejections({ sql }, pageId, range));
      ctx.body = await answer.catch((cause: unknown) => {
        throw storeUnavailable(cause);
      });
    },
  };
}
