import type { FooterLink } from '../../contract/public/status-page.js';
import { type Capability, capabilities } from '../../contract/scopes.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { StoredPassword } from '../../lib/secrets/passwords.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { capabilityColumn } from '../keys/index.js';
import { endPageOutages, pausePageMonitors, resumePageMonitors } from '../monitors/index.js';
import { requestPageTranslations } from '../translations/index.js';
import { recordFirstDay, recordPage } from './audit.js';
import { parseLogo, setLogo } from './logo.js';
import { loadPageById, type Page } from './page.js';
import { type GivenFigure, parseFigures } from './parse-figures.js';
import {
  checkFirstDay,
  checkHistoryDays,
  checkName,
  explainTaken,
  parseAccent,
  parseAllowedAddresses,
  parseFooterLinks,
  parseHostname,
  parseLanguages,
  parseOwnerEmails,
  parseTimeZone,
} from './parse-page.js';
import { parseTraceUrl } from './parse-trace-url.js';
import { setReaderPassword } from './reader-password.js';

/** The settings of a page that change; those left out stay as they are. */
export type PageChanges = {
  /** Readers find the page at its new address, and no longer at the old one. */
  hostname?: string;
  name?: string;
  /** BCP 47 tags. Texts that a new language lacks are translated. */
  languages?: readonly string[];
  /** Can change only while the page has no texts: they are in the default language. */
  defaultLanguage?: string;
  /** `#rrggbb`; null for the default colour. */
  accent?: string | null;
  /** The whole list, in order. */
  footerLinks?: readonly FooterLink[];
  /** The whole list, in order. A figure without an endpoint is of all of the service. */
  figures?: readonly GivenFigure[];
  /** The bytes of an image; null removes the logo. */
  logo?: Buffer | null;
  /** Whether the logo is shown without the name beside it. */
  logoAlone?: boolean;
  /** The whole list of the addresses that get notices of failures that only the people who run the page can fix. */
  ownerEmails?: readonly string[];
  /** Address of a trace, with `{traceId}` in it; null for none. */
  traceUrl?: string | null;
  /** 7 to 90. */
  historyDays?: number;
  /** First UTC day of the published response times, `YYYY-MM-DD`. */
  responseTimesSince?: string;
  /** Such as Europe/Berlin. */
  timeZone?: string;
  monitoringPaused?: boolean;
  databaseHealthEnabled?: boolean;
  /** Whether a monitor that goes down opens an incident. */
  incidentsFromMonitors?: boolean;
  /** Whether anybody may read the state of the monitors in the formats of Prometheus. */
  publicMetrics?: boolean;
  isPrivate?: boolean;
  /** The whole list: addresses, and networks such as 10.0.0.0/8. */
  allowedAddresses?: readonly string[];
  /** The hash of the password of readers; null for none. */
  readerPassword?: StoredPassword | null;
  /** Capabilities of the account that owns the page; they apply to every page of that account. */
  capabilities?: Partial<Record<Capability, boolean>>;
};

type LockedPage = {
  id: PageId;
  accountId: string;
  languages: string[];
  defaultLanguage: string;
  accent: string | null;
  traceUrl: string | null;
  monitoringPaused: boolean;
};

/**
 * Changes the given settings of a page and returns the whole page. `check` gets the page as it is, in the transaction of
 * the change, and may refuse it.
 *
 * @throws ServiceError `notFound` when no page has the id, `invalidBody` when a value is out of range, `conflict` when
 *   the default language can no longer change, or when the host name is taken; what `check` throws. Nothing is changed
 *   then.
 */
export async function changePage(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  pageId: PageId,
  changes: PageChanges,
  check?: (page: Page) => void,
): Promise<Page> {
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, pageId);
    const before = await loadPageById(tx, pageId);
    check?.(before);
    const now = clock.now();
    const after = await applyToPage(tx, { pageId, changes, now });
    await recordPage(tx, { by, now }, { before, after });
    return after;
  }).catch((error: unknown) => {
    throw explainTaken(error, changes);
  });
}

