import type { Figure, Tile } from '../../../../../contract/manage/boards.js';
import type { SavedQuery } from '../../../../../contract/manage/queries.js';
import type { SharedTileData } from '../../../../../contract/public/shared-boards.js';
import type { Range } from '../../../address/range.js';
import type { AddressChanges } from '../../../address/use-address.js';
import { pagePath } from '../../../reads/api-path.js';
import { fetchJson, ReadError, requestOf } from '../../../reads/fetch-json.js';
import type { SqlResult } from '../../sql/result-shape.js';
import { type Values, variableNames } from '../known.js';

/** The content of a tile. `path` names the read that answered `data`. */
export type TileData =
  | { kind: 'figure'; path: string; data: unknown }
  | { kind: 'sql'; result: SqlResult }
  | { kind: 'text'; text: string };

/** An answer for a tile; `at` is when it was read, in milliseconds since the epoch. */
export type TileAnswer = { data: TileData; at: number; etag: string | undefined };

/** How a tile is read. Tiles with one key show the same, and are read once. */
export type TileRead = {
  key: string;
  isStatement: boolean;
  /** The figure that it reads; a shared board says it in the answer. */
  path?: string;
  /** Returns `undefined` when nothing has changed since the answer with this tag. @throws ReadError */
  load(signal: AbortSignal, etag: string | undefined): Promise<TileAnswer | undefined>;
};

/** Longer than a statement takes with its wait for others. */
const statementMsMax = 60_000;

/** Returns how a tile of a board of one's own page is read; `undefined` for a text. */
export function tileRead(slug: string, { source }: Tile, values: Values, range: Range): TileRead | undefined {
  if ('text' in source) return undefined;
  if ('figure' in source) return figureRead(slug, source.figure, values, range);
  return {
    key: JSON.stringify([slug, source, range]),
    isStatement: true,
    async load(signal) {
      const sql = 'sql' in source ? source.sql : await statementOf(slug, source.query, signal);
      const answer = await fetchJson<SqlResult>(pagePath(slug, '/analytics/sql'), {
        ...requestOf('POST', { sql, format: 'JSON', ...range }),
        ...{ signal, timeoutMs: statementMsMax },
      });
      return answer === 'unchanged' ? undefined : toAnswer({ kind: 'sql', result: answer.body });
    },
  };
}

function figureRead(slug: string, figure: Figure, values: Values, range: Range): TileRead {
  const { path } = figure;
  const address = pagePath(slug, `/analytics/${path}`, fillFigure(figure, values, range));
  return {
    ...{ key: address, isStatement: false, path },
    async load(signal, etag) {
      const answer = await fetchJson<unknown>(address, { signal, etag });
      return answer === 'unchanged'
        ? undefined
        : toAnswer({ kind: 'figure', path, data: answer.body }, answer.etag);
    },
  };
}

async function statementOf(slug: string, id: string, signal: AbortSignal): Promise<string> {
  const answer = await fetchJson<SavedQuery>(pagePath(slug, `/queries/${encodeURIComponent(id)}`), {
    signal,
  });
  if (answer === 'unchanged') throw new ReadError(304, '');
  return answer.body.sql;
}

/** Returns how a tile of a shared board is read, which says neither what it asks nor of which page. */
export function sharedTileRead(
  boardPath: string,
  { id }: { id: string },
  values: Values,
  range: Range,
): TileRead {
  const address = `${boardPath}/tiles/${encodeURIComponent(id)}${searchWith(values, range)}`;
  return {
    ...{ key: address, isStatement: true },
    async load(signal) {
      const answer = await fetchJson<SharedTileData>(address, { signal, timeoutMs: statementMsMax });
      if (answer === 'unchanged') return undefined;
      const { data, readAt } = answer.body;
      return { data: dataOf(answer.body, data), at: Date.parse(readAt), etag: undefined };
    },
  };
}

function dataOf({ kind, path }: SharedTileData, data: unknown): TileData {
  if (kind === 'text') return { kind, text: String(data) };
  // The kind says that it is a result.
  return kind === 'sql' ? { kind, result: data as SqlResult } : { kind, path: path ?? '', data };
}

/** An empty value is sent, because it stands for none in place of the initial one. */
function searchWith(values: Values, range: Range): string {
  const search = new URLSearchParams({ ...range });
  for (const [name, value] of Object.entries(values)) search.set(name, value);
  return `?${search}`;
}

function toAnswer(data: TileData, etag?: string): TileAnswer {
  return { data, at: Date.now(), etag };
}

const withoutRange: readonly string[] = ['reporters', 'versions'];

/** Whether a figure is about the present, whatever the time range. */
export function isOfPresent(path: string): boolean {
  return withoutRange.includes(path);
}

/** Returns the parameters with which a figure is read, as the service fills them for shared boards. */
export function fillFigure({ path, parameters = {} }: Figure, values: Values, range: Range): AddressChanges {
  const filled = Object.entries(parameters).map(([name, written]) => {
    const variable = variableNames.find((one) => written === `{${one}}`);
    return [name, variable === undefined ? written : values[variable]] as const;
  });
  return { ...Object.fromEntries(filled), ...(isOfPresent(path) ? {} : range) };
}

/** The address of a board for whoever has its token. */
export function sharedBoardAddress(token: string): string {
  return `/api/v1/shared-boards/${encodeURIComponent(token)}`;
}
