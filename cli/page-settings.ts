import type { Static } from 'typebox';
import type { ChangeManagedPage } from '../contract/manage/pages.js';
import { figureKinds, figureLimits, figureWindows } from '../contract/public/public-figures.js';
import {
  accessLimits,
  type FooterLink,
  looksLimits,
  ownerEmailsMax,
} from '../contract/public/status-page.js';
import { type Capability, capabilities } from '../contract/scopes.js';
import type { Config } from '../service/config.js';
import { UsageError } from './core/errors.js';
import { type Input, oneOf, onOff, wholeNumber } from './core/parse-arguments.js';
import { readInput } from './core/read-bounded.js';
import { loadLogo } from './logo.js';
import { parseFigure } from './page-figures.js';

/** The settings that `page create` and `page set` share. */
export const pageSettings = {
  hostname: { value: 'NAME', help: 'the host name of the page, such as status.example.com' },
  name: { value: 'NAME', help: 'the name that readers see; the slug at first' },
  languages: {
    value: 'TAGS',
    help: `languages of the page, such as en,de; en at first. Existing texts are translated into a new one. They stay in \
the default language, which must therefore be in the list`,
    parse: parseLanguages,
  },
  defaultLanguage: {
    value: 'TAG',
    help: 'one of them, the first at first; can change only while the page has no monitor and no incident',
  },
  accent: { value: 'COLOUR|none', help: 'colour of links and buttons, such as #3346d3' },
  logo: {
    value: 'FILE|URL|none',
    help: `a PNG, JPEG, GIF, WebP or SVG image of at most ${looksLimits.logoBytes / 1024} KiB; an image at a URL is \
fetched once, now`,
  },
  logoAlone: {
    value: 'on|off',
    help: 'whether the logo is shown without the name beside it; for logos that contain the name',
    parse: onOff,
  },
  footerLink: {
    value: 'LABEL=URL',
    help: 'a link at the bottom of the page; may be repeated, and replaces all existing links',
    multiple: true,
    parse: parseFooterLink,
    excludes: 'noFooterLinks',
  },
  noFooterLinks: { help: 'remove all footer links' },
  figure: {
    value: 'TITLE=SERVICE[,…]',
    help: `what the page publishes of the requests of a service, such as "Checkout=checkout,/orders,7d,p95,requests"; \
after the service, in any order: an endpoint, the time (${figureWindows.join(', ')}), and what it shows \
(${figureKinds.join(', ')}); may be repeated, up to ${figureLimits.figures} times, and replaces all existing figures`,
    multiple: true,
    parse: parseFigure,
    excludes: 'noFigures',
  },
  noFigures: { help: 'publish no figures of requests' },
  traceUrl: {
    value: 'URL|none',
    help: 'address of a trace in your tracing tool, to which samples of failures link, such as "https://tempo.example/trace/{traceId}"',
  },
  ownerEmail: {
    value: 'EMAIL',
    help: `who hears when deliveries of a webhook are parked or it is disabled; may be repeated, up to ${ownerEmailsMax} times, and \
replaces all existing ones`,
    multiple: true,
    excludes: 'noOwnerEmails',
  },
  noOwnerEmails: { help: 'remove all email addresses of owners' },
  databaseHealth: {
    value: 'on|off',
    help: 'whether the page accepts and shows database health; off at first',
    parse: onOff,
  },
  monitoringPaused: { value: 'on|off', help: 'pause or resume the checks of the page', parse: onOff },
  incidentsFromMonitors: {
    value: 'on|off',
    help: 'whether an incident opens when a monitor goes down; off at first',
    parse: onOff,
  },
  publicMetrics: {
    value: 'on|off',
    help: 'whether anybody may read the state of the monitors in the formats of Prometheus; off at first',
    parse: onOff,
  },
  private: {
    value: 'on|off',
    help: 'whether only those may read the page who know its password, come from an allowed address, or are signed in; off at first',
    parse: onOff,
  },
  allow: {
    value: 'ADDRESS',
    help: 'an address or a network such as 10.0.0.0/8 that may read a private page; may be repeated, and replaces all existing ones',
    multiple: true,
    excludes: 'noAllowed',
  },
  noAllowed: { help: 'remove all allowed addresses' },
  passwordFile: {
    value: 'FILE',
    help: 'a file with the password for readers of a private page, of at least 8 characters',
    excludes: 'noPassword',
  },
  noPassword: { help: 'remove the password for readers' },
  historyDays: {
    value: 'N',
    help: 'days of uptime that the page shows, 7 to 90; 90 at first',
    parse: wholeNumber,
  },
  responseTimesSince: {
    value: 'YYYY-MM-DD',
    help: 'first day of the response times that the page shows; the day of its creation or of an import at first',
    parse: parseDay,
  },
  timeZone: {
    value: 'ZONE',
    help: 'where maintenance is planned, such as Europe/Berlin; UTC at first',
  },
  capability: {
    value: 'NAME=on|off',
    help: `what the account of the page may do, for all its pages; NAME is ${capabilities.join(', ')}; may be repeated`,
    multiple: true,
    parse: parseCapability,
  },
} as const;

