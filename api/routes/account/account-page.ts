import type { Context } from 'koa';
import type { TSchema } from 'typebox';
import type { WaySender } from '../../../control/contact-ways/index.js';
import type { Passwords, SignedIn } from '../../../control/people/index.js';
import type { Clock } from '../../../lib/clock.js';
import type { Log } from '../../../lib/log.js';
import { ServiceError } from '../../../lib/service-error.js';
import type { Sql } from '../../../sql/open-postgres.js';
import type { AccountAssets, AccountView } from '../../../web/account/account-document.js';
import type { LanguageAssets } from '../../../web/account/dashboard-document.js';
import { type AccountTexts, languagesOf } from '../../../web/texts/areas.js';
import { textsOf } from '../../../web/texts/texts-of.js';
import type { ViewAssets } from '../../../web/views/view-context.js';
import type { FindSession } from '../../manage/find-session.js';
import { refuseOtherOrigin } from '../../manage/same-origin.js';
import { createSessionCookies, type SessionCookies } from '../../manage/session-cookie.js';
import type { SignInOptions } from '../../manage/sign-in-options.js';
import { chooseOwnLanguage } from '../../public/own-views.js';
import type { PublicCache } from '../../public/public-cache.js';
import type { Form } from '../../read-form.js';
import { baseUrlToSet, isAddress, isForwarded, isLoopback, type OriginParser } from '../../request-origin.js';
import type { FormRoute, OpenRoute } from '../../route.js';

export type AccountDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  secretKey: string;
  /** Shared with the management API, because it bounds the hashes at once. */
  passwords: Passwords;
  signInOptions: SignInOptions;
  findSession: FindSession;
  cache: PublicCache;
  parseOrigin: OriginParser;
  /** Address of the service; a path until the server listens. */
  baseUrl(): string;
  /** Whether the operator has set that address. */
  hasBaseUrl: boolean;
  assets: AccountAssets;
  /** Style sheets and scripts of the documentation. */
  viewAssets: ViewAssets;
  dashboardAssets: LanguageAssets;
  /** Version of the service. */
  version: string;
  /** The origin of the page on a host. */
  originOf(hostname: string): string;
  /** Knows which ways to tell people the operator has set up. */
  waySender: Pick<WaySender, 'lacks'>;
  /** Answers on the hosts of status pages, where nobody signs in. */
  answerElsewhere(ctx: Context): Promise<void>;
};

/** A request for an account page, on the right host and, if it changes something, from a page of the service. */
export type AccountRequest = {
  ctx: Context;
  view: AccountView;
  texts: AccountTexts;
  /** Where the person goes in the end: a local path. */
  to: string | undefined;
  client: { address: string; userAgent: string };
  /** The cookie with the session of the browser. */
  cookies: SessionCookies;
  /** The person whose browser it is, when signed in. */
  signedIn(): Promise<SignedIn | undefined>;
};

const html = { mediaTypes: ['text/html; charset=utf-8'] };
const nothing = { mediaTypes: [] };
const bodyBytesMax = 8 * 1024;
/** Any status of a form that was refused; the fields say what is wrong. */
const refusals = { 400: html, 401: html, 403: html, 409: html, 429: html, 503: html };

type Page = {
  path: `/${string}`;
  operationId: string;
  summary: string;
  handle(request: AccountRequest): void | Promise<void>;
};

/** A page that people open. */
export function accountPage(deps: AccountDeps, { path, operationId, summary, handle }: Page): OpenRoute {
  return {
    ...{ method: 'GET', path, operationId, summary, forPeople: true },
    answers: { 200: html, 303: nothing, 400: html, 401: html, 403: html, 429: html, 503: html },
    errors: ['notFound', 'rateLimited', 'storeUnavailable', 'overloaded'],
    async handle(ctx) {
      if (!(await isServedHere(deps, ctx))) return deps.answerElsewhere(ctx);
      const request = openRequest(deps, ctx, ctx.query['to']);
      const moved = loopbackAddress(deps, request);
      if (moved === undefined) return handle(request);
      ctx.set({ 'cache-control': 'no-store', location: moved });
      ctx.status = 303;
      ctx.body = '';
    },
  };
}

type AccountForm = Omit<Page, 'handle'> & {
  schema: TSchema;
  handle(request: AccountRequest, field: (name: string) => string): void | Promise<void>;
  /** Answers what another site made a browser send, with nothing of what was sent. */
  refuse(request: AccountRequest): void | Promise<void>;
};

