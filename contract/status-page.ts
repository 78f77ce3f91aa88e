import type { LedgerEntry } from './incidents.js';
import type { Summary } from './summary.js';

/** Bounds of a page's looks. */
export const looksLimits = {
  logoBytes: 100 * 1024,
  footerLinks: 8,
  footerLabelChars: 60,
  footerUrlChars: 500,
} as const;

/** Bounds of what the views of a page show. */
export const viewLimits = {
  /** Past days that the page itself shows besides today. */
  recentDays: 14,
  recentIncidents: 200,
  incidentsOfMonth: 500,
} as const;

export type FooterLink = { label: string; url: string };

/** What a page says of itself, in whichever view. */
export type PageBrand = {
  slug: string;
  name: string;
  /** Such as `https://status.example.com`, without a final slash. */
  origin: string;
  /** Canonical BCP 47 tags; `defaultLanguage` is one of them. */
  languages: readonly string[];
  defaultLanguage: string;
  /** `#rrggbb`. */
  accent?: string;
  /** Path of the logo on the page's own host, with a version in it. */
  logoPath?: string;
  footerLinks: readonly FooterLink[];
};

/** What every view of the public page is drawn from. */
export type PublicView = {
  brand: PageBrand;
  /** One of the page's languages. */
  language: string;
  /** Milliseconds since 1970, of when it is drawn. */
  now: number;
};

/** The page itself. `incidents` are those of the ledger that are open, running, planned, or of the last 14 days. */
export type StatusPageView = PublicView & {
  historyDays: number;
  /** With response times and coverage. */
  summary: Summary;
  incidents: readonly LedgerEntry[];
};

/** The incidents that began in one month of UTC, newest first. */
export type HistoryPageView = PublicView & {
  /** `YYYY-MM`. */
  month: string;
  /** The neighbours that there is a page of. */
  earlier?: string;
  later?: string;
  incidents: readonly LedgerEntry[];
  /** Names of the services, by slug, in the language. */
  serviceNames: Readonly<Record<string, string>>;
};

/** One incident or maintenance, with its whole timeline. */
export type IncidentPageView = PublicView & {
  incident: LedgerEntry;
  serviceNames: Readonly<Record<string, string>>;
};
