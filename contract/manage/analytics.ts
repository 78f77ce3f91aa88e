import Type from 'typebox';
import { SqlBody } from '../analytics/sql.js';
import { sqlTables } from '../sql-documented.js';
import { closed } from './shared.js';

/** The body of the route for read keys, with no further fields. */
export const RunSql = closed({ ...SqlBody.properties });

/** A statement whose cost is asked for. */
export const EstimateSql = closed({
  sql: SqlBody.properties.sql,
  from: SqlBody.properties.from,
  to: SqlBody.properties.to,
});

/** The tables and functions that the SQL of a page may use. */
export const SqlSchema = closed({
  tables: Type.Array(
    closed({
      name: Type.Enum([...sqlTables]),
      comment: Type.String({ description: 'What a row is.' }),
      columns: Type.Array(
        closed({
          name: Type.String(),
          type: Type.String({ description: 'As ClickHouse writes it.' }),
          comment: Type.String({ description: 'What the value is, with its unit.' }),
        }),
      ),
    }),
  ),
  functions: Type.Array(Type.String(), {
    description: 'Functions that a statement may call, ordered by name; most are known in any case as well.',
  }),
});
