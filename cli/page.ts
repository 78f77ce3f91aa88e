import { ManagedPage } from '../contract/manage/pages.js';
import { type Capability, capabilities } from '../contract/scopes.js';
import { parseLogo } from '../control/pages/index.js';
import { type Client, Nothing } from './client/client.js';
import type { CommandContext } from './core/context.js';
import { defineCommand, type Output } from './core/define-command.js';
import { UsageError } from './core/errors.js';
import { formatFields, formatTable } from './core/output.js';
import { nothingToChange } from './core/refusals.js';
import { writeFigure } from './page-figures.js';
import { type PageChanges, pageSettings, toPageChanges } from './page-settings.js';

const answer = ManagedPage;

/** The option by which commands of other nouns name the page. */
export const pageOption = { value: 'SLUG', help: 'the page', required: true } as const;

/** The option of commands that name a thing by its id. */
export const pageOfIdOption = {
  value: 'SLUG',
  help: 'the page it belongs to; over HTTP, a key of the installation needs it',
} as const;

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
      const page = await createPage(context.client, { slug, hostname }, settings);
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
      const { body, capabilities: switched, logo } = changes;
      if (Object.keys(body).length === 0 && switched === undefined && logo === undefined)
        throw nothingToChange('--name NAME');
      return printed(await changePage(context.client, slug, changes));
    },
  }),

  defineCommand({
    runsRemotely: true,
    name: 'page list',
    summary: 'list the status pages',
    help: 'Lists all status pages by slug; over HTTP, those that the key may read.',
    json: '{"pages": [...]}',
    async run(context) {
      const listed = await context.client.list('/api/v1/pages', ManagedPage);
      const pages = listed.sort((a, b) => (a.slug < b.slug ? -1 : 1));
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
      const { client } = context;
      return printed(await client.send('GET', await client.pathOf(slug), { answer }));
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
      const { client } = context;
      await client.send('DELETE', await client.pathOf(slug), { answer: Nothing, body: { confirm } });
      return { json: { slug }, text: `${slug} is deleted.\n` };
    },
  }),
];

/** The logo is no part of the body, and is set when the page is there; so it is checked before. */
async function createPage(
  client: Client,
  names: { slug: string; hostname: string },
  { body: settings, capabilities: switched, logo }: PageChanges,
): Promise<ManagedPage> {
  if (logo) parseLogo(logo);
  const body = { ...settings, ...(switched && allOf(switched, capabilities)), ...names };
  const page = await client.send('POST', '/api/v1/pages', { answer, body });
  if (!logo) return page;
  return setLogo(client, await client.pathOf(names.slug), logo);
}

/** The logo is checked before and set behind the rest: what is refused leaves both as they were. */
async function changePage(
  client: Client,
  slug: string,
  { body: settings, capabilities: switched, logo }: PageChanges,
): Promise<ManagedPage> {
  const path = await client.pathOf(slug);
  if (logo) parseLogo(logo);
  const before = switched && (await client.send('GET', path, { answer }));
  const body = { ...settings, ...(switched && allOf(switched, before?.capabilities ?? [])) };
  if (Object.keys(body).length > 0) await client.send('PATCH', path, { answer, body });
  if (logo) return setLogo(client, path, logo);
  if (logo === null) await removeLogo(client, path);
  return client.send('GET', path, { answer });
}

/** The capabilities that a page has once some of them are turned on or off. */
function allOf(switched: Partial<Record<Capability, boolean>>, before: readonly string[]) {
  return { capabilities: capabilities.filter((name) => switched[name] ?? before.includes(name)) };
}

function setLogo(client: Client, path: string, logo: Buffer): Promise<ManagedPage> {
  return client.send('PUT', `${path}/logo`, { answer, body: logo, mediaType: 'image/*' });
}

async function removeLogo(client: Client, path: string): Promise<void> {
  const { hasLogo } = await client.send('GET', path, { answer });
  if (hasLogo) await client.send('DELETE', `${path}/logo`, { answer: Nothing });
}

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
    ...page.figures.map((figure) => ['figure', writeFigure(figure)] as const),
    ['traces', page.traceUrl ?? 'none'],
    ['owner emails', page.ownerEmails.join(', ') || 'none'],
    ['capabilities', page.capabilities.join(', ') || 'none'],
    ['created', page.createdAt],
  ]);
}
