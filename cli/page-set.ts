import { type Capability, capabilities } from '../contract/scopes.js';
import type { FooterLink } from '../contract/status-page.js';
import { type SetPageInput, setPage } from '../control/pages/set-page.js';
import type { Command } from './command.js';
import { pageJson, pageText } from './page-view.js';
import { oneOf, onOff, parseOptions, wholeNumber } from './parse-options.js';
import { readLogoFrom } from './read-logo.js';
import { UsageError } from './usage-error.js';

export const pageSet: Command = {
  name: 'page set',
  summary: 'change a status page',
  help: `heartline page set SLUG [options]

Changes what is named and leaves the rest as it is.

  --name NAME                 what people read
  --languages TAGS            languages of the page, such as en,de; texts that a new one lacks
                              are translated. Texts stay in the default language, so that one
                              of them has to be it
  --default-language TAG      one of them; only while the page has no monitor and no incident
  --accent COLOUR|none        colour of links and buttons, such as #3346d3
  --logo FILE|URL|none        a PNG, JPEG, GIF, WebP or SVG image of at most 100 KiB; one from a URL
                              is fetched now and kept
  --footer-link LABEL=URL     a link at the bottom of the page; may be repeated, and takes the place
                              of all that were there
  --no-footer-links           none
  --database-health on|off    take and show database health of this page
  --monitoring-paused on|off  stop the checks of this page, or go on
  --incidents-from-monitors on|off
                              open an incident when a monitor goes down
  --history-days N            days of uptime that the page shows, 7 to 90
  --capability NAME=on|off    what the account of the page may do, for all its pages;
                              NAME is ${capabilities.join(', ')}; may be repeated
  --json                      print one JSON object
`,
  async run(context, argv) {
    const options = {
      name: { type: 'string' },
      languages: { type: 'string' },
      'default-language': { type: 'string' },
      accent: { type: 'string' },
      logo: { type: 'string' },
      'footer-link': { type: 'string', multiple: true },
      'no-footer-links': { type: 'boolean' },
      'database-health': { type: 'string' },
      'monitoring-paused': { type: 'string' },
      'incidents-from-monitors': { type: 'string' },
      'history-days': { type: 'string' },
      capability: { type: 'string', multiple: true },
      json: { type: 'boolean' },
    } as const;
    const { values, positionals } = parseOptions(argv, options, ['SLUG']);
    const [slug = ''] = positionals;
    const databaseHealth = values['database-health'];
    const monitoringPaused = values['monitoring-paused'];
    const fromMonitors = values['incidents-from-monitors'];
    const historyDays = values['history-days'];
    const changes = {
      ...readLooks(values),
      ...(databaseHealth !== undefined && {
        databaseHealthEnabled: onOff(databaseHealth, '--database-health'),
      }),
      ...(monitoringPaused !== undefined && {
        monitoringPaused: onOff(monitoringPaused, '--monitoring-paused'),
      }),
      ...(fromMonitors !== undefined && {
        incidentsFromMonitors: onOff(fromMonitors, '--incidents-from-monitors'),
      }),
      ...(historyDays !== undefined && { historyDays: wholeNumber(historyDays, '--history-days') }),
      ...(values.capability !== undefined && { capabilities: readCapabilities(values.capability) }),
      // Before any store is started for it.
      ...(values.logo !== undefined && { logo: await readLogoFrom(values.logo, context.config) }),
    };
    if (Object.keys(changes).length === 0) throw new UsageError('There is nothing to change.');
    const sql = await context.openSql();
    const page = await setPage({ sql, clock: context.clock }, { slug, ...changes });
    context.print(values.json ? pageJson(page) : pageText(page));
  },
};

type LookValues = {
  name?: string | undefined;
  languages?: string | undefined;
  'default-language'?: string | undefined;
  accent?: string | undefined;
  'footer-link'?: string[] | undefined;
  'no-footer-links'?: boolean | undefined;
};

function readLooks(values: LookValues): Omit<SetPageInput, 'slug'> {
  const { name, languages, accent } = values;
  const defaultLanguage = values['default-language'];
  const footerLinks = values['footer-link'];
  if (footerLinks !== undefined && values['no-footer-links']) {
    throw new UsageError('--footer-link and --no-footer-links exclude each other.');
  }
  return {
    ...(name !== undefined && { name }),
    ...(languages !== undefined && { languages: languages.split(',').map((tag) => tag.trim()) }),
    ...(defaultLanguage !== undefined && { defaultLanguage }),
    ...(accent !== undefined && { accent: accent === 'none' ? null : accent }),
    ...(footerLinks !== undefined && { footerLinks: footerLinks.map(readFooterLink) }),
    ...(values['no-footer-links'] && { footerLinks: [] }),
  };
}

function readFooterLink(text: string): FooterLink {
  const at = text.indexOf('=');
  if (at === -1)
    throw new UsageError(`--footer-link must be like Imprint=https://example.com, not "${text}".`);
  return { label: text.slice(0, at), url: text.slice(at + 1) };
}

function readCapabilities(settings: string[]): Partial<Record<Capability, boolean>> {
  const entries = settings.map((setting) => {
    const [name = '', state = ''] = setting.split('=', 2);
    return [oneOf(name, capabilities, '--capability'), onOff(state, `--capability ${name}`)] as const;
  });
  return Object.fromEntries(entries);
}
