import type { Context } from 'koa';
import {
  type IdentityRefusal,
  IdentityRefused,
  type OidcAttempt,
  OidcError,
  type OidcProvider,
  oidcAttemptMs,
  type ProvidedIdentity,
  type StartedSession,
  signInWithIdentity,
  spendOidcState,
} from '../../../control/people/index.js';
import { createLimiter, type Limiter } from '../../../lib/limiter.js';
import { createSeldomLog } from '../../../lib/log.js';
import { ServiceError } from '../../../lib/service-error.js';
import { minuteMs } from '../../../lib/times.js';
import { createWindowCounter, networkOf, type WindowCounter } from '../../../lib/window-counter.js';
import { accountPaths } from '../../../web/account/manage-paths.js';
import type { AccountTexts } from '../../../web/texts/areas.js';
import { hangUpSignal } from '../../hang-up.js';
import type { ProviderSettings } from '../../manage/sign-in-options.js';
import type { OpenRoute } from '../../route.js';
import { type AccountDeps, type AccountRequest, accountPage } from './account-page.js';
import { answerRedirect, answerSignedIn, refusalOf } from './answers.js';
import { isSecure, type SealedCookie, sealedCookie } from './sealed-cookie.js';
import { answerSignIn, refuseOrigin } from './sign-in.js';

/** The state that the browser keeps while the person is at the identity provider. */
type Kept = OidcAttempt & { to?: string | undefined };

/** Sign-ins that a network may begin in a minute. */
const beginsPerMinute = 60;
/** Answers of the provider that are checked at once: each asks the provider, for some seconds when it is slow. */
const finishing = { max: 16, maxPerKey: 2, waitingMax: 64, waitingMaxPerKey: 8 };
/** Until somebody who found no room tries again, in seconds. */
const retrySeconds = 5;

type Deps = AccountDeps & {
  cookie: SealedCookie<Kept>;
  /** By network. */
  begun: WindowCounter<string>;
  /** By network. */
  finishing: Limiter<string>;
  logFailure(error: OidcError): void;
  logRefusal(reason: IdentityRefusal, provided: ProvidedIdentity): void;
};

/**
 * Signing in with the identity provider. The button is a link: a form that is redirected to another site would need that
 * site in the policy of the page.
 */
export function providerRoutes(account: AccountDeps): OpenRoute[] {
  const seldom = createSeldomLog(account.log);
  const deps: Deps = {
    ...account,
    cookie: sealedCookie(account, { name: 'heartline-provider', lastsMs: oidcAttemptMs }),
    begun: createWindowCounter({ clock: account.clock, windowMs: minuteMs, keysMax: 10_000 }),
    finishing: createLimiter(finishing),
    // The causes may hold what the provider sent about a person.
    logFailure: ({ message, reason, code }) => seldom.note({ reason, code }, message),
    // Only those whom the provider has signed in cause these, and names of claims are no secret.
    logRefusal: (reason, { claimNames: claims, groups }) =>
      account.log.warn(
        { reason, advice: adviceOn[reason], claims, groups: groups === 'tooMany' ? groups : groups.length },
        'A person whom the identity provider has signed in may not enter.',
      ),
  };
  return [
    accountPage(deps, {
      path: accountPaths.provider,
      operationId: 'beginProviderSignIn',
      summary: 'Go to the identity provider to sign in',
      handle: (request) => begin(deps, request),
    }),
    accountPage(deps, {
      path: accountPaths.providerAnswer,
      operationId: 'finishProviderSignIn',
      summary: 'Come back from the identity provider',
      handle: (request) => finish(deps, request),
    }),
  ];
}

/** Advice about a refusal for the person who runs the installation. */
const adviceOn: Record<IdentityRefusal, string> = {
  noEmail:
    'Let the provider send the claim email: add the scope email to HEARTLINE_OIDC_SCOPES or map the claim.',
  emailDenied: 'The claim email_verified is false: verify the email at the provider, or change its mapping.',
  emailUnstated:
    'The claim email_verified is absent: map it, or set HEARTLINE_OIDC_TRUST_EMAIL=on if people cannot choose their email there.',
  tooManyGroups: 'Let the provider send only the groups that are assigned to this application.',
  otherIdentity:
    'The account with this email belongs to another identity: an admin changes the email or deletes the account.',
  disabled: 'An admin has disabled the account.',
  noRole:
    'Invite the person, or give a role to a group in HEARTLINE_OIDC_GROUPS. See claims and groups for what came.',
};

function providerOf({ signInOptions: { provider } }: Deps): ProviderSettings {
  if (provider === undefined) throw new ServiceError('notFound');
  return provider;
}

