import { type Described, type Description, findOperation } from '../support/api-description.js';
import { parsePrinted } from './compare-answer.js';
import { exchanges, type KeyName } from './exchanges.js';
import { type Block, readPages } from './read-blocks.js';

/** A request that the docs show, and the answer if they show it as well, both as they print them. */
export type Example = {
  method: string;
  /** With the query string. `{incident}` stands for the id of an open incident. */
  path: string;
  key?: KeyName;
  /** JSON. */
  body?: string;
  answer?: unknown;
};

/** Requests whose body the docs show inside a command, or within a sentence. */
const inText: readonly (Omit<Example, 'body'> & { page: string; pattern: RegExp })[] = [
  {
    page: 'docs/api.md',
    method: 'POST',
    path: '/api/v1/incidents/{incident}/updates',
    key: 'incident',
    pattern: /`(\{"body": [^`]*\})`/,
  },
  {
    page: 'docs/api.md',
    method: 'PATCH',
    path: '/api/v1/incidents/{incident}',
    key: 'incident',
    pattern: /`(\{"resolvedAt": [^`]*\})`/,
  },
  {
    page: 'docs/api.md',
    method: 'POST',
    path: '/api/v1/analytics/sql',
    key: 'read',
    pattern: /`(\{"sql":\s+"SHOW TABLES"\})`/,
  },
  {
    page: 'docs/database-health.md',
    method: 'POST',
    path: '/api/v1/database-health/observations',
    key: 'ingest',
    pattern: /database-health\/observations \\[^']*'[^']*' -d '([^']*)'/,
  },
  {
    page: 'docs/database-health.md',
    method: 'POST',
    path: '/api/v1/database-health/reports',
    key: 'ingest',
    pattern: /database-health\/reports \\[^']*'[^']*' -d '([^']*)'/,
  },
  {
    page: 'docs/email.md',
    method: 'POST',
    path: '/api/public/acme/subscribers',
    pattern: /acme\/subscribers \\[^']*'[^']*' -d '([^']*)'/,
  },
];

/** Reads that the docs describe in words. */
const inWords: readonly Example[] = [
  { method: 'GET', path: '/api/v1/analytics/reporters?window=3600', key: 'read' },
  { method: 'GET', path: '/api/v1/analytics/messages?from=now-6h&service=shop', key: 'read' },
  { method: 'GET', path: '/api/public/acme/upptime/summary.json' },
];

/** Every request to a path of the API that the docs show with its body or its answer, in their order. */
export async function readExamples(): Promise<Example[]> {
  const pages = await readPages();
  const blocks = pages.flatMap((page) => page.blocks);
  return [
    ...exchanges
      .filter(({ send, host }) => send !== 'nothing' && host === undefined)
      .map((exchange): Example => {
        const [method = '', path = ''] = exchange.send.split(' ');
        const { key, given } = exchange;
        const body = given ?? textOf(blocks, exchange.page, exchange.body);
        const answer = textOf(blocks, exchange.page, exchange.answer);
        return {
          ...{ method, path },
          ...(key !== undefined && { key }),
          ...(body !== undefined && { body }),
          ...(answer !== undefined && { answer: parsePrinted(answer) }),
        };
      }),
    ...inText.map(({ page, pattern, ...example }): Example => {
      const body = pages.find(({ path }) => path === page)?.text.match(pattern)?.[1];
      if (body === undefined) throw new Error(`${page} does not show ${example.path}.`);
      return { ...example, body };
    }),
    ...inWords,
  ];
}

function textOf(blocks: readonly Block[], page: string, starts: string | undefined): string | undefined {
  if (starts === undefined) return undefined;
  return blocks.find((block) => block.page === page && block.text.startsWith(starts))?.text;
}

/** The operation of an example; a request that the description does not have fails. */
export function describedOperation(description: Description, { method, path }: Example): Described {
  const [bare = ''] = path.split('?');
  const found = findOperation(description, method, bare);
  if (found === undefined) throw new Error(`The description has no ${method} ${bare}.`);
  return found;
}
