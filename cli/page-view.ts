import type { Page } from '../control/pages/page.js';
import { logoPathOf } from '../control/pages/page-looks.js';
import { formatFields } from './output.js';

/** A page as `--json` prints it. */
export function pageJson(page: Page): object {
  return {
    id: page.id,
    slug: page.slug,
    hostname: page.hostname,
    name: page.name,
    languages: page.languages,
    defaultLanguage: page.defaultLanguage,
    historyDays: page.historyDays,
    monitoringPaused: page.monitoringPaused,
    databaseHealth: page.databaseHealthEnabled,
    incidentsFromMonitors: page.incidentsFromMonitors,
    accent: page.accent,
    footerLinks: page.footerLinks,
    logo: page.logoHash && logoPathOf(page.logoHash),
    capabilities: page.capabilities,
    createdAt: page.createdAt.toISOString(),
  };
}

/** A page as people read it. */
export function pageText(page: Page): string {
  return formatFields([
    ['slug', page.slug],
    ['id', page.id],
    ['name', page.name],
    ['hostname', page.hostname],
    ['languages', page.languages.join(', ')],
    ['default language', page.defaultLanguage],
    ['history', `${page.historyDays} days`],
    ['monitoring', page.monitoringPaused ? 'paused' : 'on'],
    ['database health', page.databaseHealthEnabled ? 'on' : 'off'],
    ['monitor down', page.incidentsFromMonitors ? 'opens an incident' : 'opens none'],
    ['accent', page.accent ?? 'the usual one'],
    ['logo', page.logoHash === null ? 'none' : logoPathOf(page.logoHash)],
    ...page.footerLinks.map(({ label, url }) => ['footer link', `${label}=${url}`] as const),
    ['capabilities', page.capabilities.join(', ') || 'none'],
    ['created', page.createdAt.toISOString()],
  ]);
}
