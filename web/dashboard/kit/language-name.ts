import { useContext, useMemo } from 'preact/hooks';
import { LanguageContext } from '../texts.js';

/** Names languages as the reader does, such as `German` for `de`; the tag where the browser knows no name. */
export function useLanguageName(): (tag: string) => string {
  const language = useContext(LanguageContext);
  return useMemo(() => {
    const names = new Intl.DisplayNames([language], { type: 'language' });
    return (tag) => {
      try {
        return names.of(tag) ?? tag;
      } catch {
        return tag;
      }
    };
  }, [language]);
}