/** A form that such a page posts. */
export function accountForm(deps: AccountDeps, definition: AccountForm): FormRoute {
  const { path, operationId, summary, schema, handle, refuse } = definition;
  return {
    ...{ method: 'POST', path, operationId, summary, forPeople: true },
    form: { schema, bytesMax: bodyBytesMax },
    answers: { 200: html, 303: nothing, ...refusals },
    errors: ['notFound', 'rateLimited', 'storeUnavailable', 'overloaded'],
    async handle(ctx, form) {
      if (!(await isServedHere(deps, ctx))) return deps.answerElsewhere(ctx);
      if (isFromElsewhere(deps, ctx)) return refuse(openRequest(deps, ctx, undefined));
      await handle(openRequest(deps, ctx, form['to']), (name) => textOf(form, name));
    },
  };
}

/** Makes the request of a page that has no route of its own. `undefined` on a host where nobody signs in. */
export async function openScreen(deps: AccountDeps, ctx: Context): Promise<AccountRequest | undefined> {
  return (await isServedHere(deps, ctx)) ? openRequest(deps, ctx, undefined) : undefined;
}

function openRequest(deps: AccountDeps, ctx: Context, to: unknown): AccountRequest {
  const chosen = languages.find((tag) => tag === ctx.query['lang']);
  const language = chosen ?? chooseOwnLanguage(ctx);
  const userAgent = ctx.get('user-agent');
  const cookies = createSessionCookies(deps);
  const { clientAddress } = deps.parseOrigin(ctx);
  return {
    cookies,
    ctx,
    view: { language, isChosen: chosen !== undefined, assets: deps.assets },
    texts: textsOf('account', language),
    to: localPath(to),
    client: { address: clientAddress, userAgent },
    async signedIn() {
      const token = cookies.read(ctx);
      const person = token === undefined ? undefined : await deps.findSession(token, clientAddress);
      // The cookie lasts as long as the session.
      if (token !== undefined && person?.isExtended) cookies.set(ctx, token);
      return person;
    },
  };
}

const languages = languagesOf.view;

function isFromElsewhere({ baseUrl }: AccountDeps, ctx: Context): boolean {
  try {
    refuseOtherOrigin(ctx.req, baseUrl());
    return false;
  } catch {
    return true;
  }
}

/**
 * People sign in on the host of BASE_URL. Without it, on loopback names and IP addresses: any other name may become the
 * host of a status page, whose owner would then answer where people look for the dashboard.
 *
 * @throws ServiceError `notFound` that says what to set, for a name that is no page's
 */
async function isServedHere(deps: AccountDeps, ctx: Context): Promise<boolean> {
  const origin = deps.parseOrigin(ctx);
  const { hostname } = origin;
  if (deps.hasBaseUrl) return hostname === new URL(deps.baseUrl()).hostname;
  if (isLoopback(hostname)) return true;
  try {
    await deps.cache.findPage(hostname);
    return false;
  } catch (error) {
    if (!(error instanceof ServiceError && error.kind === 'notFound')) throw error;
    if (isAddress(hostname)) return true;
    throw new ServiceError('notFound', {
      hint: `Without BASE_URL the dashboard is at 127.0.0.1, localhost and the IP addresses of the machine. Set ${baseUrlToSet(ctx, origin)} and start the service again; monitors and webhooks then reach private networks only with HEARTLINE_ALLOW_PRIVATE_ADDRESSES=on.`,
    });
  }
}

/**
 * Where a browser without a session goes from another name of this machine, such as from `localhost` to `127.0.0.1`: a
 * session is a cookie of one name, and the service prints one. `undefined` behind a proxy, which may take that one alone.
 */
function loopbackAddress(deps: AccountDeps, { ctx, cookies }: AccountRequest): string | undefined {
  if (deps.hasBaseUrl || cookies.read(ctx) !== undefined || isForwarded(ctx.req)) return undefined;
  const asked = `http://${ctx.host}`;
  if (!URL.canParse(asked) || !URL.canParse(deps.baseUrl())) return undefined;
  const [{ hostname, port }, own] = [new URL(asked), new URL(deps.baseUrl())];
  if (!isLoopback(hostname) || !isLoopback(own.hostname) || hostname === own.hostname) return undefined;
  return `http://${own.hostname}${port === '' ? '' : `:${port}`}${ctx.url}`;
}

/** A path on this host; `undefined` for anything that leads elsewhere. */
export function localPath(to: unknown): string | undefined {
  if (typeof to !== 'string' || to.length > 1_000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(to)) return undefined;
  const base = 'http://local';
  if (!URL.canParse(to, base)) return undefined;
  const url = new URL(to, base);
  return url.origin === base && !url.pathname.startsWith('//')
    ? url.pathname + url.search + url.hash
    : undefined;
}

/** A field of a form that was sent once; empty otherwise. */
function textOf(form: Form, name: string): string {
  const value = form[name];
  return typeof value === 'string' ? value : '';
}
