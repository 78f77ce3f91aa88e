import type { Context } from 'koa';
import Type, { type Static } from 'typebox';
import {
  ChangeManagedPage,
  CreateManagedPage,
  DeleteManagedPage,
  ListedPage,
  ManagedPage,
} from '../../../contract/manage/pages.js';
import { manageBodyBytesMax as bytesMax } from '../../../contract/manage/shared.js';
import { logoPathOf, looksLimits } from '../../../contract/public/status-page.js';
import { type Capability, capabilities } from '../../../contract/scopes.js';
import { loadPageStandings } from '../../../control/incidents/index.js';
import {
  changePage,
  createPage,
  deletePage,
  listManagedPages,
  loadPageById,
  type Page,
  type PageChanges,
  parseHostname,
} from '../../../control/pages/index.js';
import type { PageId } from '../../../lib/ids.js';
import { invalidValue } from '../../../lib/query-parameters.js';
import { ServiceError } from '../../../lib/service-error.js';
import { pageOrigin } from '../../../lib/web-address.js';
import {
  answerCreated,
  answerDone,
  answerResource,
  preconditionOf,
  type Representation,
} from '../../manage/answers.js';
import { type Caller, isAdmin } from '../../manage/caller.js';
import { createPaging, listOf, listParameters } from '../../manage/lists.js';
import { manageBodyRoute, manageRoute } from '../../manage/manage-route.js';
import { isAddress, isLoopback } from '../../request-origin.js';
import type { CommandRoutesDeps, ManageRouteList } from './deps.js';

/** The pages of an installation, and the settings of one. */
export function managePagesRoutes(deps: CommandRoutesDeps): ManageRouteList {
  const pageJson = (page: Page) => toJson(page, deps.baseUrl());
  const represent = (page: Page): Representation => ({ body: pageJson(page) });
  return [
    ...listRoutes(deps, pageJson),
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages/:page',
      operationId: 'getPage',
      summary: 'The settings of a page',
      permission: 'telemetry.read',
      answers: { 200: ManagedPage, 304: Type.Null() },
      async manage({ ctx, page }) {
        answerResource(ctx, represent(await loadPageById(deps.sql, page.id)));
      },
    }),
    manageBodyRoute({
      method: 'PATCH',
      path: '/api/v1/pages/:page',
      operationId: 'changePage',
      summary: 'Change the settings of a page',
      permission: 'page.write',
      body: { schema: ChangeManagedPage, bytesMax },
      answers: { 200: ManagedPage },
      errors: ['invalidBody', 'conflict', 'preconditionFailed'],
      async manage({ ctx, caller, by, page, body }) {
        refuseCapabilities(caller, body);
        const precondition = preconditionOf(ctx, represent);
        const check = (current: Page) => {
          precondition(current);
          if (!isAdmin(caller)) refuseServiceHost(deps, ctx, { current, hostname: body.hostname });
        };
        const changed = await changePage({ ...deps, by }, page.id, await toChanges(deps, ctx, body), check);
        deps.onChange(page.id);
        answerResource(ctx, represent(changed));
      },
    }),
    manageBodyRoute({
      method: 'DELETE',
      path: '/api/v1/pages/:page',
      operationId: 'deletePage',
      summary: 'Delete a page',
      description:
        'Delete a page for good. Its keys, checks and deliveries stop at once, and its slug and host name are free; its data is removed in the background',
      permission: 'page.delete',
      body: { schema: DeleteManagedPage, bytesMax },
      answers: { 204: Type.Null() },
      errors: ['invalidBody', 'preconditionFailed'],
      async manage({ ctx, by, page, body }) {
        if (body.confirm !== page.slug) {
          throw new ServiceError('invalidBody', { message: '/confirm must be the slug of the page.' });
        }
        await deletePage({ ...deps, by }, page.id, preconditionOf(ctx, represent));
        deps.onDeleted(page.id);
        answerDone(ctx);
      },
    }),
    ...logoRoutes(deps, represent),
  ];
}

function listRoutes(deps: CommandRoutesDeps, pageJson: (page: Page) => object): ManageRouteList {
  return [
    manageRoute({
      method: 'GET',
      path: '/api/v1/pages',
      operationId: 'listPages',
      summary: 'The pages that the caller may read, newest first',
      permission: 'any',
      query: Type.Object({
        include: Type.Optional(
          Type.Enum(['standing'], { description: 'standing adds how each page stands.' }),
        ),
        ...listParameters,
      }),
      answers: { 200: listOf(ListedPage) },
      async manage({ ctx, caller, query: { include, ...query } }) {
        if (include !== undefined && include !== 'standing')
          throw invalidValue('include', 'standing', include);
        const paging = createPaging(deps.secretKey, 'pages');
        const { limit, after } = paging.parse(query);
        const readable = readableIds(caller);
        const rows = await listManagedPages(deps, {
          ...(readable !== undefined && { ids: readable }),
          limit: limit + 1,
          after: after?.map(String)[0],
        });
        const ids = rows.map(({ id }) => id);
        const standings = include === undefined ? undefined : await loadPageStandings(deps, ids);
        const toItem = (page: Page) => {
          const standing = standings?.get(page.id);
          return { ...pageJson(page), ...(standing !== undefined && { standing }) };
        };
        paging.answer(ctx, { rows, limit, toItem, positionOf: ({ id }) => [id] });
      },
    }),
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/pages',
      operationId: 'createPage',
      summary: 'Create a page',
      description: 'Create a page and the account that owns it',
      permission: 'installation.write',
      body: { schema: CreateManagedPage, bytesMax },
      answers: { 201: ManagedPage },
      errors: ['invalidBody', 'conflict'],
      async manage({ ctx, by, body: { slug, hostname, ...settings } }) {
        const page = await createPage(
          { ...deps, by },
          { ...(await toChanges(deps, ctx, settings)), slug, hostname },
        );
        answerCreated(ctx, `/api/v1/pages/${page.slug}`, { body: pageJson(page) });
      },
    }),
  ];
}

