import { parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Noun } from './client.js';

/** Where the rows of each noun are, and its path below the path of its page. */
const places: Record<Noun, { rows: string; path: string; hint?: string }> = {
  webhook: { rows: 'webhooks', path: "'webhooks/' || t.id" },
  delivery: { rows: 'webhook_deliveries', path: "'webhooks/' || t.webhook_id || '/deliveries/' || t.id" },
  channel: { rows: 'channels', path: "'channels/' || t.id" },
  key: {
    ...{ rows: 'keys', path: "'keys/' || t.id" },
    hint: 'List the keys of a page with: heartline key list',
  },
  connection: { rows: 'connections', path: "'connections/' || t.id" },
  deployment: { rows: 'deployments', path: "'deployments/' || t.id" },
  monitor: { rows: 'monitors', path: "'monitors/' || t.slug" },
  incident: {
    ...{ rows: 'incidents', path: "'incidents/' || t.id" },
    hint: 'List the incidents of a page with: heartline incident list',
  },
  alert: {
    ...{ rows: 'alerts', path: "'alerts/' || t.id" },
    hint: 'List the alerts of a page with: heartline alerts list',
  },
  silence: { rows: 'silences', path: "'silences/' || t.id" },
  email: { rows: 'emails', path: "'emails/' || t.id" },
};

/**
 * Returns the path of the thing with this id on the page that has it, for an operator who knows the id alone.
 *
 * @throws ServiceError `notFound`
 */
export async function locate(sql: Sql, noun: Noun, text: string): Promise<string> {
  const { rows, path, hint } = places[noun];
  const id = parseId(text);
  const [found] =
    id === undefined
      ? []
      : await sql<{ slug: string; path: string }[]>`
          select p.slug, ${sql.unsafe(path)} as path from ${sql(rows)} t join pages p on p.id = t.page_id
          where t.id = ${id} and p.deleted_at is null`;
  if (found !== undefined) return `/api/v1/pages/${found.slug}/${found.path}`;
  const message = `There is no ${noun} with the id "${text.slice(0, 60)}".`;
  throw new ServiceError('notFound', { message, hint });
}
