import postgres from 'postgres';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { checkSlug } from '../../lib/slug.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { loadPageById, type Page } from './page.js';
import { checkHistoryDays, checkName, parseHostname, parseLanguages } from './parse-page.js';

export type CreatePageInput = {
  slug: string;
  hostname: string;
  /** Default: the slug. */
  name?: string;
  /** BCP 47 tags. Default: English. */
  languages?: readonly string[];
  /** Default: the first of the languages. */
  defaultLanguage?: string;
  /** 7 to 90. Default: 90. */
  historyDays?: number;
};

/**
 * Creates a page and the account that owns it.
 *
 * @throws ServiceError `invalidBody` when a value is out of range, `conflict` when the slug or the host name is taken.
 */
export async function createPage(
  { sql, clock }: { sql: Sql; clock: Clock },
  input: CreatePageInput,
): Promise<Page> {
  const { slug, name = slug, historyDays = 90 } = input;
  checkSlug(slug);
  checkName(name);
  checkHistoryDays(historyDays);
  const hostname = parseHostname(input.hostname);
  const { languages, defaultLanguage } = parseLanguages(input.languages ?? ['en'], input.defaultLanguage);
  const now = clock.now();
  const id = newId<PageId>(now);
  const account = { id: newId(now), name, created_at: new Date(now) };
  const page = {
    id,
    account_id: account.id,
    slug,
    hostname,
    name,
    languages,
    default_language: defaultLanguage,
    history_days: historyDays,
    created_at: new Date(now),
  };
  return inTransaction(sql, async (tx) => {
    await tx`insert into accounts ${tx(account)}`;
    await tx`insert into pages ${tx(page)}`;
    return loadPageById(tx, id);
  }).catch((error: unknown) => {
    throw explainTaken(error, slug, hostname);
  });
}

function explainTaken(error: unknown, slug: string, hostname: string): unknown {
  if (!(error instanceof postgres.PostgresError)) return error;
  if (error.constraint_name === 'pages_slug_unique') {
    return new ServiceError('conflict', { message: `The slug "${slug}" is taken by another page.` });
  }
  if (error.constraint_name === 'pages_hostname_unique') {
    return new ServiceError('conflict', { message: `The host name "${hostname}" is taken by another page.` });
  }
  return error;
}
