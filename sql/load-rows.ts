import { type ClickHouseClient, ClickHouseError } from '@clickhouse/client';
import { ServiceError } from '../lib/service-error.js';
import { isServerLost } from './lost-server.js';

const readSecondsMax = 20;

/**
 * Rows of one query, whose values are all bound parameters. `Row` says what the query's columns are; 64-bit
 * numbers come as numbers, which counts of this service fit.
 *
 * @throws ServiceError `storeUnavailable` when ClickHouse or a part of it cannot be reached, `sqlTooExpensive` when the query takes
 *   too long or too much memory.
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
      clickhouse_settings: { max_execution_time: readSecondsMax, output_format_json_quote_64bit_integers: 0 },
    });
    return await result.json<Row>();
  } catch (error) {
    if (!(error instanceof ClickHouseError) || isServerLost(error))
      throw new ServiceError('storeUnavailable');
    if (tooExpensive.has(error.code)) {
      throw new ServiceError('sqlTooExpensive', {
        message: 'This question takes too long; narrow its time range.',
      });
    }
    throw error;
  }
}

/** TIMEOUT_EXCEEDED, MEMORY_LIMIT_EXCEEDED. */
const tooExpensive: ReadonlySet<string> = new Set(['159', '241']);
