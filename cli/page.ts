import { type Capability, capabilities } from '../contract/scopes.js';
import { type FooterLink, looksLimits } from '../contract/status-page.js';
import {
  changePage,
  createPage,
  listPages,
  loadPage,
  logoPathOf,
  type Page,
} from '../control/pages/index.js';
import { defineCommand } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatFields, formatTable } from './core/output.js';
import { oneOf, onOff, wholeNumber } from './core/parse-arguments.js';
import { loadLogo } from './logo.js';

/** The option by which commands of other nouns name the page. */
export const pageOption = { value: 'SLUG', help: 'the page', required: true } as const;

export const pageCommands = [
  defineCommand({
    name: 'page create',
    createsStores: true,
    summary: 'create a status page',
    help: 'Creates a status page and the account that owns it.',
    options: {
      slug: { value: 'SLUG', help: '1 to 63 of a-z, 0-9 and "-"', required: true },
      hostname: {
        value: 'NAME',
        help: 'the host name of the page, such as status.example.com',
        required: true,
      },
      name: { value: 'NAME', help: 'the name that readers see; the slug by default' },
      languages: {
        value: 'TAGS',
        help: 'languages of the page, such as en,fr; en by default',
        parse: parseLanguages,
      },
      defaultLanguage: { value: 'TAG', help: 'one of them; the first by default' },
      historyDays: {
        value: 'N',
        help: 'days of uptime that the page shows, 7 to 90; 90 by default',
        parse: wholeNumber,
      },
    },
    json: '',
    run: async (context, input) => printed(await createPage(await context.openControl(), input)),
  }),

  defineCommand({
    name: 'page set',
    summary: 'change a status page',
    help: 'Changes the settings that are named and keeps all others.',
    arguments: { slug: 'SLUG' },
    options: {
      name: { value: 'NAME', help: 'the name that readers see' },
      languages: {
        value: 'TAGS',
        help: `languages of the page, such as en,de; existing texts are translated into a new one. They stay in the \
default language, which must therefore be in the list`,
        parse: parseLanguages,
      },
      defaultLanguage: {
        value: 'TAG',
        help: 'one of them; can change only while the page has no monitor and no incident',
      },
      accent: { value: 'COLOUR|none', help: 'colour of links and buttons, such as #3346d3' },
      logo: {
        value: 'FILE|URL|none',
        help: `a PNG, JPEG, GIF, WebP or SVG image of at most ${looksLimits.logoBytes / 1024} KiB; an image at a URL is \
fetched once, now`,
      },
      footerLink: {
        value: 'LABEL=URL',
        help: 'a link at the bottom of the page; may be repeated, and replaces all existing links',
        multiple: true,
        parse: parseFooterLink,
        excludes: 'noFooterLinks',
      },
      noFooterLinks: { help: 'remove all footer links' },
      databaseHealth: {
        value: 'on|off',
        help: 'whether the page accepts and shows database health',
        parse: onOff,
      },
      monitoringPaused: { value: 'on|off', help: 'pause or resume the checks of the page', parse: onOff },
      incidentsFromMonitors: {
        value: 'on|off',
        help: 'whether an incident opens when a monitor goes down',
        parse: onOff,
      },
      historyDays: { value: 'N', help: 'days of uptime that the page shows, 7 to 90', parse: wholeNumber },
      responseTimesSince: {
        value: 'YYYY-MM-DD',
        help: 'first day of the response times that the page shows; the day of its creation or of an import at first',
      },
      capability: {
        value: 'NAME=on|off',
        help: `what the account of the page may do, for all its pages; NAME is ${capabilities.join(', ')}; may be repeated`,
        multiple: true,
        parse: parseCapability,
      },
    },
    json: '',
    async run(context, { slug, logo, noFooterLinks, ...input }) {
      const { accent, footerLink, databaseHealth, capability, ...unchanged } = input;
      const changes = {
        ...unchanged,
        ...(accent !== undefined && { accent: accent === 'none' ? null : accent }),
        ...(footerLink !== undefined && { footerLinks: footerLink }),
        ...(noFooterLinks && { footerLinks: [] }),
        ...(databaseHealth !== undefined && { databaseHealthEnabled: databaseHealth }),
        ...(capability !== undefined && { capabilities: Object.fromEntries(capability) }),
        // Loaded before any store is started for it.
        ...(logo !== undefined && { logo: await loadLogo(logo, context.config) }),
      };
      if (Object.keys(changes).length === 0) throw new UsageError('There is nothing to change.');
      const { pageId, ...deps } = await context.openPage(slug);
      return printed(await changePage(deps, pageId, changes));
    },
  }),

  defineCommand({
    name: 'page list',
    summary: 'list the status pages',
    help: 'Lists all status pages by slug.',
    json: '{"pages": [...]}',
    async run(context) {
      const pages = await listPages(await context.openControl());
      const rows = pages.map(({ slug, hostname, name, languages }) => [
        ...[slug, hostname, name],
        languages.join(','),
      ]);
      const empty = 'There is no page yet; create one with: heartline page create';
      return {
        json: { pages: pages.map(pageJson) },
        text: formatTable(['SLUG', 'HOSTNAME', 'NAME', 'LANGUAGES'], rows, empty),
      };
    },
  }),

  defineCommand({
    name: 'page show',
    summary: 'show one status page',
    help: 'Shows the settings of a status page.',
    arguments: { slug: 'SLUG' },
    json: '',
    async run(context, { slug }) {
      const { sql } = await context.openControl();
      return printed(await loadPage(sql, slug));
    },
  }),
];

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

function printed(page: Page): { json: object; text: string } {
  return { json: pageJson(page), text: pageText(page) };
}

function pageJson(page: Page): object {
  return {
    id: page.id,
    slug: page.slug,
    hostname: page.hostname,
    name: page.name,
    languages: page.languages,
    defaultLanguage: page.defaultLanguage,
    historyDays: page.historyDays,
    responseTimesSince: page.responseTimesSince,
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

function pageText(page: Page): string {
  return formatFields([
    ['slug', page.slug],
    ['id', page.id],
    ['name', page.name],
    ['hostname', page.hostname],
    ['languages', page.languages.join(', ')],
    ['default language', page.defaultLanguage],
    ['history', `${page.historyDays} days`],
    ['response times', `since ${page.responseTimesSince}`],
    ['monitoring', page.monitoringPaused ? 'paused' : 'on'],
    ['database health', page.databaseHealthEnabled ? 'on' : 'off'],
    ['monitor down', page.incidentsFromMonitors ? 'opens an incident' : 'opens no incident'],
    ['accent', page.accent ?? 'default'],
    ['logo', page.logoHash === null ? 'none' : logoPathOf(page.logoHash)],
    ...page.footerLinks.map(({ label, url }) => ['footer link', `${label}=${url}`] as const),
    ['capabilities', page.capabilities.join(', ') || 'none'],
    ['created', page.createdAt.toISOString()],
  ]);
}
