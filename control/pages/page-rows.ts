import { capabilities } from '../../contract/scopes.js';
import type { FooterLink } from '../../contract/status-page.js';
import type { PageId } from '../../lib/ids.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { capabilityColumn } from '../keys/index.js';
import type { Page } from './page.js';

type PageRow = {
  id: PageId;
  account_id: string;
  slug: string;
  hostname: string;
  name: string;
  languages: string[];
  default_language: string;
  history_days: number;
  monitoring_paused: boolean;
  database_health_enabled: boolean;
  incidents_from_monitors: boolean;
  accent: string | null;
  footer_links: FooterLink[];
  logo_hash: string | null;
  created_at: Date;
  incident_writes: boolean;
  internal_analytics: boolean;
  database_health: boolean;
};

/** Pages with their accounts, those for which the condition holds, ordered by slug. `p` is the page. */
export async function selectPages(sql: Sql | Transaction, condition: Fragment): Promise<Page[]> {
  const rows = await sql<PageRow[]>`
    select p.id, p.account_id, p.slug, p.hostname, p.name, p.languages, p.default_language, p.history_days,
      p.monitoring_paused, p.database_health_enabled, p.incidents_from_monitors, p.accent, p.footer_links, l.hash as logo_hash,
      p.created_at,
      a.incident_writes, a.internal_analytics, a.database_health
    from pages p join accounts a on a.id = p.account_id left join page_logos l on l.page_id = p.id
    where ${condition}
    order by p.slug`;
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
    monitoringPaused: row.monitoring_paused,
    databaseHealthEnabled: row.database_health_enabled,
    incidentsFromMonitors: row.incidents_from_monitors,
    accent: row.accent,
    footerLinks: row.footer_links,
    logoHash: row.logo_hash,
    createdAt: row.created_at,
    capabilities: capabilities.filter((capability) => row[capabilityColumn[capability]]),
  };
}