type SettingInput = Input<Record<never, string>, readonly [], typeof pageSettings>;

/** Changes of a page: the body of the API, and the parts that need a request or a look at the page of their own. */
export type PageChanges = {
  body: Omit<Static<typeof ChangeManagedPage>, 'capabilities'>;
  /** Capabilities that are turned on or off; the others stay. */
  capabilities: Partial<Record<Capability, boolean>> | undefined;
  /** null removes it. */
  logo: Buffer | null | undefined;
};

/**
 * Reads the settings; a missing one stays missing. Loads the logo, so that a wrong one is refused before any store is
 * started for it.
 */
export async function toPageChanges(input: SettingInput, config: Config): Promise<PageChanges> {
  const {
    accent,
    traceUrl,
    footerLink,
    noFooterLinks,
    figure,
    noFigures,
    databaseHealth,
    capability,
    logo,
    ownerEmail,
    noOwnerEmails,
    private: isPrivate,
    allow,
    noAllowed,
    passwordFile,
    noPassword,
    ...same
  } = input;
  const body = {
    ...same,
    ...(accent !== undefined && { accent: accent === 'none' ? null : accent }),
    ...(traceUrl !== undefined && { traceUrl: traceUrl === 'none' ? null : traceUrl }),
    ...(footerLink !== undefined && { footerLinks: footerLink }),
    ...(noFooterLinks && { footerLinks: [] }),
    ...(figure !== undefined && { figures: figure }),
    ...(noFigures && { figures: [] }),
    ...(ownerEmail !== undefined && { ownerEmails: ownerEmail }),
    ...(noOwnerEmails && { ownerEmails: [] }),
    ...(isPrivate !== undefined && { private: isPrivate }),
    ...(allow !== undefined && { allowedAddresses: allow }),
    ...(noAllowed && { allowedAddresses: [] }),
    ...(passwordFile !== undefined && { password: await readPassword(passwordFile) }),
    ...(noPassword && { password: null }),
    ...(databaseHealth !== undefined && { databaseHealth }),
  };
  return {
    body,
    capabilities: capability && Object.fromEntries(capability),
    logo: logo === undefined ? undefined : await loadLogo(logo, config),
  };
}

/** @throws UsageError for a file that cannot be read, and for a password that is too short or too long */
async function readPassword(path: string): Promise<string> {
  const text = await readInput(path).catch((error: unknown) => {
    throw new UsageError(`The password could not be read: ${error instanceof Error ? error.message : error}`);
  });
  const password = text.replace(/\r?\n$/, '');
  const { passwordCharsMin: min, passwordCharsMax: max } = accessLimits;
  if (password.length >= min && password.length <= max) return password;
  throw new UsageError(`The password must have ${min} to ${max} characters.`);
}

function parseDay(text: string, option: string): string {
  const time = Date.parse(`${text}T00:00:00Z`);
  const isDay =
    !Number.isNaN(time) && /^\d{4}-\d\d-\d\d$/.test(text) && new Date(time).toISOString().startsWith(text);
  if (isDay) return text;
  throw new UsageError(`${option} must be a day such as 2026-01-31, not "${text.slice(0, 40)}".`);
}

function parseLanguages(text: string): string[] {
  return text.split(',').map((tag) => tag.trim());
}

function parseFooterLink(text: string): FooterLink {
  const at = text.indexOf('=');
  if (at === -1) {
    throw new UsageError(`--footer-link must be like Imprint=https://example.com, not "${text}".`);
  }
  return { label: text.slice(0, at), url: text.slice(at + 1) };
}

function parseCapability(text: string): readonly [Capability, boolean] {
  const [name = '', state = ''] = text.split('=', 2);
  return [oneOf(name, capabilities, '--capability'), onOff(state, `--capability ${name}`)];
}
