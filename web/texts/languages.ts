import { inLanguage } from '../../lib/locale/language.js';
import { de } from './de.js';
import { en } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { ja } from './ja.js';
import type { ViewTexts } from './view-texts.js';

export const viewTextsByLanguage = { en, de, fr, es, ja } satisfies Record<string, ViewTexts>;
export type ViewTextsLanguage = keyof typeof viewTextsByLanguage;

/** The texts in a language or its base (`de` for `de-AT`), else in English. */
export function viewTexts(language: string): ViewTexts {
  return inLanguage<ViewTexts>(viewTextsByLanguage, language);
}
