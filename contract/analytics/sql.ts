import Type, { type Static } from 'typebox';
import { sqlLimits } from '../sql-tables.js';
import { timeForms } from './parameters.js';

/** Names of the supported output formats, with the media types of their answers. */
export const sqlFormats = {
  JSON: 'application/json; charset=utf-8',
  JSONEachRow: 'application/x-ndjson; charset=utf-8',
  CSV: 'text/csv; charset=utf-8; header=present',
  CSVWithNames: 'text/csv; charset=utf-8; header=present',
  TSV: 'text/tab-separated-values; charset=utf-8',
  TSVWithNames: 'text/tab-separated-values; charset=utf-8',
  Parquet: 'application/vnd.apache.parquet',
  Arrow: 'application/vnd.apache.arrow.file',
} as const;
export type SqlFormat = keyof typeof sqlFormats;

/**
 * Returns ClickHouse's name of a format. CSV begins with the names of the columns, as spreadsheets expect; ClickHouse's
 * own CSV does not. TSV is the same in both.
 */
export function serverFormat(format: string): string {
  return format === 'CSV' ? 'CSVWithNames' : format;
}

export const SqlBody = Type.Object(
  {
    sql: Type.String({
      minLength: 1,
      maxLength: sqlLimits.queryBytes,
      description:
        'One SELECT statement, or SHOW TABLES, DESCRIBE TABLE or SHOW CREATE TABLE for the tables that it can read.',
    }),
    format: Type.Optional(
      Type.Enum(['JSON', 'JSONEachRow', 'CSV', 'CSVWithNames', 'TSV', 'TSVWithNames', 'Parquet', 'Arrow'], {
        default: 'JSON',
        description: 'CSV is CSVWithNames: its first line has the names of the columns.',
      }),
    ),
    from: Type.Optional(
      Type.String({
        description: `What {from:DateTime} in the statement stands for: ${timeForms}. A date is the start of that day.`,
      }),
    ),
    to: Type.Optional(
      Type.String({
        description: `What {to:DateTime} in the statement stands for: ${timeForms}. A date is the end of that day.`,
      }),
    ),
  },
  { $id: 'SqlBody' },
);
export type SqlBody = Static<typeof SqlBody>;

/** The answer about a statement that has not run yet. */
export const SqlEstimate = Type.Object(
  {
    tables: Type.Array(
      Type.Object({
        name: Type.String(),
        rows: Type.Integer({
          description:
            'Rows of the page in the table, within {from:DateTime} and {to:DateTime} where the statement has them.',
        }),
      }),
      { description: 'The tables that the statement names.' },
    ),
    rows: Type.Integer({ description: 'Sum of these rows.' }),
    bytes: Type.Integer({
      description: 'Their approximate size before compression, in the columns that the statement names.',
    }),
  },
  { $id: 'SqlEstimate' },
);
export type SqlEstimate = Static<typeof SqlEstimate>;

/** The answer in the format JSON, for the published description only: ClickHouse writes it. */
export const SqlAnswer = Type.Object(
  {
    meta: Type.Array(Type.Object({ name: Type.String(), type: Type.String() }), {
      description: 'The columns with their types in ClickHouse.',
    }),
    data: Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: 'The rows.' }),
    rows: Type.Integer({ description: 'Number of rows.' }),
  },
  { $id: 'SqlAnswer' },
);
