import { inLanguage } from '../../lib/locale/language.js';

/** The texts of an incident that a monitor opens; functions take the name of the service. */
export type OutageTexts = {
  title: (name: string) => string;
  summary: (name: string) => string;
  resolved: (name: string) => string;
};

/** The texts in a language or its base (`de` for `de-AT`), else in English. */
export const outageTexts = (language: string): OutageTexts => inLanguage<OutageTexts>(texts, language);

const texts = {
  en: {
    title: (name) => `${name} is down`,
    summary: (name) => `Checks of ${name} have been failing.`,
    resolved: (name) => `${name} is up again.`,
  },
  de: {
    title: (name) => `${name} ist ausgefallen`,
    summary: (name) => `Prüfungen von ${name} schlagen fehl.`,
    resolved: (name) => `${name} funktioniert wieder.`,
  },
  fr: {
    title: (name) => `${name} est en panne`,
    summary: (name) => `Les vérifications de ${name} échouent.`,
    resolved: (name) => `${name} fonctionne à nouveau.`,
  },
  es: {
    title: (name) => `${name} no funciona`,
    summary: (name) => `Las comprobaciones de ${name} están fallando.`,
    resolved: (name) => `${name} vuelve a funcionar.`,
  },
  ja: {
    title: (name) => `${name} が停止しています`,
    summary: (name) => `${name} の監視チェックが失敗しています。`,
    resolved: (name) => `${name} は復旧しました。`,
  },
} satisfies Record<string, OutageTexts>;
