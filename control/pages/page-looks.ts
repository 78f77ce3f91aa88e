import { type FooterLink, looksLimits, type PageBrand } from '../../contract/status-page.js';
import { ControlError } from '../../lib/control-error.js';
import type { Page } from './page.js';

const footerProtocols = ['http:', 'https:', 'mailto:'];

/** What the views of a page are given of it. `origin` is where it is reached, such as https://status.example.com. */
export function brandOf(page: Page, origin: string): PageBrand {
  const { slug, name, languages, defaultLanguage, accent, logoHash, footerLinks } = page;
  return {
    ...{ slug, name, origin, languages, defaultLanguage, footerLinks },
    ...(accent !== null && { accent }),
    ...(logoHash !== null && { logoPath: logoPathOf(logoHash) }),
  };
}

/** Path of a logo on the host of its page. */
export function logoPathOf(hash: string): string {
  return `/logo/${hash}`;
}

/** @throws ControlError unless it is a colour such as #3346d3. */
export function readAccent(text: string): string {
  const accent = text.toLowerCase();
  if (!/^#[0-9a-f]{6}$/.test(accent)) {
    throw new ControlError(`The accent colour must be like #3346d3, not "${text}".`);
  }
  return accent;
}

/**
 * Links as they are stored, their URLs written as the URL standard does.
 *
 * @throws ControlError for too many, a label that is empty or too long, and a URL that is malformed, too long, has a
 *   password, or leads anywhere else than to the web or into a mail program.
 */
export function readFooterLinks(links: readonly FooterLink[]): FooterLink[] {
  if (links.length > looksLimits.footerLinks) {
    throw new ControlError(
      `A page has at most ${looksLimits.footerLinks} footer links, not ${links.length}.`,
    );
  }
  return links.map(({ label, url }) => ({ label: readLabel(label), url: readFooterUrl(url) }));
}

function readLabel(text: string): string {
  const label = text.trim();
  const length = [...label].length;
  if (length < 1 || length > looksLimits.footerLabelChars || /\p{Cc}/u.test(label)) {
    throw new ControlError(
      `The label of a footer link must have 1 to ${looksLimits.footerLabelChars} characters on one line.`,
    );
  }
  return label;
}

function readFooterUrl(text: string): string {
  if (!URL.canParse(text)) throw new ControlError(`"${text.slice(0, 100)}" is not a URL.`);
  const { href, protocol, username, password } = new URL(text);
  if (!footerProtocols.includes(protocol)) {
    throw new ControlError(
      `A footer link must start with https://, http:// or mailto:, not with "${protocol.slice(0, 50)}".`,
    );
  }
  if (username !== '' || password !== '') {
    throw new ControlError('A footer link must not hold a user name or password.');
  }
  if (href.length > looksLimits.footerUrlChars) {
    throw new ControlError(`A footer link is longer than ${looksLimits.footerUrlChars} characters.`);
  }
  return href;
}
