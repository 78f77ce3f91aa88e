import { matchLanguage } from '../../lib/locale/language.js';
import type { ViewTexts } from '../texts/areas.js';
import { type Format, formatIn } from '../texts/format.js';
import { textsOf } from '../texts/texts-of.js';
import type { ViewInput } from './view-inputs.js';

/** The values with which every part of a view is drawn. */
export type ViewContext = {
  view: ViewInput;
  assets: ViewAssets;
  texts: ViewTexts;
  format: Format;
  /** For elements with the fixed texts of the view, when those are in another language than the view. */
  own: { lang?: string };
};

export function openContext(view: ViewInput, assets: ViewAssets): ViewContext {
  const texts = textsOf('view', view.language);
  const isOther = matchLanguage(view.language, [texts.language]) === undefined;
  return {
    view,
    assets,
    texts,
    format: formatIn(view.language, view.brand.timeZone),
    own: isOther ? { lang: texts.language } : {},
  };
}

/** Paths of the files that every view loads; each contains a hash of its content. */
export type ViewAssets = {
  styles: string;
  /** A classic script, which blocks: it sets the theme before the browser draws anything. */
  theme: string;
  /** Modules: one keeps the view up to date, one shows the details of a day, one the charts. */
  live: string;
  details: string;
  chart: string;
};
