import Type from 'typebox';
import {
  acceptInvitation,
  acceptInvitationAs,
  findInvitation,
  type OfferedInvitation,
  oidcAttemptMs,
  type SignedIn,
  signIn,
  userActor,
} from '../../../control/people/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { addressIn } from '../../../web/account/account-document.js';
import type { FieldErrors } from '../../../web/account/fields.js';
import {
  type InvitationInput,
  renderInvitation,
  renderInvitationCode,
} from '../../../web/account/link-views.js';
import { accountPaths } from '../../../web/account/manage-paths.js';
import type { FormRoute, OpenRoute } from '../../route.js';
import { type AccountDeps, type AccountRequest, accountForm, accountPage } from './account-page.js';
import { answerHtml, answerRedirect, answerSignedIn } from './answers.js';
import { refusalOfLink, tokenOf } from './links.js';
import { type SealedCookie, sealedCookie } from './sealed-cookie.js';
import { askForCode } from './sign-in.js';

const Text = Type.String({ maxLength: 1_000 });
const CodeForm = Type.Object({ token: Text });
const AcceptForm = Type.Object({ token: Text, name: Type.Optional(Text), password: Type.Optional(Text) });

/**
 * An invitation is shown before it is accepted: the fragment of its link does not reach the service, so a form sends
 * the code. The holder of the link may be new, may have an account, or may be signed in already; the page for a link that
 * was not mailed is the same for both of the first. A cookie keeps the code for those who sign in first.
 */
export function invitationRoutes(account: AccountDeps): (OpenRoute | FormRoute)[] {
  const deps: Deps = {
    ...account,
    cookie: sealedCookie(account, { name: 'heartline-invitation', lastsMs: oidcAttemptMs }),
  };
  const refuse = (request: AccountRequest): void =>
    askForLink(request, { form: request.texts.errors.otherOrigin }, { status: 403 });
  return [
    accountPage(deps, {
      path: accountPaths.invitation,
      operationId: 'showInvitationForm',
      summary: 'The form for the code of an invitation, in HTML',
      async handle(request) {
        // The link of another invitation may have been opened since.
        const kept = request.ctx.query['kept'] === undefined ? undefined : deps.cookie.read(request.ctx);
        const found = kept && (await findKept(deps, request, kept.token));
        if (found === undefined) return askForLink(request, {});
        show(deps, request, found, { errors: {} });
      },
    }),
    accountForm(deps, {
      path: accountPaths.invitation,
      operationId: 'showInvitation',
      summary: 'Show an invitation and the form to accept it',
      schema: CodeForm,
      refuse,
      async handle(request, field) {
        const found = await findOffered(deps, request, field('token'));
        if (found === undefined) return;
        deps.cookie.set(request.ctx, { token: found.token });
        show(deps, request, found, { errors: {} });
      },
    }),
    accountForm(deps, {
      path: accountPaths.acceptInvitation,
      operationId: 'acceptInvitationByForm',
      summary: 'Accept an invitation',
      schema: AcceptForm,
      refuse,
      async handle(request, field) {
        const found = await findOffered(deps, request, field('token'));
        if (found !== undefined) await accept(deps, request, found, field);
        if (request.ctx.status === 303) deps.cookie.clear(request.ctx);
      },
    }),
  ];
}

type Deps = AccountDeps & { cookie: SealedCookie<{ token: string }> };
type Found = { token: string; offered: OfferedInvitation; person: SignedIn | undefined };

function askForLink(
  request: AccountRequest,
  errors: FieldErrors,
  { token, status = 200 }: { token?: string; status?: number } = {},
): void {
  answerHtml(request, renderInvitationCode(request.view, { token, errors }), status);
}

/** Answers by itself when there is no such invitation. */
async function findOffered(deps: Deps, request: AccountRequest, text: string): Promise<Found | undefined> {
  const { errors } = request.texts;
  const token = tokenOf(text);
  const found = token === '' ? undefined : await findKept(deps, request, token);
  if (found !== undefined) return found;
  const wrong = token === '' ? errors.linkMissing : errors.linkRefused;
  askForLink(request, { token: wrong }, { token, status: 400 });
  return undefined;
}

async function findKept(deps: Deps, request: AccountRequest, token: string): Promise<Found | undefined> {
  const offered = await findInvitation(deps, token);
  return offered && { token, offered, person: await request.signedIn() };
}

function holderOf({ offered, person }: Found): InvitationInput['holder'] {
  if (person !== undefined && person.email !== offered.email) return 'other';
  // A session of before the email was proven may be another person's, and ends with the proof.
  if (offered.account === 'new' || offered.account === 'unproven') return offered.account;
  if (person !== undefined) return 'signed-in';
  return offered.account === 'known' ? 'known' : 'untold';
}

type Shown = { name?: string; errors: FieldErrors; status?: number };

function show(deps: Deps, request: AccountRequest, found: Found, { name, errors, status }: Shown): void {
  const { takesPassword, provider } = deps.signInOptions;
  const { token, offered, person } = found;
  const { email, invitedBy, page, role } = offered;
  const invitation = { email, invitedBy, page: page?.name, role: role ?? undefined };
  const input = {
    ...{ token, invitation, holder: holderOf(found), signedInAs: person?.email, name, errors },
    ...{ takesPassword, provider: provider?.oidc.host },
  };
  answerHtml(request, renderInvitation(request.view, input), status);
}

type GetField = (name: string) => string;

async function accept(deps: Deps, request: AccountRequest, found: Found, field: GetField): Promise<void> {
  const { client, view } = request;
  const { token, offered, person } = found;
  const holder = holderOf(found);
  const [name, password] = [field('name'), field('password')];
  try {
    if (holder === 'other') return show(deps, request, found, { errors: {}, status: 403 });
    if (holder !== 'signed-in' && !deps.signInOptions.takesPassword) {
      return show(deps, request, found, { errors: {}, status: 403 });
    }
    // A form without a name signs in, as that for people with an account does.
    if (holder === 'new' || holder === 'unproven' || (holder === 'untold' && name !== '')) {
      const input = { ...client, token, name, password, language: view.language };
      return answerSignedIn(request, await acceptInvitation(deps, input));
    }
    if (holder === 'signed-in' && person !== undefined) {
      const by = userActor({ id: person.userId, email: person.email }, client.address);
      await acceptInvitationAs({ ...deps, by }, { token, userId: person.userId });
      return answerRedirect(request.ctx, addressIn(view, accountPaths.home));
    }
    const started = await signIn(deps, { ...client, email: offered.email, password });
    const by = userActor({ id: started.userId, email: offered.email }, client.address);
    // The person is signed in even when the invitation ended meanwhile.
    request.cookies.set(request.ctx, started.token);
    await acceptInvitationAs({ ...deps, by }, { token, userId: started.userId });
    answerRedirect(request.ctx, request.to ?? addressIn(view, accountPaths.home));
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'codeRequired') {
      return askForCode(deps, request, { email: offered.email, password, invitation: token });
    }
    const hasAccount = error instanceof ServiceError && error.kind === 'conflict';
    const { errors: wrong, status } = refusalOfLink(request, error);
    const errors = hasAccount ? { form: request.texts.invitation.notCreated } : wrong;
    if (errors['token'] !== undefined) return askForLink(request, errors, { token, status });
    show(deps, request, found, { name: name.slice(0, 200), errors, status });
  }
}
