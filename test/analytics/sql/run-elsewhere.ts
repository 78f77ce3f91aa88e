import { killQuery } from '../../../analytics/sql/running-queries.js';
import { pageQueryId } from '../../../contract/sql-tables.js';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import { waitUntil } from '../../support/wait-until.js';

/** Starts a query of the page that the server runs, which no turn of this process knows. */
export function runElsewhere(clickhouse: ClickHouseClient, page: string, query: string) {
  const queryId = pageQueryId(page, crypto.randomUUID());
  const ended = clickhouse
    .command({ query: `${query} FORMAT Null`, query_id: queryId })
    .catch(() => undefined);
  return {
    ended,
    running: () =>
      waitUntil('the query runs', async () => {
        const answer = await clickhouse.query({
          query: 'SELECT toUInt32(count()) AS n FROM system.processes WHERE query_id = {queryId:String}',
          query_params: { queryId },
          format: 'JSONEachRow',
        });
        const [row] = await answer.json<{ n: number }>();
        return row?.n === 1;
      }),
    kill: () => killQuery({ clickhouse }, queryId),
  };
}
