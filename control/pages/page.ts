import type { Capability } from '../../contract/scopes.js';
import type { FooterLink } from '../../contract/status-page.js';
import { ControlError } from '../../lib/control-error.js';
import type { PageId } from '../../lib/ids.js';

/** A status page, with what its account may do. */
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
  monitoringPaused: boolean;
  databaseHealthEnabled: boolean;
  /** Whether a monitor that goes down opens an incident. */
  incidentsFromMonitors: boolean;
  /** `#rrggbb`; null for the usual colour. */
  accent: string | null;
  footerLinks: FooterLink[];
  /** Of the bytes of its logo, which findLogo() has; null without one. */
  logoHash: string | null;
  createdAt: Date;
  capabilities: Capability[];
};

const languagesMax = 50;

/** @throws ControlError unless it is 1 to 63 of a-z, 0-9 and `-`. */
export function checkSlug(slug: string): void {
  if (!/^[a-z0-9-]{1,63}$/.test(slug)) {
    throw new ControlError(`The slug "${slug}" must be 1 to 63 of the characters a-z, 0-9 and "-".`);
  }
}

/**
 * The name as it is compared with a request's Host: lower case, without a final dot.
 *
 * @throws ControlError for what is no host name: a URL, a port, an empty label.
 */
export function normalizeHostname(hostname: string): string {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
  if (name.length > 253 || !new RegExp(`^${label}(?:\\.${label})*$`).test(name)) {
    throw new ControlError(
      `"${hostname}" is not a host name; give it like status.example.com, without scheme or port.`,
    );
  }
  return name;
}

/** @throws ControlError unless it has 1 to 200 characters. */
export function checkName(name: string): void {
  const length = [...name].length;
  if (length < 1 || length > 200) throw new ControlError('The name of a page must have 1 to 200 characters.');
}

/** @throws ControlError unless it is a whole number from 7 to 90. */
export function checkHistoryDays(days: number): void {
  if (!Number.isInteger(days) || days < 7 || days > 90) {
    throw new ControlError(`The history of a page must be 7 to 90 days, not ${days}.`);
  }
}

/**
 * Canonical forms of the tags (`EN-us` becomes `en-US`), and the default among them; the first one by default.
 *
 * @throws ControlError for a malformed or repeated tag, none or more than 50, or a default that is not listed.
 */
export function normalizeLanguages(
  tags: readonly string[],
  defaultTag: string | undefined,
): { languages: string[]; defaultLanguage: string } {
  const languages = tags.map(canonicalLanguage);
  const [first] = languages;
  if (first === undefined || languages.length > languagesMax) {
    throw new ControlError(`A page needs 1 to ${languagesMax} languages.`);
  }
  const repeated = languages.find((language, index) => languages.indexOf(language) < index);
  if (repeated !== undefined) throw new ControlError(`The language "${repeated}" is listed twice.`);
  const defaultLanguage = defaultTag === undefined ? first : canonicalLanguage(defaultTag);
  if (!languages.includes(defaultLanguage)) {
    throw new ControlError(
      `The default language "${defaultLanguage}" must be one of the page's languages: ${languages.join(', ')}.`,
    );
  }
  return { languages, defaultLanguage };
}

function canonicalLanguage(tag: string): string {
  try {
    const [language] = Intl.getCanonicalLocales(tag);
    if (language !== undefined) return language;
  } catch {
    // Falls through to the one sentence for every malformed tag.
  }
  throw new ControlError(`"${tag}" is not a language tag; give one like en, fr or pt-BR.`);
}
