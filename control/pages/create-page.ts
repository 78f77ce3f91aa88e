import type { Clock } from '../../lib/clock.js';
import { newId, type PageId } from '../../lib/ids.js';
import { checkSlug } from '../../lib/slug.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { addDefaultRules } from '../rules/index.js';
import { recordPage } from './audit.js';
import { applyToPage, type PageChanges } from './change-page.js';
import type { Page } from './page.js';
import { checkHistoryDays, checkName, explainTaken, parseHostname, parseLanguages } from './parse-page.js';

/**
 * Every setting that changePage() knows. Without them: the slug as the name, English, the first of the languages as the
 * default one, 90 days of history.
 */
export type CreatePageInput = PageChanges & { slug: string; hostname: string };

/**
 * Creates a page and the account that owns it.
 *
 * @throws ServiceError `invalidBody` when a value is out of range, `conflict` when the slug or the host name is taken.
 */
export async function createPage(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  input: CreatePageInput,
): Promise<Page> {
  const { slug, name = slug, historyDays = 90, ...rest } = input;
  checkSlug(slug);
  checkName(name);
  checkHistoryDays(historyDays);
  const { hostname: givenHostname, languages: tags = ['en'], defaultLanguage: tag, ...settings } = rest;
  const hostname = parseHostname(givenHostname);
  const { languages, defaultLanguage } = parseLanguages(tags, tag);
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
    await addDefaultRules(tx, { pageId: id, now });
    const after = await applyToPage(tx, { pageId: id, changes: settings, now });
    await recordPage(tx, { by, now }, { before: null, after });
    return after;
  }).catch((error: unknown) => {
    throw explainTaken(error, { slug, hostname });
  });
}
