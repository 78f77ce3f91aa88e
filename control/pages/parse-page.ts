import postgres from 'postgres';
import { isLine, lineRule } from '../../contract/line.js';
import {
  accessLimits,
  type FooterLink,
  looksLimits,
  ownerEmailsMax,
} from '../../contract/public/status-page.js';
import { parseEmailAddress } from '../../lib/email-address.js';
import { parseLanguage } from '../../lib/locale/language.js';
import { findTimeZone } from '../../lib/locale/time.js';
import { isNetwork } from '../../lib/networks.js';
import { ServiceError } from '../../lib/service-error.js';
import { parseTimestamp } from '../../lib/timestamp.js';
import { toTitle } from '../../lib/visible-line.js';

/**
 * Addresses of readers, without repetition.
 *
 * @throws ServiceError `invalidBody` for more than 100, and for what is neither an address nor a network
 */
export function parseAllowedAddresses(texts: readonly string[]): string[] {
  const addresses = [...new Set(texts.map((text) => text.trim()))];
  if (addresses.length > accessLimits.addresses) {
    throw invalidPage(
      '/allowedAddresses',
      `A page can let in at most ${accessLimits.addresses} addresses and networks.`,
    );
  }
  const wrong = addresses.find((address) => !isNetwork(address));
  if (wrong === undefined) return addresses;
  throw invalidPage(
    '/allowedAddresses',
    `"${wrong.slice(0, 100)}" is neither an address nor a network; give one like 192.0.2.7 or 10.0.0.0/8.`,
  );
}

const footerProtocols = ['http:', 'https:', 'mailto:'];

const languagesMax = 50;

/**
 * The host name in the form that requests are compared with: lower case, without a final dot.
 *
 * @throws ServiceError `invalidBody` for a URL, a port, an empty label, or anything else that is not a host name.
 */
export function parseHostname(hostname: string): string {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
  if (name.length > 253 || !new RegExp(`^${label}(?:\\.${label})*$`).test(name)) {
    throw invalidPage(
      '/hostname',
      `"${hostname}" is not a host name; give it like status.example.com, without scheme or port.`,
    );
  }
  return name;
}

/** @throws ServiceError `invalidBody` unless the name has 1 to 200 characters, all on one line. */
export function checkName(name: string): void {
  const length = [...name].length;
  if (length < 1 || length > 200)
    throw invalidPage('/name', 'The name of a page must have 1 to 200 characters.');
  if (!isLine('line', name)) throw invalidPage('/name', `The name of a page ${lineRule('line')}.`);
}

/** @throws ServiceError `invalidBody` unless the days are a whole number from 7 to 90. */
export function checkHistoryDays(days: number): void {
  if (!Number.isInteger(days) || days < 7 || days > 90) {
    throw invalidPage('/historyDays', `The history of a page must be 7 to 90 days, not ${days}.`);
  }
}

/** @throws ServiceError `invalidBody` unless the text is a day such as 2026-01-31, and not after today in UTC. */
export function checkFirstDay(day: string, now: number): void {
  const today = new Date(now).toISOString().slice(0, 10);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(parseTimestamp(`${day}T00:00:00Z`))) {
    throw invalidPage('/responseTimesSince', `"${day.slice(0, 40)}" is not a day; give one like 2026-01-31.`);
  }
  if (day > today) {
    throw invalidPage(
      '/responseTimesSince',
      `Response times cannot begin after today, which is ${today} in UTC; ${day} is later.`,
    );
  }
}

/**
 * The name of a time zone in the form in which the time zone database has it.
 *
 * @throws ServiceError `invalidBody` for a zone that this server does not know, and for an offset: clocks that change
 *   need a place.
 */
export function parseTimeZone(name: string): string {
  const zone = findTimeZone(name);
  if (zone !== undefined) return zone;
  throw invalidPage(
    '/timeZone',
    `"${name.slice(0, 64)}" is not a time zone; give one like Europe/Berlin or UTC.`,
  );
}

/**
 * Canonical forms of the tags (`EN-us` becomes `en-US`), and the default language, which is the first one unless given.
 *
 * @throws ServiceError `invalidBody` for a malformed or repeated tag, for no tag or more than 50, or for a default that
 *   is not listed.
 */
export function parseLanguages(
  tags: readonly string[],
  defaultTag: string | undefined,
): { languages: string[]; defaultLanguage: string } {
  const languages = tags.map(canonicalLanguage);
  const [first] = languages;
  if (first === undefined || languages.length > languagesMax) {
    throw invalidPage('/languages', `A page needs 1 to ${languagesMax} languages.`);
  }
  const repeated = languages.find((language, index) => languages.indexOf(language) < index);
  if (repeated !== undefined) throw invalidPage('/languages', `The language "${repeated}" is listed twice.`);
  const defaultLanguage = defaultTag === undefined ? first : canonicalLanguage(defaultTag);
  if (!languages.includes(defaultLanguage)) {
    throw invalidPage(
      '/defaultLanguage',
      `The default language "${defaultLanguage}" must be one of the page's languages: ${languages.join(', ')}.`,
    );
  }
  return { languages, defaultLanguage };
}

