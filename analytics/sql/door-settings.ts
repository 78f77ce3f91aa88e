import { ServiceError } from '../../lib/service-error.js';

/** READONLY of ClickHouse. */
const readonlyCode = 164;

const anyNumber = /^\d{1,18}(\.\d{1,9})?$/;
const flag = /^(0|1|true|false)$/;

/**
 * Settings that tools send with every query, and the values that leave an answer as it is. The user that runs the SQL of
 * pages is read-only, so none of them reaches ClickHouse.
 */
const taken: readonly (readonly [reason: string, value: RegExp, names: string])[] = [
  [
    'Limits: the page has smaller ones, or ones that hold in any case.',
    anyNumber,
    `max_execution_time max_result_rows max_result_bytes max_rows_to_read max_bytes_to_read max_memory_usage max_threads
    max_block_size max_query_size connect_timeout send_timeout receive_timeout http_send_timeout http_receive_timeout
    http_connection_timeout connect_timeout_with_failover_ms timeout_before_checking_execution_speed`,
  ],
  [
    'A query that exceeds a limit fails, as it does here.',
    /^throw$/,
    'result_overflow_mode read_overflow_mode',
  ],
  ['Every query is read-only.', /^[012]$/, 'readonly'],
  [
    'The answer is complete when it begins, and it stops when the caller leaves.',
    anyNumber,
    `send_progress_in_http_headers http_headers_progress_interval_ms cancel_http_readonly_queries_on_client_close
    http_wait_end_of_query http_response_buffer_size http_write_exception_in_output_format`,
  ],
  [
    'The service chooses a server, and reads what it has acknowledged.',
    /^\w{1,40}$/,
    'select_sequential_consistency load_balancing prefer_localhost_replica max_parallel_replicas allow_experimental_parallel_reading_from_replicas',
  ],
  [
    'They are about data that comes in, and none does.',
    /^\w{1,40}$/,
    `date_time_input_format input_format_import_nested_json cast_string_to_dynamic_use_inference async_insert
    wait_for_async_insert insert_deduplicate insert_quorum mutations_sync input_format_null_as_default`,
  ],
  [
    'They have these values here.',
    /^(0|false)$/,
    'extremes join_use_nulls use_query_cache enable_optimize_predicate_expression_to_final_subquery',
  ],
  ['Times are in UTC.', /^UTC$/, 'session_timezone'],
  ['It has this value here.', /^simple$/, 'date_time_output_format'],
  [
    'They have these values here.',
    /^(0|false)$/,
    'output_format_json_quote_64bit_integers output_format_json_quote_64bit_floats',
  ],
  ['It has this value here.', /^(1|true)$/, 'output_format_json_named_tuples_as_objects'],
  [
    'They allow types that the tables do not have.',
    flag,
    'allow_experimental_object_type allow_experimental_json_type allow_experimental_variant_type allow_experimental_dynamic_type enable_json_type',
  ],
  ['It is for a log that nobody reads.', /^[\s\S]{0,1000}$/, 'log_comment'],
];

const values: ReadonlyMap<string, RegExp> = new Map(
  taken.flatMap(([, value, names]) => names.split(/\s+/).map((name) => [name, value] as const)),
);

/** Names of these settings, for tools that look a setting up before they send it. */
export const takenSettings: readonly string[] = [...values.keys()];

/** @throws ServiceError READONLY, as a read-only user gets it, for a setting that would change an answer */
export function checkSetting(name: string, value: string): void {
  if (values.get(name)?.test(value) === true) return;
  throw readOnly(`Cannot modify '${plain(name)}' setting in readonly mode`);
}

/** Returns the error for what a read-only user may not do. */
export function readOnly(message: string): ServiceError {
  return new ServiceError('notAllowed', { message: `${message}.`, storeCode: readonlyCode });
}

/** Shortens the caller's own text for a message, and replaces unusual characters. */
export function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}_.$-]/gu, '?').slice(0, 60);
}
