import { logoPathOf } from '../contract/status-page.js';
import { changePage, createPage, listPages, loadPage, type Page } from '../control/pages/index.js';
import { pageOrigin } from '../lib/page-origin.js';
import type { CommandContext } from './core/context.js';
import { defineCommand, type Output } from './core/define-command.js';
import { formatFields, formatTable } from './core/output.js';
import { nothingToChange } from './core/refusals.js';
import { pageSettings, toPageChanges } from './page-settings.js';

/** The option by which commands of other nouns name the page. */
export const pageOption = { value: 'SLUG', help: 'the page', required: true } as const;

/** The page of a command on pages: its slug, with or without the name of the option. */
const reference = { arguments: { slug: 'SLUG' }, argumentsUnless: ['slug'] } as const;
const slugOption = { value: 'SLUG', help: 'the page; the same as SLUG without the option' } as const;

export const pageCommands = [
  defineCommand({
    ...reference,
    name: 'page create',
    createsStores: true,
    summary: 'create a status page',
    help: 'Creates a status page and the account that owns it, and prints its address and what to do next.',
    options: {
      slug: { ...slugOption, help: 'its name in the API, 1 to 63 of a-z, 0-9 and "-"; cannot be changed' },
      ...pageSettings,
      hostname: { ...pageSettings.hostname, required: true },
    },
    json: '',
    async run(context, { slug, hostname, ...input }) {
      const settings = await toPageChanges(input, context.config);
      const page = await createPage(await context.openControl(), { ...settings, slug, hostname });
      const { json, text } = await printed(context, page);
      return { json, text: `${text}\n${await nextSteps(context, page)}` };
    },
  }),

  defineCommand({
    ...reference,
    name: 'page set',
    summary: 'change a status page',
    help: 'Changes the settings that are named and keeps all others.',
    options: { slug: slugOption, ...pageSettings },
    json: '',
    async run(context, { slug, ...input }) {
      const changes = await toPageChanges(input, context.config);
      if (Object.keys(changes).length === 0) throw nothingToChange('--name NAME');
      const { pageId, ...deps } = await context.openPage(slug);
      return printed(context, await changePage(deps, pageId, changes));
    },
  }),

  defineCommand({
    name: 'page list',
    summary: 'list the status pages',
    help: 'Lists all status pages by slug.',
    json: '{"pages": [...]}',
    async run(context) {
      const pages = await listPages(await context.openControl());
      const serviceUrl = await context.serviceUrl();
      const rows = pages.map(({ slug, hostname, name, languages }) => [
        ...[slug, hostname, name],
        languages.join(','),
      ]);
      const empty = 'There is no page yet; create one with: heartline page create';
      return {
        json: { pages: pages.map((page) => pageJson(page, serviceUrl)) },
        text: formatTable(['SLUG', 'HOSTNAME', 'NAME', 'LANGUAGES'], rows, empty),
      };
    },
  }),

  defineCommand({
    ...reference,
    name: 'page show',
    summary: 'show one status page',
    help: 'Shows the settings of a status page.',
    options: { slug: slugOption },
    json: '',
    async run(context, { slug }) {
      const { sql } = await context.openControl();
      return printed(context, await loadPage(sql, slug));
    },
  }),
];

async function printed(context: CommandContext, page: Page): Promise<Output> {
  const serviceUrl = await context.serviceUrl();
  return { json: pageJson(page, serviceUrl), text: pageText(page, serviceUrl) };
}

/** The address under which readers open a page. */
function pageUrl({ hostname }: Page, serviceUrl: string): string {
  return `${pageOrigin(new URL(serviceUrl), hostname)}/`;
}

/** Commands to paste one after the other: the third one uses the key of the second. */
async function nextSteps(context: CommandContext, { slug }: Page): Promise<string> {
  const { commandPrefix: heartline } = context;
  const event = '[{"service":"shop","endpoint":"/cart/:id","status":200,"ms":12.5}]';
  return `Next, monitor a server, create a key, and send an event:
  ${heartline} monitor create --page ${slug} --slug website --name Website --type http --url https://example.com/
  export INGEST_KEY=$(${heartline} key create --page ${slug} --scope ingest --name first | head -n 1)
  curl -s ${await context.serviceUrl()}/api/v1/events -H "Authorization: Bearer $INGEST_KEY" -d '${event}'
`;
}

function pageJson(page: Page, serviceUrl: string): object {
  return {
    id: page.id,
    slug: page.slug,
    hostname: page.hostname,
    url: pageUrl(page, serviceUrl),
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
    logoAlone: page.logoAlone,
    ownerEmails: page.ownerEmails,
    capabilities: page.capabilities,
    createdAt: page.createdAt.toISOString(),
  };
}

function pageText(page: Page, serviceUrl: string): string {
  return formatFields([
    ['slug', page.slug],
    ['id', page.id],
    ['name', page.name],
    ['hostname', page.hostname],
    ['address', pageUrl(page, serviceUrl)],
    ['languages', page.languages.join(', ')],
    ['default language', page.defaultLanguage],
    ['history', `${page.historyDays} days`],
    ['response times', `since ${page.responseTimesSince}`],
    ['monitoring', page.monitoringPaused ? 'paused' : 'on'],
    ['database health', page.databaseHealthEnabled ? 'on' : 'off'],
    ['monitor down', page.incidentsFromMonitors ? 'opens an incident' : 'opens no incident'],
    ['accent', page.accent ?? 'default'],
    ['logo', page.logoHash === null ? 'none' : logoPathOf(page.logoHash)],
    ['logo shown', page.logoAlone ? 'alone' : 'with the name'],
    ...page.footerLinks.map(({ label, url }) => ['footer link', `${label}=${url}`] as const),
    ['owner emails', page.ownerEmails.join(', ') || 'none'],
    ['capabilities', page.capabilities.join(', ') || 'none'],
    ['created', page.createdAt.toISOString()],
  ]);
}
