import { readFileSync } from 'node:fs';
import { matchLanguage } from '../../lib/locale/language.js';
import { type Areas, languagesOf } from './areas.js';
import { makeTexts } from './make-texts.js';

/** A language in which the service draws pages of its own. */
export type ViewLanguage = (typeof languagesOf.view)[number];

const made = new Map<string, unknown>();

/**
 * Returns the texts of an area in a language or its base (`de` for `de-AT`), else in English. The file of a language is
 * read when it is first used: a service rarely has readers of all eight.
 */
export function textsOf<A extends keyof Areas>(area: A, language: string): Areas[A] {
  const tag = matchLanguage(language, languagesOf[area]) ?? 'en';
  const name = `${area}.${tag}`;
  const known = made.get(name);
  if (known !== undefined) return known as Areas[A]; // Only texts of the area have the name.
  const source = JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'));
  const texts = makeTexts<Areas[A]>(source, tag);
  made.set(name, texts);
  return texts;
}
