export { requestPageTranslations } from './request-page-translations.js';
export { loadTranslations, requestTranslations } from './request-translations.js';
export { startTranslationLoop } from './translation-loop.js';
