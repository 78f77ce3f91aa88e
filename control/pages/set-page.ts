import { type Capability, capabilities } from '../../contract/scopes.js';
import type { FooterLink } from '../../contract/status-page.js';
import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import type { PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { capabilityColumn } from '../keys/index.js';
import { pausePageMonitors, resumePageMonitors } from '../monitors/pause-page-monitors.js';
import { requestPageTranslations } from '../translations/index.js';
import { checkHistoryDays, checkName, normalizeLanguages, type Page } from './page.js';
import { readAccent, readFooterLinks } from './page-looks.js';
import { selectPages } from './page-rows.js';
import { readLogo, setLogo } from './set-logo.js';

export type SetPageInput = {
  slug: string;
  name?: string;
  /** BCP 47 tags. Texts that a new one lacks are asked for. */
  languages?: readonly string[];
  /** Only of a page that has no texts yet: those are in the default language. */
  defaultLanguage?: string;
  /** `#rrggbb`; null for the usual colour. */
  accent?: string | null;
  /** All of them, in their order. */
  footerLinks?: readonly FooterLink[];
  /** An image; null for none. */
  logo?: Buffer | null;
  /** 7 to 90. */
  historyDays?: number;
  monitoringPaused?: boolean;
  databaseHealthEnabled?: boolean;
  /** Whether a monitor that goes down opens an incident. */
  incidentsFromMonitors?: boolean;
  /** Capabilities of the account that owns the page, and so of every page of that account. */
  capabilities?: Partial<Record<Capability, boolean>>;
};

type LockedPage = {
  id: PageId;
  accountId: string;
  languages: string[];
  defaultLanguage: string;
  accent: string | null;
  monitoringPaused: boolean;
};

/**
 * Changes what is given and nothing else; answers the whole page.
 *
 * @throws ControlError when there is no such page or a value is out of range; nothing is changed then.
 */
export async function setPage(
  { sql, clock }: { sql: Sql; clock: Clock },
  input: SetPageInput,
): Promise<Page> {
  const { slug, name, historyDays, footerLinks, logo } = input;
  if (name !== undefined) checkName(name);
  if (historyDays !== undefined) checkHistoryDays(historyDays);
  const links = footerLinks && readFooterLinks(footerLinks);
  const accent = input.accent && readAccent(input.accent);
  const readyLogo = logo && readLogo(logo);
  const pages = await inTransaction(sql, async (tx) => {
    const page = await lockPage(tx, slug);
    if (page === undefined) return [];
    const { monitoringPaused = page.monitoringPaused } = input;
    await tx`
      update pages set
        name = coalesce(${name ?? null}, name),
        accent = ${accent === undefined ? page.accent : accent},
        footer_links = coalesce(${links === undefined ? null : tx.json(links)}, footer_links),
        history_days = coalesce(${historyDays ?? null}, history_days),
        monitoring_paused = ${monitoringPaused},
        database_health_enabled = coalesce(${input.databaseHealthEnabled ?? null}, database_health_enabled),
        incidents_from_monitors = coalesce(${input.incidentsFromMonitors ?? null}, incidents_from_monitors)
      where id = ${page.id}`;
    if (monitoringPaused !== page.monitoringPaused) {
      await (monitoringPaused ? pausePageMonitors : resumePageMonitors)(tx, page.id, clock.now());
    }
    await setLanguages(tx, page, input, clock.now());
    if (readyLogo !== undefined) await setLogo(tx, page.id, readyLogo);
    await setCapabilities(tx, page.accountId, input.capabilities ?? {});
    return selectPages(tx, tx`p.slug = ${slug}`);
  });
  const [page] = pages;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
  return page;
}

async function lockPage(tx: Transaction, slug: string): Promise<LockedPage | undefined> {
  const [page] = await tx<LockedPage[]>`
    select id, account_id as "accountId", languages, default_language as "defaultLanguage", accent,
      monitoring_paused as "monitoringPaused"
    from pages where slug = ${slug} for update`;
  return page;
}

/** @throws ControlError when the default is not among them, or another one than that which texts are in. */
async function setLanguages(
  tx: Transaction,
  page: LockedPage,
  input: Pick<SetPageInput, 'languages' | 'defaultLanguage'>,
  now: number,
): Promise<void> {
  if (input.languages === undefined && input.defaultLanguage === undefined) return;
  const { languages, defaultLanguage } = normalizeLanguages(
    input.languages ?? page.languages,
    input.defaultLanguage ?? page.defaultLanguage,
  );
  if (defaultLanguage !== page.defaultLanguage && (await hasTexts(tx, page.id))) {
    throw new ControlError(
      `The names of monitors and the texts of incidents are in ${page.defaultLanguage}; another default language can be chosen only before there are any.`,
    );
  }
  await tx`
    update pages set languages = ${languages}::text[], default_language = ${defaultLanguage} where id = ${page.id}`;
  await requestPageTranslations(tx, { pageId: page.id, now });
}

async function hasTexts(tx: Transaction, pageId: PageId): Promise<boolean> {
  const [row] = await tx<{ found: boolean }[]>`
    select exists (select 1 from monitors where page_id = ${pageId})
      or exists (select 1 from incidents where page_id = ${pageId}) as found`;
  return row?.found ?? false;
}

async function setCapabilities(
  tx: Transaction,
  accountId: string,
  wanted: Partial<Record<Capability, boolean>>,
): Promise<void> {
  for (const capability of capabilities) {
    const on = wanted[capability];
    if (on === undefined) continue;
    await tx`update accounts set ${tx({ [capabilityColumn[capability]]: on })} where id = ${accountId}`;
  }
}
