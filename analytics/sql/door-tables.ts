import { formerColumn } from '../../contract/sql-columns.js';
import { documentedTables, sqlTables } from '../../contract/sql-documented.js';
import { takenSettings } from './door-settings.js';
import { pageFunctionNames } from './page-functions.js';
import { allowedFunctions, isAggregate } from './sql-functions.js';
import { definitionOf, literal } from './table-statements.js';

/**
 * A table about tables, as ClickHouse has it. The expressions of its columns name the values of a row `v1`, `v2` and so
 * on; a value that is the same in all rows stands in the expression itself.
 */
type DoorTable = { columns: Readonly<Record<string, string>>; rows: readonly (readonly Value[])[] };
type Value = string | number;

const [none, noNumber, noText] = ["''", "CAST(NULL, 'Nullable(UInt64)')", "CAST(NULL, 'Nullable(String)')"];
const [off, on] = ['toUInt8(0)', 'toUInt8(1)'];
const noId = "toUUID('00000000-0000-0000-0000-000000000000')";
const noTexts = "CAST([], 'Array(String)')";
const epoch = "toDateTime('2026-01-01 00:00:00')";
/** Tools group tables by what the engine may do; all that these may do is to be read. */
const engine = "'MergeTree'";

const named = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, none]));
const repeated = (names: readonly string[], expression: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, expression]));
/** Columns of information_schema have their names in both cases. */
const inBothCases = (columns: Readonly<Record<string, string>>): Record<string, string> => ({
  ...columns,
  ...Object.fromEntries(Object.entries(columns).map(([name, value]) => [name.toUpperCase(), value])),
});

/** The columns of all tables in rows: table, name, type, position, comment. */
const columnRows: readonly (readonly Value[])[] = sqlTables.flatMap((table) =>
  documentedTables[table].columns
    .filter(({ name }) => name !== formerColumn)
    .map(({ name, type, comment }, at) => [table, name, type, at + 1, comment]),
);
const tableRows: readonly (readonly Value[])[] = sqlTables.map((table) => [
  table,
  documentedTables[table].comment,
  definitionOf(table),
]);
const functionRows: readonly (readonly Value[])[] = [...pageFunctionNames, ...allowedFunctions].map(
  (name) => [name, isAggregate(name) ? 1 : 0],
);
const typeNames =
  `Bool Date Date32 DateTime DateTime64 Decimal Enum8 Enum16 FixedString Float32 Float64 Int8 Int16 Int32
  Int64 Int128 Int256 String UInt8 UInt16 UInt32 UInt64 UInt128 UInt256 UUID IPv4 IPv6 Array Map Tuple Nullable
  LowCardinality SimpleAggregateFunction`.split(/\s+/);

/** The tables of one database about tables, by their names in lower case. */
function systemTables(database: string): Readonly<Record<string, DoorTable>> {
  const own = literal(database);
  return {
    databases: {
      columns: {
        ...{ name: 'v1', engine: "'Atomic'", data_path: none, metadata_path: none, uuid: noId },
        ...{ engine_full: "'Atomic'", comment: none, is_external: off },
      },
      rows: [[database]],
    },
    tables: {
      columns: {
        ...{ database: own, name: 'v1', uuid: noId, engine, is_temporary: off },
        ...{ data_paths: "['/']", metadata_path: none, metadata_modification_time: epoch },
        ...repeated(['dependencies_database', 'dependencies_table'], noTexts),
        ...{ create_table_query: 'v3', engine_full: engine },
        ...named(
          'as_select',
          'partition_key',
          'sorting_key',
          'primary_key',
          'sampling_key',
          'storage_policy',
        ),
        ...repeated(
          ['total_rows', 'total_bytes', 'total_bytes_uncompressed', 'parts', 'active_parts'],
          noNumber,
        ),
        ...repeated(['total_marks', 'lifetime_rows', 'lifetime_bytes'], noNumber),
        ...{ comment: 'v2', has_own_data: on },
        ...repeated(['loading_dependencies_database', 'loading_dependencies_table'], noTexts),
      },
      rows: tableRows,
    },
    columns: {
      columns: {
        ...{ database: own, table: 'v1', name: 'v2', type: 'v3', position: 'toUInt64(v4)' },
        ...named('default_kind', 'default_expression'),
        ...repeated(['data_compressed_bytes', 'data_uncompressed_bytes', 'marks_bytes'], 'toUInt64(0)'),
        comment: 'v5',
        ...repeated(
          ['is_in_partition_key', 'is_in_sorting_key', 'is_in_primary_key', 'is_in_sampling_key'],
          off,
        ),
        compression_codec: none,
        ...repeated(['character_octet_length', 'numeric_precision', 'numeric_precision_radix'], noNumber),
        ...repeated(['numeric_scale', 'datetime_precision'], noNumber),
      },
      rows: columnRows,
    },
    functions: {
      columns: {
        ...{ name: 'v1', is_aggregate: 'toUInt8(v2)', is_deterministic: noNumber, case_insensitive: off },
        ...{ alias_to: none, create_query: none, origin: "'System'" },
        ...named('description', 'syntax', 'arguments', 'parameters', 'returned_value', 'examples'),
        ...named('introduced_in', 'categories'),
      },
      rows: functionRows,
    },
    table_functions: {
      columns: { name: 'v1', description: none, allow_readonly: on },
      rows: [['numbers'], ['generate_series']],
    },
    // Tools send a setting when it is here and may be changed. Those that change nothing may be sent.
    settings: {
      columns: {
        ...{ name: 'v1', value: "'0'", changed: off, description: none, min: noText, max: noText },
        ...{ readonly: off, type: "'String'", default: "'0'", alias_for: none, is_obsolete: off },
        tier: "'Production'",
      },
      rows: [...takenSettings, 'enable_http_compression'].map((name) => [name]),
    },
    data_type_families: {
      columns: { name: 'v1', case_insensitive: off, alias_to: none },
      rows: typeNames.map((name) => [name]),
    },
    one: { columns: { dummy: off }, rows: [[0]] },
    table_engines: { columns: { name: 'v1' }, rows: [['MergeTree']] },
    clusters: {
      columns: {
        cluster: none,
        host_name: none,
        is_local: on,
        shard_num: 'toUInt32(0)',
        replica_num: 'toUInt32(0)',
      },
      rows: [],
    },
    dictionaries: { columns: { database: none, name: none, status: none, comment: none }, rows: [] },
    parts: {
      columns: {
        ...named('database', 'table', 'name', 'partition', 'engine'),
        ...{ active: on, rows: 'toUInt64(0)', bytes: 'toUInt64(0)', bytes_on_disk: 'toUInt64(0)' },
        ...{ modification_time: epoch, min_date: "toDate('1970-01-01')", max_date: "toDate('1970-01-01')" },
      },
      rows: [],
    },
    data_skipping_indices: { columns: named('database', 'table', 'name', 'type', 'expr'), rows: [] },
    projection_parts_columns: {
      columns: { ...named('database', 'table', 'name', 'column'), active: on },
      rows: [],
    },
  };
}

