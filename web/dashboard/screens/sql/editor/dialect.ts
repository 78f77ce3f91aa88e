import { SQLDialect } from '@codemirror/lang-sql';

/** The tables and functions that a statement may use, as the service describes them. */
export type Schema = {
  tables: readonly { name: string; comment: string; columns: readonly SchemaColumn[] }[];
  functions: readonly string[];
};
export type SchemaColumn = { name: string; type: string; comment: string };

export const keywords =
  `select from where group by order having limit offset with as on using join left right inner
  full cross any all distinct union except intersect and or not in like ilike between is null case when then else end
  asc desc interval second day week month year array prewhere qualify window over partition rows range
  unbounded preceding following current row fill step to final global asof show tables describe table`
    .split(/\s+/)
    .filter(Boolean);

/** Forms of functions that are often needed here; a schema has only those that they are made of. */
export const variants = ['countIf', 'sumIf', 'avgIf', 'uniqIf', 'quantilesExactWeightedArrayIf'];

/** ClickHouse's SQL, with the functions that are available. Words and columns keep their look where a function has the name. */
export function dialectOf({ functions, tables }: Schema): SQLDialect {
  const others = new Set([...keywords, ...tables.flatMap(({ columns }) => columns.map(({ name }) => name))]);
  const builtin = [...functions, ...variants].map((name) => name.toLowerCase());
  return SQLDialect.define({
    keywords: keywords.join(' '),
    builtin: builtin.filter((name) => !others.has(name)).join(' '),
    types: 'datetime datetime64 date string uint8 uint16 uint32 uint64 int64 float32 float64 uuid nullable',
    backslashEscapes: true,
    doubleQuotedStrings: false,
    identifierQuotes: '`"',
    operatorChars: '*+-%<>!=&|~^/?:',
    hashComments: true,
    slashComments: false,
    spaceAfterDashes: false,
  });
}
