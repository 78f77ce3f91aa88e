import { ClickHouseError } from '@clickhouse/client';
import { ServiceError, storeUnavailable } from '../lib/service-error.js';
import { backgroundReadLimits, type ClickHouseClient } from './open-clickhouse.js';
import { isServerLost } from './store-errors.js';

/**
 * Loads the rows of a query of ClickHouse; `parameters` are the values to bind. `Row` describes the columns. 64-bit
 * numbers come as JavaScript numbers, which hold every count of this service exactly.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse or a part of its cluster is unavailable or silent,
 *   `sqlTooExpensive` when the query takes more time than the limit of the client, too much memory, or more than the
 *   server allows.
 */
export async function loadRows<Row>(
  clickhouse: ClickHouseClient,
  query: string,
  parameters: Record<string, unknown>,
): Promise<Row[]> {
  try {
    const result = await clickhouse.query({
      query,
      query_params: parameters,
      format: 'JSONEachRow',
      clickhouse_settings: {
        max_execution_time: clickhouse.readSecondsMax ?? backgroundReadLimits.readSecondsMax,
        output_format_json_quote_64bit_integers: 0,
      },
    });
    return await result.json<Row>();
  } catch (error) {
    if (!(error instanceof ClickHouseError) || isServerLost(error)) throw storeUnavailable();
    if (tooExpensive.has(error.code)) {
      throw new ServiceError('sqlTooExpensive', {
        message: 'The query takes too long or too much memory. Narrow its time range.',
      });
    }
    throw error;
  }
}

/**
 * TOO_MANY_ROWS, TIMEOUT_EXCEEDED, TOO_SLOW, SET_SIZE_LIMIT_EXCEEDED, MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES,
 * TOO_MANY_ROWS_OR_BYTES: the range that the caller asked for is too large for the server, or for what its administrator
 * allows the user.
 */
const tooExpensive: ReadonlySet<string> = new Set(['158', '159', '160', '191', '241', '307', '396']);