async function begin(deps: Deps, request: AccountRequest): Promise<void> {
  const { ctx, to } = request;
  const { oidc } = providerOf(deps);
  if (ctx.get('sec-fetch-site') === 'cross-site') return refuseOrigin(deps, request);
  const msLeft = deps.begun.count(networkOf(request.client.address), beginsPerMinute);
  if (msLeft !== undefined) return refuseTooMany(deps, request, Math.ceil(msLeft / 1000));
  try {
    const { url, attempt } = await oidc.begin(returnUrl(deps, ctx));
    deps.cookie.set(ctx, { ...attempt, to });
    answerRedirect(ctx, url);
  } catch (error) {
    refuse(deps, request, error);
  }
}

/** Waits for room before the state is spent, so that a browser that finds none can send the same answer again. */
async function finish(deps: Deps, request: AccountRequest): Promise<void> {
  providerOf(deps);
  const release = await deps.finishing.take(networkOf(request.client.address));
  if (release === undefined) return refuseTooMany(deps, request, retrySeconds);
  try {
    await finishWithRoom(deps, request);
  } finally {
    release();
  }
}

async function finishWithRoom(deps: Deps, request: AccountRequest): Promise<void> {
  const { ctx, texts } = request;
  const { oidc } = providerOf(deps);
  const kept = deps.cookie.read(ctx);
  deps.cookie.clear(ctx);
  if (kept === undefined || !(await spendOidcState(deps, kept.state))) {
    return answerSignIn(deps, request, { errors: { form: texts.errors.providerRefused }, status: 400 });
  }
  const returned = { ...request, to: kept.to };
  try {
    const started = await enter(deps, request, { oidc, kept });
    answerSignedIn(returned, started);
  } catch (error) {
    refuse(deps, returned, error);
  }
}

async function enter(
  deps: Deps,
  { ctx, client }: AccountRequest,
  { oidc, kept }: { oidc: OidcProvider; kept: Kept },
): Promise<StartedSession> {
  const returnedTo = new URL(ctx.search, returnUrl(deps, ctx));
  const provided = await oidc.finish(returnedTo, kept);
  const { groups, claimNames: _, ...identity } = provided;
  const { grants } = providerOf(deps);
  try {
    // Without the groups the roles that they gave would end.
    if (groups === 'tooMany' && grants.length > 0) throw new IdentityRefused('tooManyGroups');
    const granted = grants.filter(({ group }) => groups !== 'tooMany' && groups.includes(group));
    const signal = hangUpSignal(ctx.res);
    return await signInWithIdentity(deps, { ...identity, grants: granted, ...client, signal });
  } catch (error) {
    if (error instanceof IdentityRefused) deps.logRefusal(error.reason, provided);
    throw error;
  }
}

/** Without BASE_URL people come back to the name by which they reached the service, because the cookie is there. */
function returnUrl(deps: Deps, ctx: Context): string {
  const scheme = isSecure(deps, ctx) ? 'https' : 'http';
  const reached = deps.hasBaseUrl ? deps.baseUrl() : `${scheme}://${ctx.get('host')}`;
  return new URL(accountPaths.providerAnswer, reached).href;
}

/** The request that a refused person takes to an administrator. A disabled account is nobody's concern. */
function textOn(errors: AccountTexts['errors'], reason: IdentityRefusal): string {
  switch (reason) {
    case 'noEmail':
      return errors.providerNoEmail;
    case 'emailDenied':
      return errors.providerEmailDenied;
    case 'emailUnstated':
      return errors.providerEmailUnstated;
    case 'tooManyGroups':
      return errors.providerTooManyGroups;
    case 'otherIdentity':
      return errors.providerOtherIdentity;
    case 'disabled':
    case 'noRole':
      return errors.providerUnknown;
  }
}

function refuseTooMany(deps: Deps, request: AccountRequest, retryAfterSeconds: number): void {
  const error = new ServiceError('tooManySignIns', { retryAfterSeconds });
  answerSignIn(deps, request, refusalOf(request, error));
}

/** @throws what is no fault of the person or the provider */
function refuse(deps: Deps, request: AccountRequest, error: unknown): void {
  const { errors } = request.texts;
  if (error instanceof OidcError) {
    deps.logFailure(error);
    const isDown = error.kind === 'down';
    const refused =
      error.code === undefined ? errors.providerRefused : errors.providerCode({ code: error.code });
    const form = isDown ? errors.providerDown : refused;
    answerSignIn(deps, request, { errors: { form }, status: isDown ? 503 : 401 });
  } else {
    if (!(error instanceof IdentityRefused)) throw error;
    answerSignIn(deps, request, { errors: { form: textOn(errors, error.reason) }, status: 403 });
  }
}
