import type { FigureSetting } from '../../contract/public/public-figures.js';
import { type FooterLink, logoPathOf, type PageBrand } from '../../contract/public/status-page.js';
import { type Capability, capabilities } from '../../contract/scopes.js';
import type { PageId } from '../../lib/ids.js';
import { listOr, nearestNames } from '../../lib/mistakes/nearest.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { capabilityColumn } from '../keys/index.js';

/** Pages among which a mistyped slug is looked for. */
const comparedMax = 10_000;

/** A status page, with the capabilities of its account. */
export type Page = {
  id: PageId;
  accountId: string;
  slug: string;
  hostname: string;
  name: string;
  /** Canonical BCP 47 tags; `defaultLanguage` is one of them. */
  languages: string[];
  defaultLanguage: string;
  /** 7 to 90. */
  historyDays: number;
  /** First UTC day of the published response times, `YYYY-MM-DD`. */
  responseTimesSince: string;
  /** Name of the IANA time zone database, in which maintenance is planned. */
  timeZone: string;
  monitoringPaused: boolean;
  databaseHealthEnabled: boolean;
  /** Whether a monitor that goes down opens an incident. */
  incidentsFromMonitors: boolean;
  /** Whether anybody may read the state of the monitors in the formats of Prometheus. */
  publicMetrics: boolean;
  /** Whether only those may read it whom `allowedAddresses`, the password or their role lets in. */
  isPrivate: boolean;
  /** Addresses, and networks such as 10.0.0.0/8. */
  allowedAddresses: string[];
  /** Changes with the password of readers, of which it says nothing; null without one. */
  passwordTag: string | null;
  /** `#rrggbb`; null for the default colour. */
  accent: string | null;
  footerLinks: FooterLink[];
  /** The figures of its requests that it publishes, in order. */
  figures: FigureSetting[];
  /** Hash of the logo, as findLogo() takes it; null without a logo. */
  logoHash: string | null;
  /** Whether the logo, if there is one, is shown without the name. */
  logoAlone: boolean;
  /** Addresses that get notices of failures that only the people who run the page can fix. */
  ownerEmails: string[];
  /** Address of a trace in the tracing tool, with `{traceId}` in it; null without a tool. */
  traceUrl: string | null;
  createdAt: Date;
  capabilities: Capability[];
};

/** Whether the page shows the state of its monitors to anybody in the formats of Prometheus. */
export async function hasPublicMetrics(sql: Sql, id: PageId): Promise<boolean> {
  const [page] = await sql`select 1 from pages where id = ${id} and public_metrics`;
  return page !== undefined;
}

/**
 * The page with this slug, for an operator: the error hints at the pages of other tenants.
 *
 * @throws ServiceError `notFound` when no page has it.
 */
export async function loadPage(sql: Sql, slug: string): Promise<Page> {
  const page = await findPage({ sql }, { slug });
  if (page === undefined) throw await noSuchPage(sql, slug);
  return page;
}

/**
 * The id of the page with this slug, for an operator: the error hints at the pages of other tenants.
 *
 * @throws ServiceError `notFound` when no page has it.
 */
export async function loadPageId(sql: Sql, slug: string): Promise<PageId> {
  const [page] = await sql<
    { id: PageId }[]
  >`select id from pages where slug = ${slug} and deleted_at is null`;
  if (page === undefined) throw await noSuchPage(sql, slug);
  return page.id;
}

/** Finds the id of the page with this slug; `undefined` when there is none. */
export async function findPageId({ sql }: { sql: Sql }, slug: string): Promise<PageId | undefined> {
  const [page] = await sql<
    { id: PageId }[]
  >`select id from pages where slug = ${slug} and deleted_at is null`;
  return page?.id;
}

async function noSuchPage(sql: Sql, slug: string): Promise<ServiceError> {
  const pages = await sql<
    { slug: string }[]
  >`select slug from pages where deleted_at is null order by slug limit ${comparedMax}`;
  const near = nearestNames(
    slug,
    pages.map((page) => page.slug),
  );
  const guess = near.length === 0 ? '' : `Did you mean ${listOr(near)}? `;
  return new ServiceError('notFound', {
    message: `There is no page with the slug "${slug}".`,
    hint: `${guess}List the pages with: heartline page list`,
  });
}

/**
 * The page with this id, this slug, or this host name (in any case, without a port). Returns `undefined` when there is
 * none.
 */
export async function findPage(
  { sql }: { sql: Sql },
  by: { id: PageId } | { slug: string } | { hostname: string },
): Promise<Page | undefined> {
  const [page] = await selectPages(sql, conditionOf(sql, by));
  return page;
}

function conditionOf(sql: Sql, by: Parameters<typeof findPage>[1]): Fragment {
  if ('id' in by) return sql`p.id = ${by.id}`;
  if ('slug' in by) return sql`p.slug = ${by.slug}`;
  return sql`p.hostname = ${by.hostname.toLowerCase()}`;
}

/** Finds the pages with these slugs, or these host names in lower case; fewer when some do not exist. */
export async function findPages(
  { sql }: { sql: Sql },
  by: { slugs: string[] } | { hostnames: string[] },
): Promise<Page[]> {
  const condition =
    'slugs' in by ? sql`p.slug = any(${by.slugs}::text[])` : sql`p.hostname = any(${by.hostnames}::text[])`;
  return selectPages(sql, condition);
}

