import type { Context } from 'koa';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { linkPaths, SignedUp, SignUp, subscriberLimits } from '../../contract/subscribers.js';
import { brandOf } from '../../control/pages/index.js';
import {
  type ConfirmationLink,
  confirmSubscriber,
  loadConfirmationLink,
  loadSubscriber,
  unsubscribeSubscriber,
} from '../../control/subscribers/index.js';
import type { Clock } from '../../lib/clock.js';
import { type PageId, parseId, type SubscriberId } from '../../lib/ids.js';
import { describeFirstError, parseJson } from '../../lib/parse-body.js';
import { verifyToken } from '../../lib/secrets/secret-box.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import {
  renderSubscriptionView,
  type SubscriptionViewState,
  subscriptionViewPolicy,
} from '../../web/views/subscription-view.js';
import type { ViewAssets } from '../../web/views/view-context.js';
import { loadPublicPage } from '../public/load-public-page.js';
import type { Guard } from '../public/private/guard.js';
import type { PublicCache } from '../public/public-cache.js';
import type { OriginParser } from '../request-origin.js';
import type { FormRoute, OpenBodyRoute, OpenRoute } from '../route.js';
import { createSignUp, type TakeSignUp } from '../sign-up.js';
import { subscribeRoute } from './subscribe.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  secretKey: string;
  cache: PublicCache;
  parseOrigin: OriginParser;
  originOf(hostname: string): string;
  guard: Guard['guard'];
  assets: ViewAssets;
};

/** The subscriber that a link belongs to, on the host of the page. */
type LinkOwner = { pageId: PageId; subscriberId: SubscriberId };
type LinkPurpose = keyof typeof linkPaths;

const html = { mediaTypes: ['text/html; charset=utf-8'] };
const Token = Type.Object({ token: Type.String({ description: 'As in the link of the email.' }) });
const errors = ['notFound', 'storeUnavailable', 'overloaded'] as const;
const statusOf: Partial<Record<SubscriptionViewState, number>> = { invalid: 404, expired: 410 };

/** Signing up for email on the host of a page, and the views that the links in emails lead to. */
export function subscriberRoutes(deps: Deps): (OpenRoute | OpenBodyRoute | FormRoute)[] {
  const signUp = createSignUp(deps);
  return [
    // Signing up for a private page needs access to it. The links in emails carry a token, which is enough.
    deps.guard(signUpRoute(deps, signUp)),
    deps.guard(subscribeRoute({ ...deps, signUp })),
    ...confirmRoutes(deps),
    ...unsubscribeRoutes(deps),
  ];
}

function signUpRoute(deps: Deps, signUp: TakeSignUp): OpenBodyRoute {
  const check = Compile(SignUp);
  return {
    method: 'POST',
    path: '/api/public/:slug/subscribers',
    operationId: 'signUp',
    summary: 'Ask for email about incidents; the address gets a link to confirm',
    body: { schema: SignUp, bytesMax: subscriberLimits.bodyBytes },
    answers: { 202: SignedUp },
    errors: ['invalidBody', 'notFound', 'tooManySignUps', 'storeUnavailable', 'overloaded'],
    async handle(ctx, bytes) {
      const page = await loadPublicPage(deps, ctx);
      const body = parseJson(bytes);
      if (!check.Check(body))
        throw new ServiceError('invalidBody', { message: describeFirstError(check, body) });
      const { clientAddress } = deps.parseOrigin(ctx);
      await deps.cache.loads.run(page.id, 'few', () => signUp(clientAddress, page, body));
      ctx.set('cache-control', 'no-store');
      ctx.status = 202;
      ctx.body = { accepted: true };
    },
  };
}

/** Mail scanners open every link, so a GET only shows a button. */
function confirmRoutes(deps: Deps): OpenRoute[] {
  const shown: Record<ConfirmationLink, SubscriptionViewState> = {
    usable: 'confirm',
    used: 'confirmed',
    expired: 'expired',
  };
  return [
    {
      ...linkRoute('confirm', 'GET', 'showConfirmation', 'A page with a button that confirms a subscription'),
      handle: (ctx) =>
        answerLink(deps, ctx, 'confirm', async (owner) => shown[await loadConfirmationLink(deps, owner)]),
    },
    {
      ...linkRoute('confirm', 'POST', 'confirm', 'Confirm a subscription'),
      handle: (ctx) =>
        answerLink(deps, ctx, 'confirm', async (owner) =>
          (await confirmSubscriber(deps, owner)) === 'expired' ? 'expired' : 'confirmed',
        ),
    },
  ];
}

/**
 * The button and mail programs (RFC 8058) send the same POST. Its body is not read: it repeats what the address says.
 */
function unsubscribeRoutes(deps: Deps): OpenRoute[] {
  return [
    {
      ...linkRoute('unsubscribe', 'GET', 'showUnsubscription', 'A page with a button that unsubscribes'),
      handle: (ctx) => answerLink(deps, ctx, 'unsubscribe', async () => 'unsubscribe'),
    },
    {
      ...linkRoute('unsubscribe', 'POST', 'unsubscribe', 'Unsubscribe'),
      handle: (ctx) =>
        answerLink(deps, ctx, 'unsubscribe', async (owner) => {
          await unsubscribeSubscriber(deps, owner);
          return 'unsubscribed';
        }),
    },
  ];
}

function linkRoute(
  purpose: LinkPurpose,
  method: 'GET' | 'POST',
  operationId: string,
  summary: string,
): Omit<OpenRoute, 'handle'> {
  const answers = purpose === 'confirm' ? { 200: html, 404: html, 410: html } : { 200: html, 404: html };
  const path = linkPaths[purpose];
  return { method, path, operationId, summary, forPeople: true, query: Token, answers, errors };
}

/** Answers with the view of the state that `act` returns, in the subscriber's language. */
async function answerLink(
  deps: Deps,
  ctx: Context,
  purpose: LinkPurpose,
  act: (owner: LinkOwner) => Promise<SubscriptionViewState>,
): Promise<void> {
  const page = await loadPublicPage(deps, ctx);
  const subscriberId = verifyLinkToken(deps.secretKey, purpose, ctx);
  const { state, language = page.defaultLanguage }: LinkOutcome =
    subscriberId === undefined
      ? { state: 'invalid' }
      : await deps.cache.loads.run(page.id, 'many', () =>
          followLink(deps, { pageId: page.id, subscriberId }, act),
        );
  const brand = brandOf(page, deps.originOf(page.hostname));
  ctx.set({
    'content-security-policy': subscriptionViewPolicy(brand),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  ctx.status = statusOf[state] ?? 200;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = renderSubscriptionView({ state, brand, language });
}

type LinkOutcome = { state: SubscriptionViewState; language?: string };

async function followLink(
  deps: Deps,
  owner: LinkOwner,
  act: (owner: LinkOwner) => Promise<SubscriptionViewState>,
): Promise<LinkOutcome> {
  const subscriber = await loadSubscriber(deps, owner.subscriberId);
  // The link of a subscriber who no longer exists is valid; that of a subscriber of another page is not.
  if (subscriber === undefined) return { state: await act(owner) };
  if (subscriber.pageId !== owner.pageId) return { state: 'invalid' };
  return { state: await act(owner), language: subscriber.language };
}

function verifyLinkToken(secretKey: string, purpose: LinkPurpose, ctx: Context): SubscriberId | undefined {
  const { token } = ctx.query;
  const id = typeof token === 'string' ? verifyToken(secretKey, purpose, token) : undefined;
  return id === undefined ? undefined : parseId<SubscriberId>(id);
}
