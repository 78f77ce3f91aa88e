import type { Me } from '../../../contract/manage/session.js';
import { sendJson } from '../reads/fetch-json.js';
import { useSession } from '../session.js';
import type { Language } from '../texts.js';

export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

/** Returns what chooses another language. The choice belongs to the account: the next browser has it as well. */
export function useLanguage(): (language: Language) => void {
  const { setLanguage, setMe } = useSession();
  return (language) => {
    setLanguage(language);
    document.documentElement.lang = language;
    // The view has changed; a choice that cannot be kept holds until the tab closes.
    sendJson<Me>('PATCH', '/api/v1/me', { language }).then(setMe, () => {});
  };
}