/**
 * The page with this id.
 *
 * @throws ServiceError `notFound` when no page has it.
 */
export async function loadPageById(sql: Sql | Transaction, id: PageId): Promise<Page> {
  const [page] = await selectPages(sql, sql`p.id = ${id}`);
  if (page === undefined)
    throw new ServiceError('notFound', { message: `There is no page with the id "${id}".` });
  return page;
}

/** Every page, ordered by slug. */
export async function listPages({ sql }: { sql: Sql }): Promise<Page[]> {
  return selectPages(sql, sql`true`);
}

/**
 * At most `limit` pages, newest first, behind the one with the id `after`. `ids` are the pages to choose from; all when
 * absent.
 */
export async function listManagedPages(
  { sql }: { sql: Sql },
  { ids, limit, after }: { ids?: readonly PageId[]; limit: number; after?: string | undefined },
): Promise<Page[]> {
  const chosen = ids === undefined ? sql`true` : sql`p.id = any (${[...ids]}::uuid[])`;
  const behind = after === undefined ? sql`true` : sql`p.id < ${after}`;
  return selectPages(sql, sql`${chosen} and ${behind}`, sql`p.id desc limit ${limit}`);
}

/** Where a page is. */
export type PagePlace = { slug: string; name: string; hostname: string };

/** Lists the first `max` pages by slug, and how many further ones there are. */
export async function listPagePlaces(
  { sql }: { sql: Sql },
  max: number,
): Promise<{ pages: PagePlace[]; more: number }> {
  const rows = await sql<(PagePlace & { total: number })[]>`
    select slug, name, hostname, (count(*) over ())::int as total
    from pages where deleted_at is null order by slug limit ${max}
  `;
  const pages = rows.map(({ slug, name, hostname }) => ({ slug, name, hostname }));
  return { pages, more: (rows[0]?.total ?? 0) - pages.length };
}

/** Returns the part of a page that its views need. `origin` is its address, such as https://status.example.com. */
export function brandOf(page: Page, origin: string): PageBrand {
  const { slug, name, languages, defaultLanguage, timeZone, accent, logoHash, logoAlone, footerLinks } = page;
  return {
    ...{ slug, name, origin, languages, defaultLanguage, timeZone, footerLinks },
    ...(accent !== null && { accent }),
    ...(logoHash !== null && { logoPath: logoPathOf(logoHash), ...(logoAlone && { logoAlone }) }),
  };
}

type PageRow = {
  id: PageId;
  account_id: string;
  slug: string;
  hostname: string;
  name: string;
  languages: string[];
  default_language: string;
  history_days: number;
  response_times_since: string;
  time_zone: string;
  monitoring_paused: boolean;
  database_health_enabled: boolean;
  incidents_from_monitors: boolean;
  public_metrics: boolean;
  is_private: boolean;
  allowed_addresses: string[];
  password_tag: string | null;
  accent: string | null;
  footer_links: FooterLink[];
  figures: FigureSetting[];
  logo_hash: string | null;
  logo_alone: boolean;
  owner_emails: string[];
  trace_url: string | null;
  created_at: Date;
  incident_writes: boolean;
  internal_analytics: boolean;
  database_health: boolean;
};

/** Selects the pages that match the condition, with their accounts, without deleted ones; ordered by slug by default. `p` is the page. */
async function selectPages(
  sql: Sql | Transaction,
  condition: Fragment,
  order: Fragment = sql`p.slug`,
): Promise<Page[]> {
  const rows = await sql<PageRow[]>`
    select p.id, p.account_id, p.slug, p.hostname, p.name, p.languages, p.default_language, p.history_days,
      to_char(p.response_times_since, 'YYYY-MM-DD') as response_times_since, p.time_zone,
      p.monitoring_paused, p.database_health_enabled, p.incidents_from_monitors, p.public_metrics,
      p.is_private, p.allowed_addresses,
      left(encode(sha256(convert_to(p.reader_password::text, 'UTF8')), 'hex'), 16) as password_tag, p.accent, p.footer_links, p.figures, l.hash as logo_hash,
      p.logo_alone, p.owner_emails, p.trace_url, p.created_at,
      a.incident_writes, a.internal_analytics, a.database_health
    from pages p join accounts a on a.id = p.account_id left join page_logos l on l.page_id = p.id
    where p.deleted_at is null and ${condition}
    order by ${order}`;
  return rows.map(toPage);
}

function toPage(row: PageRow): Page {
  return {
    id: row.id,
    accountId: row.account_id,
    slug: row.slug,
    hostname: row.hostname,
    name: row.name,
    languages: row.languages,
    defaultLanguage: row.default_language,
    historyDays: row.history_days,
    responseTimesSince: row.response_times_since,
    timeZone: row.time_zone,
    monitoringPaused: row.monitoring_paused,
    databaseHealthEnabled: row.database_health_enabled,
    incidentsFromMonitors: row.incidents_from_monitors,
    publicMetrics: row.public_metrics,
    isPrivate: row.is_private,
    allowedAddresses: row.allowed_addresses,
    passwordTag: row.password_tag,
    accent: row.accent,
    footerLinks: row.footer_links,
    figures: row.figures,
    logoHash: row.logo_hash,
    logoAlone: row.logo_alone,
    ownerEmails: row.owner_emails,
    traceUrl: row.trace_url,
    createdAt: row.created_at,
    capabilities: capabilities.filter((capability) => row[capabilityColumn[capability]]),
  };
}
