export {
  loadTranslated,
  type Translated,
  type WrittenTranslation,
  writeTranslations,
} from './corrections.js';
export { startTranslationLoop, type TranslationLoopDeps } from './loop.js';
export {
  loadTranslations,
  type ProvidedText,
  provideTranslations,
  pruneTranslations,
  requestPageTranslations,
  requestTranslations,
} from './translations.js';