function canonicalLanguage(tag: string): string {
  const language = parseLanguage(tag);
  if (language !== undefined) return language;
  throw invalidPage('/languages', `"${tag}" is not a language tag; give one like en, fr or pt-BR.`);
}

/**
 * A colour such as #3346d3, in lower case.
 *
 * @throws ServiceError `invalidBody` for anything else.
 */
export function parseAccent(text: string): string {
  const accent = text.toLowerCase();
  if (!/^#[0-9a-f]{6}$/.test(accent)) {
    throw invalidPage('/accent', `The accent colour must be like #3346d3, not "${text}".`);
  }
  return accent;
}

/**
 * Footer links in the form that is stored, with the URLs as the URL standard serializes them.
 *
 * @throws ServiceError `invalidBody` for too many links, for an empty or overlong label, and for a URL that is
 *   malformed, too long, contains a password, or is not an http, https or mailto URL.
 */
export function parseFooterLinks(links: readonly FooterLink[]): FooterLink[] {
  if (links.length > looksLimits.footerLinks) {
    throw invalidPage(
      '/footerLinks',
      `A page has at most ${looksLimits.footerLinks} footer links, not ${links.length}.`,
    );
  }
  return links.map(({ label, url }) => ({ label: parseLabel(label), url: parseFooterUrl(url) }));
}

function parseLabel(text: string): string {
  const label = toTitle(text, looksLimits.footerLabelChars);
  const length = [...label].length;
  if (length > looksLimits.footerLabelChars || !isLine('title', label)) {
    throw invalidPage(
      '/footerLinks',
      `The label of a footer link must have 1 to ${looksLimits.footerLabelChars} characters, and ${lineRule('title')}.`,
    );
  }
  return label;
}

function parseFooterUrl(text: string): string {
  if (!URL.canParse(text)) throw invalidPage('/footerLinks', `"${text.slice(0, 100)}" is not a URL.`);
  const { href, protocol, username, password } = new URL(text);
  if (!footerProtocols.includes(protocol)) {
    throw invalidPage(
      '/footerLinks',
      `A footer link must start with https://, http:// or mailto:, not with "${protocol.slice(0, 50)}".`,
    );
  }
  if (username !== '' || password !== '') {
    throw invalidPage('/footerLinks', 'A footer link must not hold a user name or password.');
  }
  if (href.length > looksLimits.footerUrlChars) {
    throw invalidPage(
      '/footerLinks',
      `A footer link is longer than ${looksLimits.footerUrlChars} characters.`,
    );
  }
  return href;
}

/**
 * Addresses of owners in the form in which emails are sent to them, each once.
 *
 * @throws ServiceError `invalidBody` for too many, and for a text that is no address.
 */
export function parseOwnerEmails(texts: readonly string[]): string[] {
  const addresses = new Set(texts.map(parseOwnerEmail));
  if (addresses.size > ownerEmailsMax) {
    throw invalidPage(
      '/ownerEmails',
      `A page has at most ${ownerEmailsMax} email addresses of owners, not ${addresses.size}.`,
    );
  }
  return [...addresses];
}

function parseOwnerEmail(text: string): string {
  const address = parseEmailAddress(text);
  if (address === undefined)
    throw invalidPage('/ownerEmails', `"${text.slice(0, 40)}" is not an email address.`);
  return address;
}

/** Returns the error for a value that a page cannot have. `field` is the JSON pointer of the value. */
export function invalidPage(field: string | undefined, message: string): ServiceError {
  return new ServiceError('invalidBody', { field, message });
}

/** Returns the error for a slug or a host name that another page has; every other error as it is. */
export function explainTaken(
  error: unknown,
  { slug, hostname }: { slug?: string; hostname?: string },
): unknown {
  if (!(error instanceof postgres.PostgresError)) return error;
  if (error.constraint_name === 'pages_slug_unique') {
    return new ServiceError('conflict', {
      ...{ code: 'page.slug_taken', field: '/slug' },
      message: `The slug "${slug}" is taken by another page.`,
      hint: `Choose another slug, or change that page with: heartline page set ${slug}`,
    });
  }
  if (error.constraint_name === 'pages_hostname_unique') {
    return new ServiceError('conflict', {
      ...{ code: 'page.hostname_taken', field: '/hostname' },
      message: `The host name "${hostname}" is taken by another page.`,
      hint: 'Choose another host name, or see which page has it with: heartline page list',
    });
  }
  return error;
}
