import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** The languages of the dashboard; English for people with another one. */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** Texts of one screen or part. The build writes them from the JSON files beside it, for the browser in one language. */
export type Texts<T> = Readonly<Record<Language, T>>;

export const LanguageContext = createContext<Language>('en');

/** The texts in the language of the reader. */
export function useTexts<T>(texts: Texts<T>): T {
  return texts[useContext(LanguageContext)];
}

/** Returns the language of a tag such as `de-AT`, English for one that the dashboard does not have. */
export function toLanguage(tag: string): Language {
  return languages.find((language) => language === tag.split('-', 1)[0]?.toLowerCase()) ?? 'en';
}

/** Returns the text of a name that the service gives; `undefined` for one that only a newer dashboard knows. */
export function textFor<T>(texts: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}