function logoRoutes(deps: CommandRoutesDeps, represent: (page: Page) => Representation): ManageRouteList {
  return [
    manageBodyRoute({
      method: 'PUT',
      path: '/api/v1/pages/:page/logo',
      operationId: 'setLogo',
      summary: 'Set the logo of a page',
      description: 'Set the logo of a page: a PNG, JPEG, GIF, WebP or SVG image',
      permission: 'page.write',
      body: {
        schema: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
        mediaType: 'image/*',
        bytesMax: looksLimits.logoBytes,
      },
      answers: { 200: ManagedPage },
      errors: ['invalidBody', 'preconditionFailed'],
      async manage({ ctx, by, page, body: logo }) {
        const check = preconditionOf(ctx, represent);
        const changed = await changePage({ ...deps, by }, page.id, { logo }, check);
        deps.onChange(page.id);
        answerResource(ctx, represent(changed));
      },
    }),
    manageRoute({
      method: 'DELETE',
      path: '/api/v1/pages/:page/logo',
      operationId: 'removeLogo',
      summary: 'Remove the logo of a page',
      permission: 'page.write',
      answers: { 204: Type.Null() },
      errors: ['notFound', 'preconditionFailed'],
      async manage({ ctx, by, page }) {
        const precondition = preconditionOf(ctx, represent);
        const check = (current: Page) => {
          if (current.logoHash === null) throw new ServiceError('notFound');
          precondition(current);
        };
        await changePage({ ...deps, by }, page.id, { logo: null }, check);
        deps.onChange(page.id);
        answerDone(ctx);
      },
    }),
  ];
}

/** The pages that a caller may read; `undefined` for callers who may read all. */
function readableIds(caller: Caller): PageId[] | undefined {
  if (isAdmin(caller)) return undefined;
  if (caller.type === 'user') return [...caller.user.roles.values()].map(({ pageId }) => pageId);
  return caller.type === 'operator' || caller.grant.scope === 'admin' ? undefined : [caller.grant.pageId];
}

/** @throws ServiceError `notAllowed` */
function refuseCapabilities(caller: Caller, body: Static<typeof ChangeManagedPage>): void {
  if (body.capabilities === undefined || isAdmin(caller)) return;
  throw new ServiceError('notAllowed', {
    message: 'Only admins of the installation change the capabilities of a page.',
  });
}

/**
 * Refuses the host of the service for a page, which would be shown in place of the dashboard. Without BASE_URL these are
 * the names of the machine and its addresses, and the host of the request.
 *
 * @throws ServiceError `conflict`
 */
function refuseServiceHost(
  { baseUrl, hasBaseUrl, parseOrigin }: CommandRoutesDeps,
  ctx: Context,
  { current, hostname }: { current: Page; hostname: string | undefined },
): void {
  if (hostname === undefined) return;
  const wanted = parseHostname(hostname);
  const isOwn = hasBaseUrl
    ? wanted === new URL(baseUrl()).hostname.replace(/\.$/, '')
    : isLoopback(wanted) || isAddress(wanted) || wanted === parseOrigin(ctx).hostname;
  if (!isOwn || wanted === current.hostname) return;
  throw new ServiceError('conflict', {
    ...{ code: 'page.hostname_taken', field: '/hostname' },
    message: `"${wanted}" is the address of the service itself.`,
  });
}

async function toChanges(
  { passwords, parseOrigin }: CommandRoutesDeps,
  ctx: Context,
  body: Static<typeof ChangeManagedPage>,
): Promise<PageChanges> {
  const { databaseHealth, capabilities: wanted, private: isPrivate, password, ...changes } = body;
  const { clientAddress } = parseOrigin(ctx);
  return {
    ...changes,
    ...(isPrivate !== undefined && { isPrivate }),
    ...(password !== undefined && {
      readerPassword: password === null ? null : await passwords.hash(password, clientAddress),
    }),
    ...(databaseHealth !== undefined && { databaseHealthEnabled: databaseHealth }),
    ...(wanted !== undefined && { capabilities: allCapabilities(wanted) }),
  };
}

function allCapabilities(wanted: readonly Capability[]): Record<Capability, boolean> {
  const switches = capabilities.map((capability) => [capability, wanted.includes(capability)] as const);
  return Object.fromEntries(switches) as Record<Capability, boolean>; // Every capability is a key.
}

function toJson(page: Page, serviceUrl: string): ManagedPage {
  const { id, slug, hostname, name, languages, defaultLanguage, historyDays, responseTimesSince } = page;
  const { timeZone, monitoringPaused, incidentsFromMonitors, publicMetrics, accent, footerLinks } = page;
  const { figures } = page;
  const { logoAlone, ownerEmails, isPrivate, allowedAddresses } = page;
  return {
    ...{ id, slug, hostname, url: `${pageOrigin(new URL(serviceUrl), hostname)}/`, name },
    ...{ languages, defaultLanguage, historyDays, responseTimesSince, timeZone, monitoringPaused },
    ...{ databaseHealth: page.databaseHealthEnabled, incidentsFromMonitors, publicMetrics },
    ...{ accent, footerLinks, figures, private: isPrivate, allowedAddresses },
    hasPassword: page.passwordTag !== null,
    hasLogo: page.logoHash !== null,
    logo: page.logoHash && logoPathOf(page.logoHash),
    ...{ logoAlone, ownerEmails, traceUrl: page.traceUrl, capabilities: page.capabilities },
    createdAt: page.createdAt.toISOString(),
  };
}
