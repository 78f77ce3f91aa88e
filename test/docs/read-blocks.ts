import { readdir, readFile } from 'node:fs/promises';

const root = new URL('../../../', import.meta.url);

/** Pages that set up what the others use come first; a reader follows them in this order, too. */
const first = ['README.md', 'docs/get-started.md', 'docs/status-page.md', 'docs/monitors.md', 'docs/api.md'];

/** A fenced block of a page; `line` is the line of its fence. */
export type Block = { page: string; line: number; language: string; text: string };

export type Page = { path: string; text: string; blocks: Block[] };

/** The README and every page of the docs, with their fenced blocks in order. */
export async function readPages(): Promise<Page[]> {
  const docs = (await readdir(new URL('docs', root))).filter((name) => name.endsWith('.md'));
  const others = [
    ...docs.map((name) => `docs/${name}`),
    'CONTRIBUTING.md',
    'clients/pool-reporter/README.md',
    'clients/reporter/README.md',
    'examples/README.md',
  ];
  const paths = new Set([...first, ...others.sort()]);
  return Promise.all(
    [...paths].map(async (path) => {
      const text = await readFile(new URL(path, root), 'utf8');
      return { path, text, blocks: blocksOf(path, text) };
    }),
  );
}

function blocksOf(page: string, text: string): Block[] {
  return [...text.matchAll(/^ *```(\w*)\n(.*?)^ *```$/gms)].map(
    ({ index, 1: language = '', 2: code = '' }) => ({
      page,
      line: text.slice(0, index).split('\n').length,
      language,
      text: code,
    }),
  );
}
