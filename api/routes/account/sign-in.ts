import Type from 'typebox';
import {
  acceptInvitationAs,
  endSession,
  needsSetUp,
  signIn,
  userActor,
} from '../../../control/people/index.js';
import { parseEmailAddress } from '../../../lib/email-address.js';
import { openSecret, sealSecret } from '../../../lib/secrets/secret-box.js';
import { ServiceError } from '../../../lib/service-error.js';
import { withTimeout } from '../../../lib/timeout.js';
import { minuteMs, secondMs } from '../../../lib/times.js';
import { addressIn } from '../../../web/account/account-document.js';
import type { FieldErrors } from '../../../web/account/fields.js';
import { accountPaths } from '../../../web/account/manage-paths.js';
import {
  type CodeInput,
  renderCode,
  renderSignIn,
  type SignInInput,
} from '../../../web/account/sign-in-views.js';
import { hangUpSignal } from '../../hang-up.js';
import type { FormRoute, OpenRoute } from '../../route.js';
import { type AccountDeps, type AccountRequest, accountForm, accountPage } from './account-page.js';
import { answerHtml, answerRedirect, answerSignedIn, refusalOf } from './answers.js';

const Text = Type.String({ maxLength: 1_000 });
const Sealed = Type.String({ maxLength: 4_000 });
const SignInForm = Type.Object({
  email: Type.Optional(Text),
  password: Type.Optional(Text),
  kept: Type.Optional(Sealed),
  to: Type.Optional(Text),
});
const CodeForm = Type.Object({ pending: Text, code: Text, to: Type.Optional(Text) });

/** How long the code of the app may take after the password. */
const pendingMs = 5 * minuteMs;
const sealContext = 'sign-in form';

/** Signing in with a password and the code of an app, and signing out. */
export function signInRoutes(deps: AccountDeps): (OpenRoute | FormRoute)[] {
  return [
    accountPage(deps, {
      path: accountPaths.signIn,
      operationId: 'showSignIn',
      summary: 'The form to sign in, in HTML',
      async handle(request) {
        const { ctx, to, view } = request;
        if ((await request.signedIn()) !== undefined) {
          return answerRedirect(ctx, to ?? addressIn(view, accountPaths.home));
        }
        const notice = (await saysSetUp(deps)) ? 'notSetUp' : noticeOf(ctx.query['done']);
        answerSignIn(deps, request, { errors: {}, notice });
      },
    }),
    accountForm(deps, {
      path: accountPaths.signIn,
      operationId: 'signInByForm',
      summary: 'Sign in with a password',
      schema: SignInForm,
      refuse: (request) => refuseOrigin(deps, request),
      handle: (request, field) => takePassword(deps, request, field),
    }),
    accountForm(deps, {
      path: accountPaths.code,
      operationId: 'confirmSignInByForm',
      summary: 'Confirm a sign-in with the code of an authenticator app or a recovery code',
      schema: CodeForm,
      refuse: (request) => refuseOrigin(deps, request),
      handle: (request, field) => takeCode(deps, request, field),
    }),
    accountForm(deps, {
      path: accountPaths.signOut,
      operationId: 'signOutByForm',
      summary: 'Sign out',
      schema: Type.Object({}),
      refuse: (request) => refuseOrigin(deps, request),
      handle: (request) => signOut(deps, request),
    }),
  ];
}

/** Returns false when PostgreSQL does not answer within a second: the sign-in form works without it. */
function saysSetUp(deps: AccountDeps): Promise<boolean> {
  return withTimeout(needsSetUp(deps), secondMs).catch(() => false);
}

type Answered = Partial<Pick<SignInInput, 'email' | 'notice' | 'kept'>> & {
  errors: FieldErrors;
  status?: number;
};

/** Answers with the form to sign in. */
export function answerSignIn(
  { signInOptions }: AccountDeps,
  request: AccountRequest,
  { status = 200, ...input }: Answered,
): void {
  const { takesPassword, provider, mailsLinks } = signInOptions;
  const { view, to } = request;
  const shown = { ...{ takesPassword, mailsLinks, to }, provider: provider?.oidc.host, ...input };
  answerHtml(request, renderSignIn(view, shown), status);
}

export function refuseOrigin(deps: AccountDeps, request: AccountRequest): void {
  answerSignIn(deps, request, { errors: { form: request.texts.errors.otherOrigin }, status: 403 });
}

function noticeOf(done: unknown): SignInInput['notice'] {
  if (done === 'signed-out') return 'signedOut';
  return done === 'password' ? 'passwordChanged' : undefined;
}

type GetField = (name: string) => string;

