import type { PublicView } from '../contract/status-page.js';
import { matchLanguage } from '../lib/language.js';
import { type Format, formatIn } from './format.js';
import type { PageAssets } from './page-assets.js';
import { type PageTexts, pageTexts } from './texts.js';

/** What every part of a page is drawn with. */
export type PageContext = {
  view: PublicView;
  assets: PageAssets;
  texts: PageTexts;
  format: Format;
  /** For elements that hold the page's own words, where these are in another language than the page. */
  own: { lang?: string };
};

export function openContext(view: PublicView, assets: PageAssets): PageContext {
  const texts = pageTexts(view.language);
  const isOther = matchLanguage(view.language, [texts.language]) === undefined;
  return {
    view,
    assets,
    texts,
    format: formatIn(view.language),
    own: isOther ? { lang: texts.language } : {},
  };
}
