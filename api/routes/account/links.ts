import Type from 'typebox';
import { findPages } from '../../../control/pages/index.js';
import { needsSetUp, resetPassword, setUp } from '../../../control/people/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { addressIn } from '../../../web/account/account-document.js';
import type { FieldErrors } from '../../../web/account/fields.js';
import { renderReset, renderSetup, type SetupInput } from '../../../web/account/link-views.js';
import { accountPaths } from '../../../web/account/manage-paths.js';
import type { FormRoute, OpenRoute } from '../../route.js';
import { type AccountDeps, type AccountRequest, accountForm, accountPage } from './account-page.js';
import { answerHtml, answerRedirect, answerSignedIn, type FormRefusal, refusalOf } from './answers.js';

const Text = Type.String({ maxLength: 1_000 });
const SetupForm = Type.Object({ token: Text, name: Text, email: Text, password: Text });
const ResetForm = Type.Object({ token: Text, password: Text });

/** Tokens are base 62. What people paste may be the whole link. */
export function tokenOf(text: string): string {
  return /(?:^|#)\s*([0-9A-Za-z]{1,64})\s*$/.exec(text)?.[1] ?? '';
}

/** The errors of a form that has the code of a link. */
export function refusalOfLink(request: AccountRequest, error: unknown): FormRefusal {
  // The link is the thing that was not found.
  if (error instanceof ServiceError && error.kind === 'notFound') {
    return { errors: { token: request.texts.errors.linkRefused }, status: 400 };
  }
  return refusalOf(request, error);
}

/** The set-up of an installation, and the choice of a new password. */
export function linkRoutes(deps: AccountDeps): (OpenRoute | FormRoute)[] {
  return [
    accountPage(deps, {
      path: accountPaths.setup,
      operationId: 'showSetup',
      summary: 'The form that creates the first user, in HTML',
      handle: (request) => showSetup(deps, request, { errors: {} }),
    }),
    accountForm(deps, {
      path: accountPaths.setup,
      operationId: 'setUpByForm',
      summary: 'Create the first user',
      schema: SetupForm,
      refuse: (request) =>
        showSetup(deps, request, { errors: { form: request.texts.errors.otherOrigin } }, 403),
      handle: (request, field) => takeSetup(deps, request, field),
    }),
    accountPage(deps, {
      path: accountPaths.reset,
      operationId: 'showReset',
      summary: 'The form for a new password, in HTML',
      handle: (request) => showReset(request, undefined, { errors: {}, status: 200 }),
    }),
    accountForm(deps, {
      path: accountPaths.reset,
      operationId: 'resetByForm',
      summary: 'Set a new password with a link',
      schema: ResetForm,
      refuse: (request) =>
        showReset(request, undefined, { errors: { form: request.texts.errors.otherOrigin }, status: 403 }),
      handle: (request, field) => takeReset(deps, request, field),
    }),
  ];
}

async function showSetup(
  deps: AccountDeps,
  request: AccountRequest,
  input: Omit<SetupInput, 'hasDemo'>,
  status = 200,
): Promise<void> {
  const { sql } = deps;
  const isOpen = await needsSetUp({ sql });
  const hasDemo = isOpen && (await findPages({ sql }, { slugs: ['demo'] })).length > 0;
  const errors: FieldErrors = isOpen ? input.errors : { form: request.texts.errors.alreadySetUp };
  answerHtml(request, renderSetup(request.view, { ...input, hasDemo, errors }), status);
}

type GetField = (name: string) => string;

async function takeSetup(deps: AccountDeps, request: AccountRequest, field: GetField): Promise<void> {
  const { client, texts, view } = request;
  const [name, email, token] = [field('name'), field('email'), tokenOf(field('token'))];
  const typed = { name: name.slice(0, 200), email: email.slice(0, 254), token };
  if (token === '') {
    return showSetup(deps, request, { ...typed, errors: { token: texts.errors.linkMissing } }, 400);
  }
  const input = { ...client, token, name, email, password: field('password'), language: view.language };
  try {
    answerSignedIn(request, await setUp(deps, input));
  } catch (error) {
    const { errors, status } = refusalOfLink(request, error);
    await showSetup(deps, request, { ...typed, errors }, status);
  }
}

function showReset(
  request: AccountRequest,
  token: string | undefined,
  { errors, status }: FormRefusal,
): void {
  answerHtml(request, renderReset(request.view, { token, errors }), status);
}

async function takeReset(deps: AccountDeps, request: AccountRequest, field: GetField): Promise<void> {
  const { ctx, client, texts, view } = request;
  const token = tokenOf(field('token'));
  if (token === '') {
    return showReset(request, '', { errors: { token: texts.errors.linkMissing }, status: 400 });
  }
  try {
    await resetPassword(deps, { token, password: field('password'), address: client.address });
  } catch (error) {
    return showReset(request, token, refusalOfLink(request, error));
  }
  answerRedirect(ctx, addressIn(view, accountPaths.signIn, { done: 'password' }));
}