async function takePassword(deps: AccountDeps, request: AccountRequest, field: GetField): Promise<void> {
  const { texts, client } = request;
  const kept = field('kept') === '' ? undefined : openPending(deps, field('kept'));
  const { email, password } = kept ?? { email: field('email'), password: field('password') };
  if (!deps.signInOptions.takesPassword) {
    return answerSignIn(deps, request, { errors: { form: texts.signIn.providerOnly }, status: 403 });
  }
  if (field('kept') !== '' && kept === undefined) {
    return answerSignIn(deps, request, { errors: { form: texts.errors.codeExpired }, status: 400 });
  }
  const errors = {
    ...(parseEmailAddress(email) === undefined && { email: texts.errors.emailInvalid }),
    ...(password === '' && { password: texts.errors.passwordMissing }),
  };
  if (Object.keys(errors).length > 0) {
    return answerSignIn(deps, request, { email: clip(email), errors, status: 400 });
  }
  try {
    const signal = hangUpSignal(request.ctx.res);
    answerSignedIn(request, await signIn(deps, { ...client, email, password, signal }));
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'codeRequired') {
      return askForCode(deps, request, { email, password });
    }
    const { errors, status, sendAgainSeconds } = refusalOf(request, error);
    const sealed = field('kept') || sealPending(deps, { email, password });
    const again = sendAgainSeconds && { sealed, retryAfterSeconds: sendAgainSeconds };
    answerSignIn(deps, request, { email: clip(email), errors, status, kept: again || undefined });
  }
}

async function takeCode(deps: AccountDeps, request: AccountRequest, field: GetField): Promise<void> {
  const { texts, client } = request;
  const pending = openPending(deps, field('pending'));
  if (pending === undefined || !deps.signInOptions.takesPassword) {
    return answerSignIn(deps, request, { errors: { form: texts.errors.codeExpired }, status: 400 });
  }
  const code = field('code').replaceAll(/\s/g, '');
  const { email, password, invitation } = pending;
  try {
    const signal = hangUpSignal(request.ctx.res);
    const started = await signIn(deps, { ...client, email, password, code, signal });
    if (invitation !== undefined) {
      const by = userActor({ id: started.userId, email }, client.address);
      await acceptInvitationAs({ ...deps, by }, { token: invitation, userId: started.userId }).catch(
        ignoreEnded,
      );
    }
    answerSignedIn(request, started);
  } catch (error) {
    const isWrong = error instanceof ServiceError && error.kind === 'signInRefused';
    const { errors, status, sendAgainSeconds } = refusalOf(request, error);
    const shown = isWrong ? { code: texts.errors.codeRefused } : errors;
    const again = sendAgainSeconds && { code, retryAfterSeconds: sendAgainSeconds };
    answerCode(request, { pending: field('pending'), errors: shown, ...again }, status);
  }
}

/** Asks for the code that an account needs besides its password. */
export function askForCode(deps: AccountDeps, request: AccountRequest, pending: Pending): void {
  answerCode(request, { pending: sealPending(deps, pending), errors: {} });
}

function answerCode(request: AccountRequest, input: Omit<CodeInput, 'to'>, status = 200): void {
  const { view, to } = request;
  answerHtml(request, renderCode(view, { ...input, to }), status);
}

/** The proof before the code; `invitation` is the token of one that is accepted with it. */
type Pending = { email: string; password: string; invitation?: string | undefined };

/** The page of the code carries the password encrypted: nothing is stored of a sign-in that may never be finished. */
function sealPending({ secretKey, clock }: AccountDeps, pending: Pending): string {
  const text = JSON.stringify({ ...pending, until: clock.now() + pendingMs });
  return sealSecret(secretKey, sealContext, text).toString('base64url');
}

function openPending({ secretKey, clock }: AccountDeps, sealed: string): Pending | undefined {
  try {
    const bytes = Buffer.from(sealed, 'base64url');
    const opened: Pending & { until: number } = JSON.parse(openSecret(secretKey, sealContext, bytes));
    return opened.until > clock.now() && opened.until <= clock.now() + pendingMs ? opened : undefined;
  } catch {
    return undefined;
  }
}

async function signOut(deps: AccountDeps, request: AccountRequest): Promise<void> {
  const { ctx, cookies, view, client } = request;
  const person = await request.signedIn();
  if (person !== undefined) {
    const { sessionId, userId, email } = person;
    const by = userActor({ id: userId, email }, client.address);
    await endSession({ ...deps, by }, { id: sessionId, userId }).catch(ignoreEnded);
  }
  cookies.clear(ctx);
  answerRedirect(ctx, addressIn(view, accountPaths.signIn, { done: 'signed-out' }));
}

/** Another tab may have signed out, or accepted the invitation, at the same time. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof ServiceError && error.kind === 'notFound')) throw error;
}

/** Shows what was typed, and not a text of any length. */
const clip = (text: string): string => text.slice(0, 254);
