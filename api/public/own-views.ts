import type { Context } from 'koa';
import { languagesOf } from '../../web/texts/areas.js';
import type { ViewLanguage } from '../../web/texts/texts-of.js';
import { negotiateLanguage } from './negotiation.js';

/** The languages of views that belong to no status page. */
export const ownTags = languagesOf.view;
const byTag = new Map<string, ViewLanguage>(ownTags.map((tag) => [tag, tag]));
const ownLanguages = { languages: byTag, defaultLanguage: 'en' };

/** Returns the language of such a view for the reader. */
export function chooseOwnLanguage(ctx: Context): ViewLanguage {
  return byTag.get(negotiateLanguage(ctx.req.headers['accept-language'], ownLanguages)) ?? 'en';
}

/** Whether the client names HTML, as browsers do; a client that takes anything is a program. */
export function namesHtml(ctx: Context): boolean {
  return ctx.accepts('json', 'html') === 'html';
}
