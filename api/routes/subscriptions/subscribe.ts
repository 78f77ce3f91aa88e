import type { Context } from 'koa';
import { readerKinds } from '../../../contract/channels.js';
import { type SignUp, SignUpForm, subscriberLimits } from '../../../contract/subscribers.js';
import type { Page } from '../../../control/pages/index.js';
import { brandOf } from '../../../control/pages/index.js';
import type { Clock } from '../../../lib/clock.js';
import { matchLanguage } from '../../../lib/locale/language.js';
import { ServiceError } from '../../../lib/service-error.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { subscribePath } from '../../../web/page-paths.js';
import { textsOf } from '../../../web/texts/texts-of.js';
import { accentStyle } from '../../../web/views/accent.js';
import { renderSubscribeView, type SubscribeState } from '../../../web/views/subscriptions/subscribe-view.js';
import type { ViewAssets } from '../../../web/views/view-context.js';
import { statusOf } from '../../answer-errors.js';
import { isFromElsewhere } from '../../public/from-elsewhere.js';
import { loadPublicPage } from '../../public/load-public-page.js';
import type { PublicCache } from '../../public/public-cache.js';
import { setHeaders } from '../../public/public-reads.js';
import { viewHeaders } from '../../public/view-headers.js';
import type { Form } from '../../read-form.js';
import type { OriginParser } from '../../request-origin.js';
import type { FormRoute } from '../../route.js';
import type { TakeSignUp } from '../../sign-up.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  cache: PublicCache;
  parseOrigin: OriginParser;
  originOf(hostname: string): string;
  /** Whether the service sends email. */
  sendsMail: boolean;
  assets: ViewAssets;
  signUp: TakeSignUp;
};

type Outcome = {
  form: SubscribeState['form'];
  status: number;
  retryAfterSeconds?: number | undefined;
  /** No email is sent to anybody. */
  noMail?: boolean;
};

const html = { mediaTypes: ['text/html; charset=utf-8'] };

/** The form of the page, which also works in browsers without scripts: it answers with a view in any case. */
export function subscribeRoute(deps: Deps): FormRoute {
  return {
    method: 'POST',
    path: subscribePath,
    operationId: 'subscribe',
    summary: 'The sign-up form of the status page',
    forPeople: true,
    form: { schema: SignUpForm, bytesMax: subscriberLimits.bodyBytes },
    answers: { 200: html, 400: html, 409: html, 429: html },
    errors: ['notFound', 'storeUnavailable', 'overloaded'],
    async handle(ctx, form) {
      const page = await loadPublicPage(deps, ctx);
      const outcome = await takeForm(deps, ctx, page, form);
      answerWith(deps, ctx, page, form, outcome);
    },
  };
}

async function takeForm(
  { cache, parseOrigin, signUp }: Deps,
  ctx: Context,
  page: Page,
  form: Form,
): Promise<Outcome> {
  const sent = parseForm(form);
  if (isFromElsewhere(ctx, parseOrigin(ctx).hostname) || sent === undefined) {
    return { form: 'refused', status: 400 };
  }
  try {
    const { clientAddress } = parseOrigin(ctx);
    await cache.loads.run(page.id, 'few', () => signUp(clientAddress, page, sent));
    return { form: 'sent', status: 200 };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const status = statusOf(error);
    if (status >= 500) throw error;
    const { kind, retryAfterSeconds } = error;
    return { form: 'refused', status, retryAfterSeconds, noMail: kind === 'noMail' };
  }
}

/** The form has an address, or the incoming webhook of a chat. Returns `undefined` for another one. */
function parseForm(form: Form): SignUp | undefined {
  const { email, kind, url } = form;
  const language = languageOf(form);
  const rest = language === undefined ? {} : { language };
  if (typeof email === 'string') return { email, ...rest };
  const known = readerKinds.find((one) => one === kind);
  return known !== undefined && typeof url === 'string' ? { chat: { kind: known, url }, ...rest } : undefined;
}

/** The first language of a form that has several. */
function languageOf({ language }: Form): string | undefined {
  const first: unknown = Array.isArray(language) ? language[0] : language;
  return typeof first === 'string' ? first : undefined;
}

function answerWith(
  { clock, originOf, sendsMail, assets }: Deps,
  ctx: Context,
  page: Page,
  sent: Form,
  { form, status, retryAfterSeconds, noMail = false }: Outcome,
): void {
  const language = matchLanguage(languageOf(sent) ?? '', page.languages) ?? page.defaultLanguage;
  const brand = brandOf(page, originOf(page.hostname));
  setHeaders(ctx, viewHeaders(language, accentStyle(brand.accent)));
  ctx.set('cache-control', 'no-store');
  if (retryAfterSeconds !== undefined) ctx.set('retry-after', String(retryAfterSeconds));
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  const isChat = sent['url'] !== undefined;
  const { busyText, noMailText } = textsOf('view', language);
  const message = noMail ? noMailText : status === 429 ? busyText : undefined;
  const state = { form, isChat, ...(message !== undefined && { message }) };
  ctx.body = renderSubscribeView({ brand, language, now: clock.now(), sendsMail }, state, assets);
}
