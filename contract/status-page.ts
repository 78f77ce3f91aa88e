import type { LedgerEntry } from './incidents.js';
import type { Summary } from './summary.js';

/** Limits of the appearance of a page. */
export const looksLimits = {
  logoBytes: 100 * 1024,
  footerLinks: 8,
  footerLabelChars: 60,
  footerUrlChars: 500,
} as const;

/** Limits of the content of the views of a page. */
export const viewLimits = {
  /** Past days that the status view shows besides today. */
  recentDays: 14,
  recentIncidents: 200,
  incidentsOfMonth: 500,
} as const;

export type FooterLink = { label: string; url: string };

/** The identity of a page, which every view shows. */
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
  /** Path of the logo on the host of the page; it contains a version. */
  logoPath?: string;
  footerLinks: readonly FooterLink[];
};

/** Input of every public view. */
export type PublicView = {
  brand: PageBrand;
  /** One of the languages of the page. */
  language: string;
  /** Time of the rendering, in milliseconds since the epoch. */
  now: number;
};

/** Input of the status view. `incidents` are the open, running, planned and recent ones (14 days) of the ledger. */
export type StatusPageView = PublicView & {
  historyDays: number;
  /** The summary with response times and coverage. */
  summary: Summary;
  incidents: readonly LedgerEntry[];
};

/** Input of the history view: the incidents that began in one month of UTC, newest first. */
export type HistoryPageView = PublicView & {
  /** `YYYY-MM`. */
  month: string;
  /** The neighbouring months that have a view. */
  earlier?: string;
  later?: string;
  incidents: readonly LedgerEntry[];
  /** Names of the services in the language, by slug. */
  serviceNames: Readonly<Record<string, string>>;
};

/** Input of the incident view: one incident or maintenance with its whole timeline. */
export type IncidentPageView = PublicView & {
  incident: LedgerEntry;
  serviceNames: Readonly<Record<string, string>>;
};
