import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import type { FinishedCheck } from './schedule.js';

/** An insert that takes longer counts as failed, and is repeated. */
const timeoutMs = 5_000;

/** Writes checks as one block. The same checks under the same token are in the store once, however often they go out. */
export async function insertChecks(
  clickhouse: ClickHouseClient,
  checks: readonly FinishedCheck[],
  token: string,
): Promise<void> {
  await clickhouse.insert({
    table: 'checks',
    values: checks.map(toRow),
    format: 'JSONEachRow',
    abort_signal: AbortSignal.timeout(timeoutMs),
    clickhouse_settings: {
      async_insert: 0,
      insert_deduplicate: 1,
      insert_deduplication_token: token,
      date_time_input_format: 'best_effort',
    },
  });
}

function toRow({ check, at, outcome, state }: FinishedCheck): Record<string, string | number | null> {
  return {
    page_id: check.pageId,
    monitor_id: check.monitorId,
    at: new Date(at).toISOString(),
    interval_seconds: check.everySeconds,
    ok: Number(outcome.ok),
    up: Number(state === 'up'),
    error: outcome.error ?? '',
    status: outcome.status ?? 0,
    total_ms: outcome.totalMs,
    dns_ms: outcome.dnsMs,
    connect_ms: outcome.connectMs,
    tls_ms: outcome.tlsMs,
    first_byte_ms: outcome.firstByteMs,
  };
}
