import { Compile } from 'typebox/compile';
import { SignedUp, SignUp, subscriberLimits } from '../../../contract/subscribers.js';
import {
  type ConfirmationLink,
  confirmSubscriber,
  loadConfirmationLink,
  unsubscribeSubscriber,
} from '../../../control/subscribers/index.js';
import { describeErrors, parseJson } from '../../../lib/parse-body.js';
import { ServiceError } from '../../../lib/service-error.js';
import type { SubscriptionViewState } from '../../../web/views/subscriptions/subscription-view.js';
import type { ViewAssets } from '../../../web/views/view-context.js';
import { loadPublicPage } from '../../public/load-public-page.js';
import type { FormRoute, OpenBodyRoute, OpenRoute } from '../../route.js';
import { createSignUp, type TakeSignUp } from '../../sign-up.js';
import { choiceRoutes } from './choice.js';
import { answerLink, type LinkDeps, linkRoute } from './links.js';
import { subscribeRoute } from './subscribe.js';

type Deps = LinkDeps & {
  assets: ViewAssets;
  /** Whether the service sends email. */
  sendsMail: boolean;
};

/** Signing up for email on the host of a page, and the views that the links in emails lead to. */
export function subscriberRoutes(deps: Deps): (OpenRoute | OpenBodyRoute | FormRoute)[] {
  const signUp = createSignUp(deps);
  return [
    // Signing up for a private page needs access to it. The links in emails carry a token, which is enough.
    signUpRoute(deps, signUp),
    subscribeRoute({ ...deps, signUp }),
    ...confirmRoutes(deps),
    ...unsubscribeRoutes(deps),
    ...choiceRoutes(deps),
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
    errors: ['invalidBody', 'notFound', 'noMail', 'tooManySignUps', 'storeUnavailable', 'overloaded'],
    async handle(ctx, bytes) {
      const page = await loadPublicPage(deps, ctx);
      const body = parseJson(bytes);
      if (!check.Check(body)) throw new ServiceError('invalidBody', { message: describeErrors(check, body) });
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
