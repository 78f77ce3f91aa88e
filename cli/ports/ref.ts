import { loadPageId } from '../../control/pages/index.js';
import type { PageId } from '../../lib/ids.js';
import type { CommandContext } from '../core/context.js';

/** Names one thing of a page by its id. `page` is a slug, which an installation elsewhere may need. */
export type Ref = { id: string; page?: string | undefined };

/** The option of commands that name a thing by its id. */
export const pageOfIdOption = {
  value: 'SLUG',
  help: 'the page it belongs to; over HTTP, a key of the installation needs it',
} as const;

/** The id with the id of its page, when a page is named. @throws ServiceError `notFound` for an unknown page. */
export async function localRef(
  context: CommandContext,
  { id, page }: Ref,
): Promise<{ id: string; pageId?: PageId }> {
  if (page === undefined) return { id };
  const { sql } = await context.openControl();
  return { id, pageId: await loadPageId(sql, page) };
}
