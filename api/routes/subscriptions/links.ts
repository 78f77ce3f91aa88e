import type { Context } from 'koa';
import Type from 'typebox';
import { linkPaths } from '../../../contract/subscribers.js';
import { brandOf, type Page } from '../../../control/pages/index.js';
import { loadSubscriber } from '../../../control/subscribers/index.js';
import type { Clock } from '../../../lib/clock.js';
import { type PageId, parseId, type SubscriberId } from '../../../lib/ids.js';
import { signToken, verifyToken } from '../../../lib/secrets/secret-box.js';
import type { Sql } from '../../../sql/open-postgres.js';
import {
  renderSubscriptionView,
  type SubscriptionViewState,
  styleFor,
  subscriptionViewPolicy,
} from '../../../web/views/subscriptions/subscription-view.js';
import { loadPublicPage } from '../../public/load-public-page.js';
import type { Guard } from '../../public/private/guard.js';
import type { PublicCache } from '../../public/public-cache.js';
import type { OriginParser } from '../../request-origin.js';
import type { OpenRoute } from '../../route.js';

export type LinkDeps = {
  sql: Sql;
  clock: Clock;
  secretKey: string;
  cache: PublicCache;
  parseOrigin: OriginParser;
  originOf(hostname: string): string;
  /** See Guard. A link that does not work shows nothing of a private page. */
  admits: Guard['admits'];
};

/** The subscriber that a link belongs to, on the host of the page. */
export type LinkOwner = { pageId: PageId; subscriberId: SubscriberId };
type LinkPurpose = keyof typeof linkPaths;

const html = { mediaTypes: ['text/html; charset=utf-8'] };
const Token = Type.Object({ token: Type.String({ description: 'As in the link of the message.' }) });
const errors = ['notFound', 'storeUnavailable', 'overloaded', 'privatePage', 'rateLimited'] as const;
const statusOf: Partial<Record<SubscriptionViewState, number>> = { invalid: 404, expired: 410 };
/** The answers of a route besides 200, and 404 for a link that does not work. */
const furtherAnswers = { confirm: { 410: html }, unsubscribe: {}, manage: { 400: html } };

/** The common part of the routes behind the links of messages to subscribers. */
export function linkRoute(
  purpose: LinkPurpose,
  method: 'GET' | 'POST',
  operationId: string,
  summary: string,
): Omit<OpenRoute, 'handle'> {
  const answers = { 200: html, 404: html, ...furtherAnswers[purpose] };
  return {
    ...{
      method,
      path: linkPaths[purpose],
      operationId,
      summary,
      forPeople: true,
      unguarded: 'asksForToken',
      query: Token,
      answers,
      errors,
    },
  };
}

/** Answers with the view of the state that `act` returns, in the subscriber's language. */
export async function answerLink(
  deps: LinkDeps,
  ctx: Context,
  purpose: LinkPurpose,
  act: (owner: LinkOwner) => Promise<SubscriptionViewState>,
): Promise<void> {
  await openLink(deps, ctx, purpose, async ({ owner, ...rest }) => {
    answerState(deps, ctx, { ...rest, state: await act(owner), subscriberId: owner.subscriberId });
  });
}

type OpenedLink = { page: Page; owner: LinkOwner; language: string; isChat: boolean };

/**
 * Checks the link of a request, and answers in its place when the link does not work, on a private page as the guard
 * does. The link of a subscriber that no longer exists is valid; that of a subscriber of another page is not.
 */
export async function openLink(
  deps: LinkDeps,
  ctx: Context,
  purpose: LinkPurpose,
  follow: (link: OpenedLink) => Promise<void>,
): Promise<void> {
  const page = await loadPublicPage(deps, ctx);
  const subscriberId = verifyLinkToken(deps.secretKey, purpose, ctx);
  const refuse = async () => {
    const { hostname } = deps.parseOrigin(ctx);
    if (await deps.admits(ctx, await deps.cache.findPage(hostname))) {
      answerState(deps, ctx, { page, state: 'invalid' });
    }
  };
  if (subscriberId === undefined) return refuse();
  await deps.cache.loads.run(page.id, 'many', async () => {
    const subscriber = await loadSubscriber(deps, subscriberId);
    if (subscriber !== undefined && subscriber.pageId !== page.id) return refuse();
    const language = subscriber?.language ?? page.defaultLanguage;
    const isChat = subscriber?.isChat ?? false;
    await follow({ page, owner: { pageId: page.id, subscriberId }, language, isChat });
  });
}

type State = {
  page: Page;
  state: SubscriptionViewState;
  language?: string;
  isChat?: boolean;
  subscriberId?: SubscriberId;
};

function answerState(
  { secretKey, originOf }: LinkDeps,
  ctx: Context,
  { page, state, language = page.defaultLanguage, isChat, subscriberId }: State,
): void {
  const brand = brandOf(page, originOf(page.hostname));
  const manageUrl =
    subscriberId && `${linkPaths.manage}?token=${signToken(secretKey, 'manage', subscriberId)}`;
  setViewHeaders(ctx, styleFor(brand.accent));
  ctx.status = statusOf[state] ?? 200;
  ctx.body = renderSubscriptionView({ state, brand, language, manageUrl, isChat });
}

/** Answers with a view and its style; without one the subscriber does not exist any more. */
export function answerLinkView(
  deps: LinkDeps,
  ctx: Context,
  page: Page,
  view: { html: string; style: string } | undefined,
): void {
  if (view === undefined) {
    answerState(deps, ctx, { page, state: 'invalid' });
    return;
  }
  setViewHeaders(ctx, view.style);
  ctx.status = 200;
  ctx.body = view.html;
}

function setViewHeaders(ctx: Context, style: string): void {
  ctx.set({
    'content-security-policy': subscriptionViewPolicy(style),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  ctx.type = 'text/html; charset=utf-8';
}

function verifyLinkToken(secretKey: string, purpose: LinkPurpose, ctx: Context): SubscriberId | undefined {
  const { token } = ctx.query;
  const id = typeof token === 'string' ? verifyToken(secretKey, purpose, token) : undefined;
  return id === undefined ? undefined : parseId<SubscriberId>(id);
}
