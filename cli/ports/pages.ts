import { ManagedPage } from '../../contract/manage/pages.js';
import { logoPathOf } from '../../contract/public/status-page.js';
import { capabilities } from '../../contract/scopes.js';
import {
  type CreatePageInput,
  changePage,
  createPage,
  deletePage,
  listPages,
  loadPage,
  type Page,
  type PageChanges,
} from '../../control/pages/index.js';
import { createPasswords } from '../../lib/secrets/passwords.js';
import { ServiceError } from '../../lib/service-error.js';
import { pageOrigin } from '../../lib/web-address.js';
import type { CommandContext } from '../core/context.js';
import { Nothing, type Remote } from '../remote/remote.js';

/** The settings that change; the password of readers as people type it, null for none. */
export type CliPageChanges = Omit<PageChanges, 'readerPassword'> & { password?: string | null };

/** The pages of an installation, on its stores or over HTTP. */
export type Pages = {
  create(input: CreatePageInput): Promise<ManagedPage>;
  /** By slug. Over HTTP those that the key may read. */
  list(): Promise<ManagedPage[]>;
  /** @throws ServiceError `notFound` */
  show(slug: string): Promise<ManagedPage>;
  change(slug: string, changes: CliPageChanges): Promise<ManagedPage>;
  remove(slug: string): Promise<void>;
};

export function pagesOf(context: CommandContext): Pages {
  return context.remote === undefined ? localPages(context) : remotePages(context.remote);
}

/** The page with the slug; `undefined` when there is none. @throws ServiceError for every other error. */
export async function findPageOf(context: CommandContext, slug: string): Promise<ManagedPage | undefined> {
  try {
    return await pagesOf(context).show(slug);
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
    throw error;
  }
}

function localPages(context: CommandContext): Pages {
  const shown = async (page: Page) => toManagedPage(page, await context.serviceUrl());
  return {
    async create(input) {
      return shown(await createPage(await context.openControl(), input));
    },
    async list() {
      return Promise.all((await listPages(await context.openControl())).map(shown));
    },
    async show(slug) {
      const { sql } = await context.openControl();
      return shown(await loadPage(sql, slug));
    },
    async change(slug, { password, ...changes }) {
      const { pageId, ...deps } = await context.openPage(slug);
      const readerPassword = password && (await createPasswords().hash(password, 'command line'));
      const hashed = readerPassword === undefined ? {} : { readerPassword: readerPassword || null };
      return shown(await changePage(deps, pageId, { ...changes, ...hashed }));
    },
    async remove(slug) {
      const { pageId, ...deps } = await context.openPage(slug);
      await deletePage(deps, pageId);
    },
  };
}

function remotePages(remote: Remote): Pages {
  const answer = ManagedPage;

  async function setLogo(path: string, logo: Buffer | null): Promise<void> {
    if (logo !== null) {
      await remote.send('PUT', `${path}/logo`, { answer, body: logo, mediaType: 'image/*' });
      return;
    }
    const { hasLogo } = await remote.send('GET', path, { answer });
    if (hasLogo) await remote.send('DELETE', `${path}/logo`, { answer: Nothing });
  }

  return {
    async create({ logo, ...input }) {
      const body = toBody(input, input.capabilities && [...capabilities]);
      const page = await remote.send('POST', '/api/v1/pages', { answer, body });
      if (!logo) return page;
      const path = await remote.pathOf(page.slug);
      await setLogo(path, logo);
      return remote.send('GET', path, { answer });
    },
    async list() {
      const pages = await remote.list('/api/v1/pages', ManagedPage);
      return pages.sort((a, b) => (a.slug < b.slug ? -1 : 1));
    },
    async show(slug) {
      return remote.send('GET', await remote.pathOf(slug), { answer });
    },
    async change(slug, { logo, ...changes }) {
      const path = await remote.pathOf(slug);
      const before = changes.capabilities && (await remote.send('GET', path, { answer })).capabilities;
      // The logo is not part of the body: a logo that is refused leaves the rest as it was.
      if (logo !== undefined) await setLogo(path, logo);
      const body = toBody(changes, before);
      if (Object.keys(body).length === 0) return remote.send('GET', path, { answer });
      return remote.send('PATCH', path, { answer, body });
    },
    async remove(slug) {
      const path = await remote.pathOf(slug);
      await remote.send('DELETE', path, { answer: Nothing, body: { confirm: slug } });
    },
  };
}

/** `before` are the capabilities to which the changes of some apply. */
function toBody(
  { databaseHealthEnabled: databaseHealth, capabilities: wanted, isPrivate, ...changes }: CliPageChanges,
  before: readonly string[] = [],
): object {
  return {
    ...changes,
    ...(databaseHealth !== undefined && { databaseHealth }),
    ...(isPrivate !== undefined && { private: isPrivate }),
    ...(wanted !== undefined && {
      capabilities: capabilities.filter((name) => wanted[name] ?? before.includes(name)),
    }),
  };
}

function toManagedPage(page: Page, serviceUrl: string): ManagedPage {
  return {
    id: page.id,
    slug: page.slug,
    hostname: page.hostname,
    url: `${pageOrigin(new URL(serviceUrl), page.hostname)}/`,
    name: page.name,
    languages: page.languages,
    defaultLanguage: page.defaultLanguage,
    historyDays: page.historyDays,
    responseTimesSince: page.responseTimesSince,
    timeZone: page.timeZone,
    monitoringPaused: page.monitoringPaused,
    databaseHealth: page.databaseHealthEnabled,
    incidentsFromMonitors: page.incidentsFromMonitors,
    publicMetrics: page.publicMetrics,
    accent: page.accent,
    footerLinks: page.footerLinks,
    private: page.isPrivate,
    allowedAddresses: page.allowedAddresses,
    hasPassword: page.passwordTag !== null,
    hasLogo: page.logoHash !== null,
    logo: page.logoHash && logoPathOf(page.logoHash),
    logoAlone: page.logoAlone,
    ownerEmails: page.ownerEmails,
    capabilities: page.capabilities,
    createdAt: page.createdAt.toISOString(),
  };
}
