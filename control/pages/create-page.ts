import postgres from 'postgres';
import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import { newId, type PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import {
  checkHistoryDays,
  checkName,
  checkSlug,
  normalizeHostname,
  normalizeLanguages,
  type Page,
} from './page.js';
import { selectPages } from './page-rows.js';

export type CreatePageInput = {
  slug: string;
  hostname: string;
  /** The slug when not given. */
  name?: string;
  /** BCP 47 tags; English when not given. */
  languages?: readonly string[];
  /** The first of the languages when not given. */
  defaultLanguage?: string;
  /** 7 to 90; 90 when not given. */
  historyDays?: number;
};

/**
 * Makes a page and the account that owns it.
 *
 * @throws ControlError when a value is out of range, or the slug or the host name is taken.
 */
export async function createPage(
  { sql, clock }: { sql: Sql; clock: Clock },
  input: CreatePageInput,
): Promise<Page> {
  const { slug, name = slug, historyDays = 90 } = input;
  checkSlug(slug);
  checkName(name);
  checkHistoryDays(historyDays);
  const hostname = normalizeHostname(input.hostname);
  const { languages, defaultLanguage } = normalizeLanguages(input.languages ?? ['en'], input.defaultLanguage);
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
  const pages = await inTransaction(sql, async (tx) => {
    await tx`insert into accounts ${tx(account)}`;
    await tx`insert into pages ${tx(page)}`;
    return selectPages(tx, tx`p.id = ${id}`);
  }).catch((error: unknown) => {
    throw explainTaken(error, slug, hostname);
  });
  const [created] = pages;
  if (created === undefined) throw new Error('The page that was just inserted could not be read.');
  return created;
}

function explainTaken(error: unknown, slug: string, hostname: string): unknown {
  if (!(error instanceof postgres.PostgresError)) return error;
  if (error.constraint_name === 'pages_slug_unique') {
    return new ControlError(`The slug "${slug}" is taken by another page.`);
  }
  if (error.constraint_name === 'pages_hostname_unique') {
    return new ControlError(`The host name "${hostname}" is taken by another page.`);
  }
  return error;
}
