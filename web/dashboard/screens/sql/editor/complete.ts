import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { keywords, type Schema, type SchemaColumn, variants } from './dialect.js';
import { shortType } from './short-type.js';

type Table = Schema['tables'][number];

/** How functions are called that only pages have, and what they compute, by their names. */
export type PageFunctions = Readonly<Record<string, { call: string; computes: string }>>;

/**
 * Offers columns of the tables that the statement names, tables, functions, words and the two parameters. Behind
 * `name.` it offers the columns of that table, or of the one with that alias.
 */
export function completeFrom(
  schema: Schema,
  pageFunctions: PageFunctions,
): (context: CompletionContext) => CompletionResult | null {
  const general = [
    ...schema.tables.map(tableOption),
    ...[...schema.functions, ...variants].map((name) => functionOption(name, pageFunctions)),
    ...keywords.map((word): Completion => ({ label: word.toUpperCase(), type: 'keyword', boost: -1 })),
    ...['{from:DateTime}', '{to:DateTime}'].map((label): Completion => ({ label, type: 'constant' })),
  ];
  return (context) => {
    const word = context.matchBefore(/[{\w]*/);
    if (word === null || (word.from === word.to && !context.explicit && !isAfterDot(context))) return null;
    const text = context.state.doc.toString();
    const owner = /([A-Za-z_]\w*)\.$/.exec(text.slice(0, word.from))?.[1];
    if (owner !== undefined) {
      const table = tableNamed(schema, text, owner);
      return table === undefined
        ? null
        : {
            from: word.from,
            options: table.columns.map((column) => columnOption(column)),
            validFor: /^\w*$/,
          };
    }
    return { from: word.from, options: [...columnsFor(schema, text), ...general], validFor: /^[{\w]*$/ };
  };
}

function isAfterDot(context: CompletionContext): boolean {
  return context.matchBefore(/\w\./) !== null;
}

/** Columns of the tables that the text names; columns of all tables when it names none. */
function columnsFor({ tables }: Schema, text: string): Completion[] {
  const named = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text));
  const known = new Map<string, Completion>();
  for (const { columns } of named.length > 0 ? named : tables) {
    for (const column of columns) {
      if (!known.has(column.name)) known.set(column.name, columnOption(column, named.length > 0 ? 2 : 1));
    }
  }
  return [...known.values()];
}

/** The table with this name, or the one that the text gives this alias. */
function tableNamed({ tables }: Schema, text: string, name: string): Table | undefined {
  return tables.find(
    (table) => table.name === name || new RegExp(`\\b${table.name}\\s+(?:as\\s+)?${name}\\b`, 'i').test(text),
  );
}

function columnOption({ name, type, comment }: SchemaColumn, boost = 0): Completion {
  return { label: name, type: 'property', detail: shortType(type), info: comment, boost };
}

/** Functions of pages stand before those of ClickHouse with similar names: few know them. */
function functionOption(name: string, pageFunctions: PageFunctions): Completion {
  const option: Completion = { label: name, type: 'function', apply: `${name}(` };
  const own = Object.hasOwn(pageFunctions, name) ? pageFunctions[name] : undefined;
  return own === undefined ? option : { ...option, detail: own.call, info: own.computes, boost: 1 };
}

function tableOption({ name, comment }: Table): Completion {
  return { label: name, type: 'class', info: comment, boost: 1 };
}
