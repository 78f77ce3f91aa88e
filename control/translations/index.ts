export { startTranslationLoop, type TranslationLoopDeps } from './loop.js';
export {
  loadTranslations,
  type ProvidedText,
  provideTranslations,
  pruneTranslations,
  requestPageTranslations,
  requestTranslations,
} from './translations.js';
