import { type ResealedColumn, resealColumns } from '../sql/reseal.js';
import { defineCommand } from './core/define-command.js';
import { formatTable } from './core/output.js';

export const secretsCommands = [
  defineCommand({
    name: 'secrets reseal',
    summary: 'encrypt every stored secret with the first key of HEARTLINE_SECRET_KEY',
    help: `HEARTLINE_SECRET_KEY lists keys with commas between them: the first one encrypts, and all decrypt. This command
encrypts again what another key of the list has encrypted, so that the other keys can be removed. It runs beside the
service, and can be stopped and repeated. When no key of the list opens a value, it says which, changes nothing about it,
and ends with exit code 1. The steps of a change of the key: /docs/security of the service`,
    json: '{"columns": [{"table", "column", "values", "resealed", "unreadable", "unreadableIds"}], "resealed", "unreadable"}',
    async run(context) {
      const deps = await context.openControlWithSecrets();
      const columns = await resealColumns(deps, ({ table, column, values }) =>
        context.notify(`${table}.${column}: ${values} looked at.`),
      );
      const resealed = sumOf(columns, 'resealed');
      const unreadable = sumOf(columns, 'unreadable');
      const rows = columns.map((column) => [
        ...[`${column.table}.${column.column}`, String(column.values)],
        ...[String(column.resealed), String(column.unreadable)],
      ]);
      const table = formatTable(['WHERE', 'VALUES', 'RESEALED', 'UNREADABLE'], rows);
      return {
        json: { columns, resealed, unreadable },
        text: `${table}\n${countOf(resealed)} now encrypted with the first key.\n`,
        failure: unreadable === 0 ? undefined : failureOf(columns, unreadable),
      };
    },
  }),
];

function sumOf(columns: readonly ResealedColumn[], figure: 'resealed' | 'unreadable'): number {
  return columns.reduce((sum, column) => sum + column[figure], 0);
}

function countOf(values: number): string {
  return values === 1 ? '1 value is' : `${values} values are`;
}

function failureOf(columns: readonly ResealedColumn[], unreadable: number): string {
  const named = columns
    .filter((column) => column.unreadable > 0)
    .map(({ table, column, unreadable, unreadableIds }) => {
      const more = unreadable - unreadableIds.length;
      return `${table}.${column} of ${unreadableIds.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    });
  return `${countOf(unreadable)} encrypted with a key that HEARTLINE_SECRET_KEY does not list: ${named.join('; ')}. Add that key to the list and run the command again, or set these secrets again.`;
}
