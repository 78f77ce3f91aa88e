import type { PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { loadTranslated, provideTranslations } from '../translations/index.js';
import { type FailureTexts, findFailureTexts } from './failure-texts.js';
import type { FailureCounts } from './preview-alert-rule.js';

/** The languages of a page, and the window whose requests failed. */
export type FailingPage = {
  pageId: PageId;
  defaultLanguage: string;
  languages: readonly string[];
  windowSeconds: number;
};

/**
 * Stores the texts in the other languages of the page that have some, in place of machine translations. What a person has
 * written for the same text stays.
 */
export async function provideFailureTexts(
  tx: Transaction,
  { page, counts, now }: { page: FailingPage; counts: FailureCounts; now: number },
  { own, parts }: { own: FailureTexts; parts: readonly (keyof FailureTexts)[] },
): Promise<void> {
  const { pageId, defaultLanguage, windowSeconds } = page;
  const others = page.languages.filter((language) => language !== defaultLanguage);
  const sources = parts.map((part) => own[part]);
  const known = await loadTranslated(tx, pageId, sources, others);
  for (const part of parts) {
    const text = own[part];
    const translations = others.flatMap((language) => {
      const texts = findFailureTexts(language, { counts, windowSeconds });
      return texts === undefined || known.get(text)?.[language]?.byPerson ? [] : [[language, texts[part]]];
    });
    const provided = { text, translations: Object.fromEntries(translations) };
    await provideTranslations(tx, { pageId, text: provided, now });
  }
}
