import { setTimeout as sleep } from 'node:timers/promises';
import Type from 'typebox';
import { requestPasswordReset, resetPath } from '../../../control/people/index.js';
import { queueAccountEmail } from '../../../control/subscribers/index.js';
import { parseEmailAddress } from '../../../lib/email-address.js';
import { ServiceError } from '../../../lib/service-error.js';
import type { FieldErrors } from '../../../web/account/fields.js';
import { accountPaths } from '../../../web/account/manage-paths.js';
import { renderForgot } from '../../../web/account/sign-in-views.js';
import type { FormRoute, OpenRoute } from '../../route.js';
import { type AccountDeps, type AccountRequest, accountForm, accountPage } from './account-page.js';
import { answerHtml, refusalOf } from './answers.js';

/** Making a link takes longer than finding nobody. Both answers take this long, so that they tell nothing. */
const answerMs = 250;

/** Asking for a link to choose a new password. There is nothing here where no mail can be sent. */
export function forgotRoutes(deps: AccountDeps): (OpenRoute | FormRoute)[] {
  const { mailsLinks, takesPassword } = deps.signInOptions;
  const refuseWithoutMail = (): void => {
    if (!mailsLinks || !takesPassword) throw new ServiceError('notFound');
  };
  return [
    accountPage(deps, {
      path: accountPaths.forgot,
      operationId: 'showForgot',
      summary: 'The form that asks for a link to choose a new password, in HTML',
      handle(request) {
        refuseWithoutMail();
        answerForgot(request, { errors: {} });
      },
    }),
    accountForm(deps, {
      path: accountPaths.forgot,
      operationId: 'forgotByForm',
      summary: 'Ask for a link to choose a new password',
      schema: Type.Object({ email: Type.String({ maxLength: 254 }) }),
      refuse: (request) =>
        answerForgot(request, { errors: { form: request.texts.errors.otherOrigin }, status: 403 }),
      async handle(request, field) {
        refuseWithoutMail();
        await takeForgot(deps, request, field('email'));
      },
    }),
  ];
}

type Answered = { errors: FieldErrors; email?: string; sent?: boolean; status?: number };

function answerForgot(request: AccountRequest, { errors, email, sent = false, status }: Answered): void {
  answerHtml(request, renderForgot(request.view, { sent, email, errors }), status);
}

async function takeForgot(deps: AccountDeps, request: AccountRequest, email: string): Promise<void> {
  const typed = email.slice(0, 254);
  if (parseEmailAddress(email) === undefined) {
    const errors = { email: request.texts.errors.emailInvalid };
    return answerForgot(request, { errors, email: typed, status: 400 });
  }
  try {
    const [sent] = await Promise.allSettled([sendLink(deps, request, email), sleep(answerMs)]);
    if (sent.status === 'rejected') throw sent.reason;
  } catch (error) {
    return answerForgot(request, { ...refusalOf(request, error), email: typed });
  }
  answerForgot(request, { errors: {}, sent: true });
}

async function sendLink(
  deps: AccountDeps,
  { client: { address }, view }: AccountRequest,
  email: string,
): Promise<void> {
  const { clock, secretKey } = deps;
  await requestPasswordReset(deps, { email, address }, (tx, { user, token, expiresAt }) =>
    queueAccountEmail(
      tx,
      { secretKey, now: clock.now() },
      {
        recipient: user.email,
        language: user.language ?? view.language,
        content: {
          kind: 'reset',
          link: new URL(resetPath(token), deps.baseUrl()).href,
          isFirstProof: user.emailProvenAt === null,
        },
        expiresAt,
      },
    ),
  );
}
