import { readFile } from 'node:fs/promises';
import t from 'tap';
import { environmentFor } from '../support/cli-environment.js';
import { makeMonitors } from '../support/incidents.js';
import { makePage } from '../support/pages.js';
import { runInProcess } from '../support/run-heartline.js';
import { openTestPostgres } from '../support/stores.js';

const postgres = await openTestPostgres(t);
const page = await makePage(postgres.sql, { slug: 'acme' });
await makeMonitors(postgres.sql, page.id, ['api']);
const env = environmentFor(postgres);

type Row = {
  mistake: string;
  variables: Record<string, string>;
  args: string[];
  code: number;
  lines: string[];
};

/** The rows of the table on the command line, as the docs have them. */
async function readRows(): Promise<Row[]> {
  const text = await readFile(new URL('../../../docs/mistakes.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('\n## On the command line\n'));
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| mistake'));
  return rows.map((row) => {
    const [mistake = '', command = '', code = '', answer = ''] = row
      .split(/(?<!\\)\|/)
      .slice(1)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
    const words = spansOf(command).flatMap(wordsOf);
    const variables = words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split(/=(.*)/s));
    return {
      ...{ mistake, code: Number(code), lines: spansOf(answer) },
      variables: Object.fromEntries(variables),
      args: words.filter((word) => !/^[A-Z_]+=/.test(word)),
    };
  });
}

function spansOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** Splits as a shell does: quotes keep spaces. */
function wordsOf(code: string): string[] {
  return [...code.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );
}

/** A folder is only looked at when no variable names a store. */
function environmentOf({ variables }: Row): Record<string, string> {
  return 'HEARTLINE_DATA_DIR' in variables ? variables : { ...env, ...variables };
}

const rows = await readRows();

t.test('the docs have twenty-three mistakes', (t) => {
  t.equal(rows.length, 23);
  t.equal(new Set(rows.map((row) => JSON.stringify([row.args, row.variables]))).size, 23);
  t.end();
});

for (const row of rows) {
  t.test(row.mistake, async (t) => {
    const { code, stdout, stderr } = await runInProcess(row.args, environmentOf(row));
    t.same({ code, stdout }, { code: row.code, stdout: '' });
    const lines = stderr
      .replace(/^heartline: /, '')
      .trimEnd()
      .split('\n');
    // Bad usage always ends with a line that names the help.
    if (row.code === 2) t.match(lines.pop(), /^Try: npx heartline .*--help$/);
    const isCut = (line: string) => line.endsWith('…');
    t.strictSame(
      lines.map((line, i) =>
        isCut(row.lines[i] ?? '') ? `${line.slice(0, (row.lines[i]?.length ?? 0) - 1)}…` : line,
      ),
      row.lines,
    );
  });
}
