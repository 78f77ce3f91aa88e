import type { PublicView } from '../../contract/status-page.js';
import { matchLanguage } from '../../lib/language.js';
import type { IconState } from '../badges/state-icon.js';
import { type Format, formatIn } from '../texts/format.js';
import { type ViewTexts, viewTexts } from '../texts/view-texts.js';

/** What every part of a page is drawn with. */
export type ViewContext = {
  view: PublicView;
  assets: ViewAssets;
  texts: ViewTexts;
  format: Format;
  /** For elements that hold the page's own words, where these are in another language than the page. */
  own: { lang?: string };
};

export function openContext(view: PublicView, assets: ViewAssets): ViewContext {
  const texts = viewTexts(view.language);
  const isOther = matchLanguage(view.language, [texts.language]) === undefined;
  return {
    view,
    assets,
    texts,
    format: formatIn(view.language),
    own: isOther ? { lang: texts.language } : {},
  };
}

/** Addresses of the files that every page loads, each with a hash of its content in it. */
export type ViewAssets = {
  styles: string;
  /** A classic script that blocks: it sets the theme before anything is drawn. */
  theme: string;
  /** Modules: what keeps the page up to date, and what shows how a day was. */
  live: string;
  details: string;
  /** What a link to the page shows elsewhere: a PNG of 1200 × 630 pixels, without a word in it. */
  cards: Readonly<Record<IconState, string>>;
};
