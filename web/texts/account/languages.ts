import { inLanguage } from '../../../lib/locale/language.js';
import type { ViewTextsLanguage } from '../languages.js';
import type { AccountTexts } from './account-texts.js';
import { de } from './de.js';
import { en } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { ja } from './ja.js';

export const accountTextsByLanguage: Readonly<Record<ViewTextsLanguage, AccountTexts>> = {
  en,
  de,
  fr,
  es,
  ja,
};

/** The texts in a language or its base, else in English. */
export function accountTexts(language: string): AccountTexts {
  return inLanguage<AccountTexts>(accountTextsByLanguage, language);
}
