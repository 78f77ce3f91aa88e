export { startTranslationLoop, type TranslationLoopDeps } from './loop.js';
export {
  loadTranslated,
  type Translated,
  type WrittenTranslation,
  writeTranslations,
} from './person-translations.js';
export {
  loadTranslations,
  type ProvidedText,
  provideTranslations,
  pruneTranslations,
  requestPageTranslations,
  requestTranslations,
} from './translations.js';
