import { inLanguage } from '../../lib/locale/language.js';

/** What a rule has counted, with numbers as the language writes them. `minutes` is the length of the window. */
export type Failures = { errors: string; requests: string; percent: string; minutes: number };

/** The texts of an incident that an alert rule opens. */
export type FailureTexts = {
  /** The language of these texts, as a BCP 47 tag. */
  language: string;
  title: string;
  summary: (failures: Failures) => string;
  resolved: (failures: Failures) => string;
};

/** The texts in a language or its base (`de` for `de-AT`), else in English. */
export const failureTexts = (language: string): FailureTexts => inLanguage<FailureTexts>(texts, language);

const english = ({ errors, requests, minutes }: Failures): string =>
  `${errors} of ${requests} requests failed in the last ${minutes === 1 ? 'minute' : `${minutes} minutes`}`;
const german = ({ errors, requests, minutes }: Failures): string =>
  `${errors} von ${requests} Anfragen sind in ${minutes === 1 ? 'der letzten Minute' : `den letzten ${minutes} Minuten`} fehlgeschlagen`;
const french = ({ errors, requests, minutes }: Failures): string =>
  `${errors} requêtes sur ${requests} ont échoué au cours ${minutes === 1 ? 'de la dernière minute' : `des ${minutes} dernières minutes`}`;
const spanish = ({ errors, requests, minutes }: Failures): string =>
  `${errors} de ${requests} solicitudes han fallado en ${minutes === 1 ? 'el último minuto' : `los últimos ${minutes} minutos`}`;
const japanese = ({ errors, requests, minutes }: Failures): string =>
  `直近${minutes}分間のリクエスト${requests}件のうち${errors}件が失敗しました`;

const texts = {
  en: {
    language: 'en',
    title: 'Elevated error rate',
    summary: (failures) => `${english(failures)} (${failures.percent} %).`,
    resolved: (failures) => `The error rate is back to normal. ${english(failures)}.`,
  },
  de: {
    language: 'de',
    title: 'Erhöhte Fehlerrate',
    summary: (failures) => `${german(failures)} (${failures.percent} %).`,
    resolved: (failures) => `Die Fehlerrate ist wieder normal. ${german(failures)}.`,
  },
  fr: {
    language: 'fr',
    title: 'Taux d’erreurs élevé',
    summary: (failures) => `${french(failures)} (${failures.percent} %).`,
    resolved: (failures) => `Le taux d’erreurs est revenu à la normale. ${french(failures)}.`,
  },
  es: {
    language: 'es',
    title: 'Tasa de errores elevada',
    summary: (failures) => `${spanish(failures)} (${failures.percent} %).`,
    resolved: (failures) => `La tasa de errores ha vuelto a la normalidad. ${spanish(failures)}.`,
  },
  ja: {
    language: 'ja',
    title: 'エラー率の上昇',
    summary: (failures) => `${japanese(failures)}（${failures.percent}%）。`,
    resolved: (failures) => `エラー率は通常に戻りました。${japanese(failures)}。`,
  },
} satisfies Record<string, FailureTexts>;
