import { showNotice } from '../kit/notice.js';
import { kitTexts } from '../kit/texts.js';
import { sendJson } from '../reads/fetch-json.js';
import { type Language, useTexts } from '../texts.js';

export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/**
 * Returns a function that changes the language of the account, so that the next browser has it as well. The document
 * loads again: a browser has the texts of one language.
 */
export function useLanguage(): (language: Language) => void {
  const { offline } = useTexts(kitTexts);
  return (language) => {
    sendJson('PATCH', '/api/v1/me', { language }).then(
      () => location.reload(),
      () => showNotice(offline),
    );
  };
}
