import type { SavedQuery, SaveQuery } from '../../../../contract/manage/queries.js';
import { pagePath } from '../../reads/api-path.js';
import { fetchJson, ReadError, requestOf } from '../../reads/fetch-json.js';

/** A saved query with the tag of the state that it was read in. */
export type OpenedQuery = { query: SavedQuery; etag: string | undefined };

const pathOf = (slug: string, id: string) => pagePath(slug, `/queries/${encodeURIComponent(id)}`);

/** @throws ReadError */
export async function loadQuery(slug: string, id: string): Promise<OpenedQuery> {
  return send('GET', pathOf(slug, id));
}

/** @throws ReadError; 409 when another query has the name */
export async function createQuery(slug: string, fields: SaveQuery): Promise<OpenedQuery> {
  return send('POST', pagePath(slug, '/queries'), fields);
}

/** Replaces the query that was opened. @throws ReadError; 412 when somebody has changed it since */
export async function replaceQuery(
  slug: string,
  { query, etag }: OpenedQuery,
  fields: SaveQuery,
): Promise<OpenedQuery> {
  return send('PUT', pathOf(slug, query.id), fields, etag);
}

/** @throws ReadError */
export async function deleteQuery(slug: string, { query }: OpenedQuery): Promise<void> {
  await fetchJson<undefined>(pathOf(slug, query.id), { method: 'DELETE' });
}

async function send(method: string, path: string, body?: SaveQuery, etag?: string): Promise<OpenedQuery> {
  const answer = await fetchJson<SavedQuery>(path, requestOf(method, body, etag));
  if (answer === 'unchanged') throw new ReadError(304, '');
  return { query: answer.body, etag: answer.etag };
}
