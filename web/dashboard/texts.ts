import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** The languages of the dashboard; English for people with another one. */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** Texts of one screen or part, in every language; they stand beside it in `texts.ts`. */
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
