import type { Context } from 'koa';
import type { StartedSession } from '../../../control/people/index.js';
import { ServiceError } from '../../../lib/service-error.js';
import { addressIn } from '../../../web/account/account-document.js';
import type { FieldErrors } from '../../../web/account/fields.js';
import { accountPaths } from '../../../web/account/manage-paths.js';
import type { AccountTexts } from '../../../web/texts/areas.js';
import { statusOf } from '../../answer-errors.js';
import type { AccountRequest } from './account-page.js';

/** Nothing but files and forms of the own host; nobody frames a page with a form for passwords. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];
const imagesOf = (sources: string) => `img-src ${sources}`;
/** The dashboard also sends requests to its own host, draws small pictures of its own, and has frames with previews. */
const dashboardPolicy = [
  ...policy,
  imagesOf("'self' data:"),
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
].join('; ');

/** Any site may show a shared board in a frame: it has no session, and nothing on it changes anything. */
const sharedBoardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  imagesOf("'self' data:"),
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  'frame-ancestors *',
].join('; ');

/** Emails have their styles in attributes. No script runs there, and only the dashboard frames it. */
const previewPolicy = [
  "default-src 'none'",
  "style-src 'self' 'unsafe-inline'",
  imagesOf("'self' data:"),
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-same-origin',
].join('; ');

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': [...policy, imagesOf("'self'")].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  // Other sites get no referrer. Not `no-referrer`: browsers would post the forms with the origin `null`.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Answers with a page. */
export function answerHtml({ ctx, view }: AccountRequest, html: string, status = 200): void {
  ctx.set(headers);
  ctx.set('content-language', view.language);
  ctx.vary('Accept-Language');
  ctx.status = status;
  if (status === 401) ctx.set('www-authenticate', 'Bearer');
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = html;
}

/** Answers with the document of the dashboard. */
export function answerDashboard(request: AccountRequest, html: string, status = 200): void {
  answerHtml(request, html, status);
  request.ctx.set('content-security-policy', dashboardPolicy);
}

/** Answers with the document of a shared board. Its address is a secret, so the browser sends no referrer from it. */
export function answerSharedBoard(request: AccountRequest, html: string): void {
  const { ctx } = request;
  answerHtml(request, html);
  ctx.remove('x-frame-options');
  ctx.set({
    'content-security-policy': sharedBoardPolicy,
    'referrer-policy': 'no-referrer',
    // A site that is isolated shows only frames that say both.
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'cross-origin',
  });
}

/** Answers with the document that the dashboard fills. */
export function answerPreview(request: AccountRequest): void {
  answerHtml(request, '<!doctype html><title>Preview</title>');
  request.ctx.set('content-security-policy', previewPolicy);
  request.ctx.set('x-frame-options', 'SAMEORIGIN');
}

/** Sends the browser on to a local path, with a GET. */
export function answerRedirect(ctx: Context, path: string): void {
  ctx.set(headers);
  ctx.status = 303;
  ctx.set('location', path);
  ctx.body = '';
}

/** Gives the browser its session, and sends it on. */
export function answerSignedIn(
  { ctx, cookies, view, to }: AccountRequest,
  { token }: Pick<StartedSession, 'token'>,
): void {
  cookies.set(ctx, token);
  answerRedirect(ctx, to ?? addressIn(view, accountPaths.home));
}

/** The errors of a form, and the status of the answer. */
export type FormRefusal = {
  errors: FieldErrors;
  status: number;
  /** After how long the same form is sent again, when nothing is wrong with it. */
  sendAgainSeconds?: number | undefined;
};

/**
 * Translates an error of a verb into errors of the form that caused it, in the language of the reader.
 *
 * @throws the error itself, when it is no fault of the form
 */
export function refusalOf({ ctx, texts }: AccountRequest, error: unknown): FormRefusal {
  if (!(error instanceof ServiceError)) throw error;
  const errors = errorsOf(texts.errors, error);
  if (errors === undefined) throw error;
  if (error.retryAfterSeconds !== undefined) ctx.set('retry-after', String(error.retryAfterSeconds));
  const sendAgainSeconds = error.kind === 'overloaded' ? error.retryAfterSeconds : undefined;
  return { errors, status: statusOf(error), sendAgainSeconds };
}

function errorsOf(texts: AccountTexts['errors'], error: ServiceError): FieldErrors | undefined {
  const { kind, code, field, retryAfterSeconds = 0 } = error;
  if (kind === 'signInRefused') return { form: texts.refused };
  if (kind === 'tooManySignIns') {
    return { form: texts.tooMany({ minutes: Math.max(1, Math.ceil(retryAfterSeconds / 60)) }) };
  }
  // Another request came first.
  if (kind === 'overloaded' || kind === 'conflict') return { form: texts.busy };
  if (code === 'password.common') return { password: texts.passwordCommon };
  if (code === 'password.length') return { password: texts.passwordLength };
  if (code === 'password.own_data') return { password: texts.passwordOwn };
  if (kind !== 'invalidBody') return undefined;
  if (field === '/email') return { email: texts.emailInvalid };
  return field === '/name' ? { name: texts.nameInvalid } : undefined;
}
