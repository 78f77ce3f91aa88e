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
  /** Newest incidents that the days of services name. */
  incidentsOfDays: 200,
} as const;

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