/** changePage() in a transaction, and without a row in the audit log. */
export async function applyToPage(
  tx: Transaction,
  { pageId, changes, now }: { pageId: PageId; changes: PageChanges; now: number },
): Promise<Page> {
  const { name, historyDays, responseTimesSince, footerLinks, logo, ownerEmails } = changes;
  if (name !== undefined) checkName(name);
  if (historyDays !== undefined) checkHistoryDays(historyDays);
  if (responseTimesSince !== undefined) checkFirstDay(responseTimesSince, now);
  const hostname = changes.hostname === undefined ? undefined : parseHostname(changes.hostname);
  const figures = changes.figures && parseFigures(changes.figures);
  const links = footerLinks && parseFooterLinks(footerLinks);
  const owners = ownerEmails && parseOwnerEmails(ownerEmails);
  const allowed = changes.allowedAddresses && parseAllowedAddresses(changes.allowedAddresses);
  const accent = changes.accent && parseAccent(changes.accent);
  const traceUrl = changes.traceUrl == null ? changes.traceUrl : parseTraceUrl(changes.traceUrl);
  const readyLogo = logo && parseLogo(logo);
  const timeZone = changes.timeZone === undefined ? null : parseTimeZone(changes.timeZone);
  const page = await lockPage(tx, pageId);
  const { monitoringPaused = page.monitoringPaused } = changes;
  await tx`
    update pages set
      hostname = coalesce(${hostname ?? null}, hostname),
      name = coalesce(${name ?? null}, name),
      accent = ${accent === undefined ? page.accent : accent},
      footer_links = coalesce(${links === undefined ? null : tx.json(links)}, footer_links),
      figures = coalesce(${figures === undefined ? null : tx.json(figures)}, figures),
      logo_alone = coalesce(${changes.logoAlone ?? null}, logo_alone),
      owner_emails = coalesce(${owners ?? null}::text[], owner_emails),
      trace_url = ${traceUrl === undefined ? page.traceUrl : traceUrl},
      history_days = coalesce(${historyDays ?? null}, history_days),
      response_times_since = coalesce(${responseTimesSince ?? null}::text::date, response_times_since),
      time_zone = coalesce(${timeZone}, time_zone),
      monitoring_paused = ${monitoringPaused},
      database_health_enabled = coalesce(${changes.databaseHealthEnabled ?? null}, database_health_enabled),
      incidents_from_monitors = coalesce(${changes.incidentsFromMonitors ?? null}, incidents_from_monitors),
      public_metrics = coalesce(${changes.publicMetrics ?? null}, public_metrics),
      is_private = coalesce(${changes.isPrivate ?? null}, is_private),
      allowed_addresses = coalesce(${allowed ?? null}::text[], allowed_addresses)
    where id = ${page.id}`;
  if (monitoringPaused !== page.monitoringPaused) {
    await (monitoringPaused ? pausePageMonitors : resumePageMonitors)(tx, page.id, now);
    if (monitoringPaused) await endPageOutages(tx, page.id, now);
  }
  await setLanguages(tx, page, changes, now);
  if (changes.readerPassword !== undefined) await setReaderPassword(tx, page.id, changes.readerPassword);
  if (readyLogo !== undefined) await setLogo(tx, page.id, readyLogo);
  await setCapabilities(tx, page.accountId, changes.capabilities ?? {});
  return loadPageById(tx, page.id);
}

/**
 * Locks a page until the end of the transaction.
 *
 * @throws ServiceError `notFound` when no page has the id, or when it was deleted.
 */
export async function lockPage(tx: Transaction, pageId: PageId): Promise<LockedPage> {
  const [page] = await tx<LockedPage[]>`
    select id, account_id as "accountId", languages, default_language as "defaultLanguage", accent,
      trace_url as "traceUrl", monitoring_paused as "monitoringPaused"
    from pages where id = ${pageId} and deleted_at is null for update`;
  if (page === undefined)
    throw new ServiceError('notFound', { message: `There is no page with the id "${pageId}".` });
  return page;
}

/** @throws ServiceError when the default is not among the languages, or is not the language of existing texts. */
async function setLanguages(
  tx: Transaction,
  page: LockedPage,
  changes: Pick<PageChanges, 'languages' | 'defaultLanguage'>,
  now: number,
): Promise<void> {
  if (changes.languages === undefined && changes.defaultLanguage === undefined) return;
  const { languages, defaultLanguage } = parseLanguages(
    changes.languages ?? page.languages,
    changes.defaultLanguage ?? page.defaultLanguage,
  );
  if (defaultLanguage !== page.defaultLanguage && (await hasTexts(tx, page.id))) {
    throw new ServiceError('conflict', {
      message: `The names of monitors and groups and the texts of incidents, templates and series are in ${page.defaultLanguage}; another default language can be chosen only before there are any.`,
    });
  }
  await tx`
    update pages set languages = ${languages}::text[], default_language = ${defaultLanguage} where id = ${page.id}`;
  await requestPageTranslations(tx, { pageId: page.id, now });
}

async function hasTexts(tx: Transaction, pageId: PageId): Promise<boolean> {
  const [row] = await tx<{ found: boolean }[]>`
    select exists (select 1 from monitors where page_id = ${pageId})
      or exists (select 1 from incidents where page_id = ${pageId})
      or exists (select 1 from monitor_groups where page_id = ${pageId})
      or exists (select 1 from incident_templates where page_id = ${pageId})
      or exists (select 1 from maintenance_series where page_id = ${pageId}) as found`;
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

/**
 * Publishes the response times of a page from that UTC day on, unless an earlier day is set already. Returns whether they
 * begin earlier than before.
 */
export async function publishResponseTimes(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  { pageId, since }: { pageId: PageId; since: Date },
): Promise<boolean> {
  const day = since.toISOString().slice(0, 10);
  return inTransaction(sql, async (tx) => {
    await lockPage(tx, pageId);
    const { slug, responseTimesSince: before } = await loadPageById(tx, pageId);
    if (before <= day) return false;
    await tx`update pages set response_times_since = ${day}::text::date where id = ${pageId}`;
    await recordFirstDay(tx, { by, now: clock.now() }, { id: pageId, slug, before, after: day });
    return true;
  });
}

type PageLooks = Pick<
  PageChanges,
  'name' | 'accent' | 'footerLinks' | 'figures' | 'logoAlone' | 'historyDays'
>;

/**
 * A page as it would be with these changes; nothing is stored.
 *
 * @throws ServiceError `invalidBody` for what changePage() would refuse
 */
export function withLooks(page: Page, looks: PageLooks): Page {
  const { name, accent, footerLinks, figures, logoAlone, historyDays } = looks;
  if (name !== undefined) checkName(name);
  if (historyDays !== undefined) checkHistoryDays(historyDays);
  return {
    ...page,
    ...(name !== undefined && { name }),
    ...(accent !== undefined && { accent: accent && parseAccent(accent) }),
    ...(footerLinks !== undefined && { footerLinks: parseFooterLinks(footerLinks) }),
    ...(figures !== undefined && { figures: parseFigures(figures) }),
    ...(logoAlone !== undefined && { logoAlone }),
    ...(historyDays !== undefined && { historyDays }),
  };
}
