import type { LedgerEntry } from '../incidents.js';
import type { Service, Summary } from './summary.js';

/** Email addresses of the owners of a page. */
export const ownerEmailsMax = 5;

/** Limits of who may read a private page. */
export const accessLimits = { addresses: 100, passwordCharsMin: 8, passwordCharsMax: 200 } as const;

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
  /** Incidents on a page of a month, and the pages of a month; the newest. */
  incidentsOfHistoryPage: 50,
  historyPages: 100,
  /** Newest incidents that the days of services name. */
  incidentsOfDays: 200,
  feedIncidents: 50,
} as const;

/** How much of the texts of incidents a view has room for; the newest. */
export type TextRoom = {
  /** Per incident. */
  updates: number;
  /** Characters of each text; the rest is cut off at the end of a paragraph, a line or a word. */
  textChars: number;
  /** Bytes of UTF-8 of all texts together. Those for which no room is left are absent as a whole. */
  textBytes: number;
};

/** A text is parsed whole before the status view cuts it to at most 1,000 characters, and a past one to 280. */
export const textRooms = {
  status: { updates: 3, textChars: 4_000, textBytes: 100_000 },
  history: { updates: 1, textChars: 2_000, textBytes: 100_000 },
  /** Room for the largest incident. */
  incident: { updates: 200, textChars: 40_000, textBytes: 300_000 },
  feed: { updates: 20, textChars: 40_000, textBytes: 250_000 },
} as const satisfies Record<string, TextRoom>;

type Texts = LedgerEntry['title'];

/** An entry of the ledger as a view shows it, with its texts in the language of the view and in the default language. */
export type ShownIncident = Omit<LedgerEntry, 'summary' | 'updates'> & {
  /** null when the view has no room for it. */
  summary: Texts | null;
  /** The newest of its updates, oldest first; a body is null when the view has no room for it. */
  updates: readonly ShownUpdate[];
  /** How many updates it has; absent when `updates` has all of them. */
  updateCount?: number;
  /** Only in views that show it. */
  postmortem?: ShownPostmortem;
};

/** The lessons of an incident that is over. */
export type ShownPostmortem = { body: Texts; publishedAt: string };

export type ShownUpdate = Omit<LedgerEntry['updates'][number], 'body'> & { body: Texts | null };

/** A service of a summary with coverage, as views show it. What is absent is not known, or there is none. */
export type ShownService = Service & {
  id: string;
  createdAt: string;
  /** Whether it has no checks: its state is what people say. */
  isManual?: boolean;
  /** Since when it answers too slowly; null while it does not. */
  degradedSince?: string | null;
  /** By day in UTC; days without are absent. */
  dailyMinutesDegraded?: Readonly<Record<string, number>>;
  /** Time in the history that the page shows. */
  observed?: { observedMs: number; upMs: number };
  /** For visitors, by language. */
  descriptions?: Readonly<Record<string, string>>;
  /** Where visitors find the service. */
  link?: string | null;
};

/** The summary with coverage of a page, as views show it. */
export type PageSummary = Omit<Summary, 'services'> & { services: readonly ShownService[] };

/** Services that a page shows under a name. */
export type ServiceGroup = {
  id: string;
  createdAt: string;
  slug: string;
  /** In the default language of the page; `names` has its other names, by language. */
  name: string;
  names: Readonly<Record<string, string>>;
  /** Whether it is closed at first, while all of its services are operational. */
  collapsed: boolean;
  /** Slugs, at least one. */
  services: readonly string[];
};

/** An incident that is open, or a maintenance that is not over: the state of a page depends on these. */
export type CurrentIncident = Pick<
  LedgerEntry,
  | 'id'
  | 'type'
  | 'services'
  | 'impact'
  | 'serviceStates'
  | 'startedAt'
  | 'resolvedAt'
  | 'maintenanceState'
  | 'title'
>;

/** An incident or a maintenance that has begun, as the days of services name it. Times are ISO 8601 texts. */
export type DayIncident = {
  id: string;
  /** By language. */
  title: Readonly<Record<string, string>>;
  /** Slugs of the services. */
  services: readonly string[];
  startedAt: string;
  /** null while it continues. */
  endedAt: string | null;
};

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
  /** IANA name of the zone by whose clock times are written; UTC when absent. */
  timeZone?: string;
  /** `#rrggbb`. */
  accent?: string;
  /** Path of the logo on the host of the page; it contains a version. */
  logoPath?: string;
  /** Whether the logo stands without the name beside it. Only with a logo. */
  logoAlone?: boolean;
  footerLinks: readonly FooterLink[];
};

/** Path of the logo with this hash on the host of its page. */
export const logoPathOf = (hash: string): string => `/logo/${hash}`;
