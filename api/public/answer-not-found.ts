import type { Context } from 'koa';
import { ServiceError } from '../../lib/service-error.js';
import { chooseAnswer } from './choose-answer.js';
import { negotiateLanguage } from './negotiate-language.js';
import type { PageViews } from './page-views.js';
import type { PublicCache, PublicPage } from './public-cache.js';
import { createVaryingForms } from './representation.js';
import { sendAnswer } from './send-answer.js';

/**
 * Answers 404 on the host of a page, with a page around it. `known` is the language of the address; undefined for
 * that of the reader.
 *
 * @throws ServiceError `notFound` for a client that takes no HTML, or likes JSON better.
 */
export type AnswerNotFound = (ctx: Context, page: PublicPage, known: string | undefined) => Promise<void>;

export function createNotFoundAnswer(cache: PublicCache, { notFound }: PageViews): AnswerNotFound {
  const byType = createVaryingForms('Accept');
  const byLanguageAndType = createVaryingForms('Accept-Language, Accept');
  return async (ctx, page, known) => {
    if (!takesHtml(ctx)) throw notFoundInJson(ctx);
    const language = known ?? negotiateLanguage(ctx.req.headers['accept-language'], page);
    const found = await cache.find(page, notFound(language));
    if (found === undefined) throw new ServiceError('notFound');
    const form = known === undefined ? byLanguageAndType : byType;
    sendAnswer(ctx, chooseAnswer(ctx.req.headers, form(found)));
  };
}

/** Whether HTML is what the client likes best, or as well as JSON: who does not say may be anybody. */
export function takesHtml(ctx: Context): boolean {
  return ctx.accepts('html', 'json') === 'html';
}

/** Of an address that others get a page at. */
export function notFoundInJson(ctx: Context): ServiceError {
  ctx.set('vary', 'Accept');
  return new ServiceError('notFound');
}