function informationTables(database: string): Readonly<Record<string, DoorTable>> {
  const own = literal(database);
  const [table, column] = [{ table_catalog: own, table_schema: own }, { column_name: 'v2' }];
  return {
    schemata: {
      columns: inBothCases({
        catalog_name: own,
        schema_name: 'v1',
        schema_owner: "'default'",
        sql_path: noText,
      }),
      rows: [[database]],
    },
    tables: {
      columns: inBothCases({
        ...{ ...table, table_name: 'v1', table_type: "'BASE TABLE'", table_rows: noNumber },
        ...{ data_length: noNumber, table_collation: "'utf8mb4_0900_ai_ci'", table_comment: 'v2' },
      }),
      rows: tableRows,
    },
    views: { columns: inBothCases({ ...table, table_name: none, view_definition: none }), rows: [] },
    columns: {
      columns: inBothCases({
        ...{ ...table, table_name: 'v1', ...column, ordinal_position: 'toUInt64(v4)', column_default: none },
        ...{ is_nullable: "toUInt8(startsWith(v3, 'Nullable('))", data_type: 'v3', column_type: 'v3' },
        ...repeated(['character_maximum_length', 'character_octet_length', 'numeric_precision'], noNumber),
        ...repeated(['numeric_precision_radix', 'numeric_scale', 'datetime_precision'], noNumber),
        ...{ column_comment: 'v5', extra: noText },
      }),
      rows: columnRows,
    },
    key_column_usage: {
      columns: inBothCases({
        ...table,
        constraint_name: none,
        table_name: none,
        column_name: none,
        ordinal_position: noNumber,
      }),
      rows: [],
    },
    referential_constraints: {
      columns: inBothCases({
        constraint_name: none,
        constraint_schema: own,
        table_name: none,
        referenced_table_name: none,
      }),
      rows: [],
    },
  };
}

/** The texts are the same for every request to a database, and some are long. */
const written = new Map<string, string>();

/** Returns the SELECT that a table about tables stands for; `undefined` for one that is not known here. */
export function selectDoorTable(schema: string, table: string, database: string): string | undefined {
  const key = `${schema.toLowerCase()}.${table.toLowerCase()}`;
  const known = written.get(`${key} ${database}`);
  if (known !== undefined) return known;
  const [inSchema, name] = key.split('.');
  const tables =
    inSchema === 'system'
      ? systemTables(database)
      : inSchema === 'information_schema'
        ? informationTables(database)
        : {};
  if (name === undefined || !Object.hasOwn(tables, name)) return undefined;
  const found = tables[name];
  if (found === undefined) return undefined;
  const text = select(found);
  written.set(`${key} ${database}`, text);
  return text;
}

/**
 * The values stand in one array a column, which are literals: the functions of a statement are counted, and statements of
 * tools have many of their own.
 */
function select({ columns, rows }: DoorTable): string {
  const list = Object.entries(columns).map(([name, expression]) => `${expression} AS \`${name}\``);
  const [first] = rows;
  // The columns have the types of their expressions, also without a row.
  if (first === undefined) return `SELECT ${list.join(', ')} WHERE 0`;
  const arrays = first.map((_, at) => {
    const values = rows.map((row) => row[at] ?? '');
    return `[${values.map((value) => (typeof value === 'number' ? `${value}` : literal(value))).join(', ')}] AS v${at + 1}`;
  });
  return `SELECT ${list.join(', ')} FROM (SELECT 1) ARRAY JOIN ${arrays.join(', ')}`;
}
