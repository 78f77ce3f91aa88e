import type { Context } from 'koa';
import { errorRegistry } from '../../contract/errors.js';
import { SignUp, subscriberLimits } from '../../contract/subscribers.js';
import { findPage } from '../../control/pages/find-page.js';
import type { Page } from '../../control/pages/page.js';
import { brandOf } from '../../control/pages/page-looks.js';
import type { Clock } from '../../lib/clock.js';
import { matchLanguage } from '../../lib/language.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { subscribePath } from '../../web/paths.js';
import { viewTexts } from '../../web/texts/view-texts.js';
import { accentStyle } from '../../web/views/accent.js';
import { renderSubscribeView, type SubscribeState } from '../../web/views/subscribe-view.js';
import type { ViewAssets } from '../../web/views/view-context.js';
import { pageHeaders } from '../public/page-headers.js';
import type { OriginReader } from '../request-origin.js';
import type { OpenBodyRoute } from '../route.js';
import type { TakeSignUp } from '../sign-up.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  readOrigin: OriginReader;
  originOf(hostname: string): string;
  assets: ViewAssets;
  signUp: TakeSignUp;
};

type Outcome = { form: SubscribeState['form']; status: number; retryAfterSeconds?: number | undefined };

const html = { mediaTypes: ['text/html; charset=utf-8'] };

/** The form of the page, for browsers without scripts as well. Its answer is a page, whatever was sent. */
export function subscribeRoute(deps: Deps): OpenBodyRoute {
  return {
    method: 'POST',
    path: subscribePath,
    operationId: 'subscribe',
    summary: 'The sign-up form of the status page',
    forPeople: true,
    body: {
      schema: SignUp,
      mediaType: 'application/x-www-form-urlencoded',
      bytesMax: subscriberLimits.bodyBytes,
    },
    answers: { 200: html, 400: html, 429: html },
    errors: ['notFound'],
    async handle(ctx, bytes) {
      const page = await findPage(deps, { hostname: deps.readOrigin(ctx).hostname });
      if (page === undefined) throw new ServiceError('notFound');
      const form = new URLSearchParams(bytes.toString());
      const outcome = await takeForm(deps, ctx, page, form);
      answerWith(deps, ctx, page, form.get('language'), outcome);
    },
  };
}

async function takeForm(
  { readOrigin, signUp }: Deps,
  ctx: Context,
  page: Page,
  form: URLSearchParams,
): Promise<Outcome> {
  const emails = form.getAll('email');
  const [email = ''] = emails;
  if (isFromElsewhere(ctx, readOrigin(ctx).hostname) || emails.length !== 1) {
    return { form: 'refused', status: 400 };
  }
  const language = form.get('language');
  try {
    const sent = { email, ...(language !== null && { language }) };
    await signUp(readOrigin(ctx).clientAddress, page, sent);
    return { form: 'sent', status: 200 };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status } = errorRegistry[error.kind];
    if (status >= 500) throw error;
    return { form: 'refused', status, retryAfterSeconds: error.retryAfterSeconds };
  }
}

/**
 * Whether another site's page sent the form. Browsers say so in Sec-Fetch-Site (https://www.w3.org/TR/fetch-metadata/)
 * or, older ones and those without TLS, by the Origin; what says neither is no browser that somebody could be led with.
 */
function isFromElsewhere({ req: { headers } }: Context, hostname: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  if (headers.origin === undefined) return false;
  return !URL.canParse(headers.origin) || new URL(headers.origin).hostname !== hostname;
}

function answerWith(
  { clock, originOf, assets }: Deps,
  ctx: Context,
  page: Page,
  tag: string | null,
  { form, status, retryAfterSeconds }: Outcome,
): void {
  const language = matchLanguage(tag ?? '', page.languages) ?? page.defaultLanguage;
  const brand = brandOf(page, originOf(page.hostname));
  const ofPage = pageHeaders(language, accentStyle(brand.accent));
  for (let i = 0; i < ofPage.length; i += 2) ctx.set(ofPage[i] ?? '', ofPage[i + 1] ?? '');
  ctx.set('cache-control', 'no-store');
  if (retryAfterSeconds !== undefined) ctx.set('retry-after', String(retryAfterSeconds));
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  const state = { form, ...(status === 429 && { message: viewTexts(language).busyText }) };
  ctx.body = renderSubscribeView({ brand, language, now: clock.now() }, state, assets);
}
