import type { ManagedPage } from '../contract/manage/pages.js';
import type { CommandContext } from './core/context.js';
import { defineCommand, type Output } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatFields, formatTable } from './core/output.js';
import { nothingToChange } from './core/refusals.js';
import { pageSettings, toPageChanges } from './page-settings.js';
import { pagesOf } from './ports/pages.js';

/** The option by which commands of other nouns name the page. */
export const pageOption = { value: 'SLUG', help: 'the page', required: true } as const;

/** The page of a command on pages: its slug, with or without the name of the option. */
const reference = { arguments: { slug: 'SLUG' }, argumentsUnless: ['slug'] } as const;
const slugOption = { value: 'SLUG', help: 'the page; the same as SLUG without the option' } as const;

export const pageCommands = [
  defineCommand({
    ...reference,
    runsRemotely: true,
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
      const page = await pagesOf(context).create({ ...settings, slug, hostname });
      return { json: page, text: `${pageText(page)}\n${await nextSteps(context, page)}` };
    },
  }),

  defineCommand({
    ...reference,
    runsRemotely: true,
    name: 'page set',
    summary: 'change a status page',
    help: 'Changes the settings that are named and keeps all others.',
    options: { slug: slugOption, ...pageSettings },
    json: '',
    async run(context, { slug, ...input }) {
      const changes = await toPageChanges(input, context.config);
      if (Object.keys(changes).length === 0) throw nothingToChange('--name NAME');
      return printed(await pagesOf(context).change(slug, changes));
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'page list',
    summary: 'list the status pages',
    help: 'Lists all status pages by slug; over HTTP, those that the key may read.',
    json: '{"pages": [...]}',
    async run(context) {
      const pages = await pagesOf(context).list();
      const rows = pages.map(({ slug, hostname, name, languages }) => [
        ...[slug, hostname, name],
        languages.join(','),
      ]);
      const empty = `There is no page yet; create one with: ${context.commandPrefix} page create`;
      return {
        json: { pages },
        text: formatTable(['SLUG', 'HOSTNAME', 'NAME', 'LANGUAGES'], rows, empty),
      };
    },
  }),

  defineCommand({
    ...reference,
    runsRemotely: true,
    name: 'page show',
    summary: 'show one status page',
    help: 'Shows the settings of a status page.',
    options: { slug: slugOption },
    json: '',
    async run(context, { slug }) {
      return printed(await pagesOf(context).show(slug));
    },
  }),

  defineCommand({
    ...reference,
    runsRemotely: true,
    name: 'page delete',
    summary: 'delete a status page',
    help: `Deletes a page for good. Its keys, checks and deliveries stop at once, its slug and host name are free, and its data is
removed in the background. Over HTTP this needs a key of the installation.`,
    options: {
      slug: slugOption,
      confirm: {
        value: 'SLUG',
        help: 'the slug once more, to prevent deleting the wrong page',
        required: true,
      },
    },
    json: '{"slug"}',
    async run(context, { slug, confirm }) {
      if (confirm !== slug) throw new UsageError(`--confirm must be the slug of the page, ${slug}.`);
      await pagesOf(context).remove(slug);
      return { json: { slug }, text: `${slug} is deleted.\n` };
    },
  }),
];

function printed(page: ManagedPage): Output {
  return { json: page, text: pageText(page) };
}

/** Commands to paste one after the other: the third one uses the key of the second. */
async function nextSteps(context: CommandContext, { slug }: ManagedPage): Promise<string> {
  const { commandPrefix: heartline } = context;
  const event = '[{"service":"shop","endpoint":"/cart/:id","status":200,"ms":12.5}]';
  return `Next, monitor a server, create a key, and send an event:
  ${heartline} monitor create --page ${slug} --slug website --name Website --type http --url https://example.com/
  export INGEST_KEY=$(${heartline} key create --page ${slug} --scope ingest --name first | head -n 1)
  curl -s ${await context.serviceUrl()}/api/v1/events -H "Authorization: Bearer $INGEST_KEY" -d '${event}'
`;
}

/** Who may read a page. */
function readersOf({ private: isPrivate, hasPassword, allowedAddresses }: ManagedPage): string {
  if (!isPrivate) return 'everybody';
  const ways = [...(hasPassword ? ['with the password'] : []), ...allowedAddresses, 'signed in'];
  return ways.join(', ');
}

function pageText(page: ManagedPage): string {
  return formatFields([
    ['slug', page.slug],
    ['id', page.id],
    ['name', page.name],
    ['hostname', page.hostname],
    ['address', page.url],
    ['languages', page.languages.join(', ')],
    ['default language', page.defaultLanguage],
    ['history', `${page.historyDays} days`],
    ['response times', `since ${page.responseTimesSince}`],
    ['time zone', page.timeZone],
    ['monitoring', page.monitoringPaused ? 'paused' : 'on'],
    ['database health', page.databaseHealth ? 'on' : 'off'],
    ['public metrics', page.publicMetrics ? 'on' : 'off'],
    ['readers', readersOf(page)],
    ['monitor down', page.incidentsFromMonitors ? 'opens an incident' : 'opens no incident'],
    ['accent', page.accent ?? 'default'],
    ['logo', page.logo ?? 'none'],
    ['logo shown', page.logoAlone ? 'alone' : 'with the name'],
    ...page.footerLinks.map(({ label, url }) => ['footer link', `${label}=${url}`] as const),
    ['owner emails', page.ownerEmails.join(', ') || 'none'],
    ['capabilities', page.capabilities.join(', ') || 'none'],
    ['created', page.createdAt],
  ]);
}
